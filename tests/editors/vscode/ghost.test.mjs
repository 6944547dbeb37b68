// The extension in a real editor, with the scripted engine: `run` sets KIREJI_VSCODE, KIREJI_VSIX and KIREJI_SERVER.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { Desk } from './desk.mjs';
import * as wb from './workbench.mjs';

const desk = new Desk();
const { play, at, menu, command, shown, saved, shot } = desk;
let page;

before(async () => {
  desk.editor.file(desk.file, 'x = \n');
  await desk.start();
  ({ page } = desk);
  // the walkthrough of a first start
  await page.waitForSelector('.tab.active[aria-label*="Walkthrough"], .tab.active[aria-label*="Welcome"]', { timeout: 60000 });
  await wb.sleep(500);
  await shot('walkthrough');
  await desk.ready();
});
after(() => desk.stop());
beforeEach(() => wb.reset(page));

test('ghost text is shown, and Tab takes it', async () => {
  play({ text: 'a + b' });
  await at('def add(a, b):\n    return█\n');
  await page.keyboard.type(' ');
  await shown('a + b');
  await shot('shown');
  await page.keyboard.press('Tab');
  await saved('def add(a, b):\n    return a + b\n');
  await shot('accepted');
});

test('what is typed along stays on the screen without a blank frame', async () => {
  play({ when: 'return $', text: 'alpha + beta' }, { text: 'WRONG', delay_ms: 3000 });
  await at('def add(alpha, beta):\n    return█\n');
  await page.keyboard.type(' ');
  await shown('alpha + beta');
  await wb.reset(page);
  await page.keyboard.type('alpha', { delay: 60 });
  await shown(' + beta');
  assert.equal(wb.holes(await wb.log(page)), 0);
  await shot('typed-along');
  await page.keyboard.press('Tab');
  await saved('def add(alpha, beta):\n    return alpha + beta\n');
});

test('the next word is taken alone', async () => {
  play({ text: 'alpha + beta' });
  await at('def add(alpha, beta):\n    return█\n');
  await page.keyboard.type(' ');
  await shown('alpha + beta');
  await page.keyboard.press('Control+ArrowRight');
  await shown(' + beta');
  await shot('word');
  await page.keyboard.press('Tab');
  await saved('def add(alpha, beta):\n    return alpha + beta\n');
});

test('asked by a key it offers several answers', async () => {
  play({ text: 'alpha', others: ['beta', 'gamma'] });
  await at('def pick(alpha, beta, gamma):\n    return █\n');
  await page.keyboard.press('Alt+Backslash');
  await shown('alpha');
  await page.keyboard.press('Alt+BracketRight');
  await shown('beta');
  await page.keyboard.press('Alt+BracketRight');
  await shown('gamma');
  await shot('alternatives');
  await page.keyboard.press('Tab');
  await saved('def pick(alpha, beta, gamma):\n    return gamma\n');
});

test('a bracket that the editor closed is covered', async () => {
  play({ text: 'a, b):' });
  await at('def add█\n');
  await page.keyboard.type('(');
  await shown('a, b:'); // the bracket between them stands there
  await shot('bracket');
  await page.keyboard.press('Tab');
  await saved('def add(a, b):\n');
});

test('a suggestion grows in place while the model writes', async () => {
  play({ text: 'if a:\n        one(a)\n        two(a)\n        three(a)\n        four(a)\n', piece: 4, gap_ms: 40 });
  await at('def run(a):\n    x = 1█\n');
  await page.keyboard.press('Enter');
  await wb.until(async () => /four\(a\)/.test(await wb.ghost(page)), 'the last line');
  await shot('grown');
  const entries = await wb.log(page);
  assert.equal(wb.holes(entries), 0);
  const texts = entries.filter(entry => entry[1] === 'frame' && entry[2]).map(entry => entry[2]);
  assert.ok(texts.length >= 3, `it grew in ${texts.length} steps`);
  await page.keyboard.press('Tab');
  await saved('def run(a):\n    x = 1\n    if a:\n        one(a)\n        two(a)\n        three(a)\n        four(a)\n');
});

test('beside an open popup nothing is shown that does not go on from the selected entry', async () => {
  play({ text: 'WRONG' });
  await at('def area_of(width):\n    return width\n\ndef price():\n    return are█\n');
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row.focused', { timeout: 10000 });
  await wb.sleep(400);
  assert.ok(!/WRONG/.test(await wb.ghost(page)), await wb.ghost(page));
  await shot('popup');
  await page.keyboard.press('Escape');
});

test('a language that is turned off in the menu is quiet at once, and on again at once', async () => {
  play({ text: 'a + b' });
  await at('def add(a, b):\n    return█\n');
  await menu('for python');
  await page.keyboard.type(' ');
  await wb.sleep(500);
  assert.equal(await wb.ghost(page), '');
  await wb.until(async () => /off for python/.test(await wb.status(page)), 'it is said');
  await menu('for python');
  await page.keyboard.press('Backspace');
  await page.keyboard.type(' ');
  await shown('a + b');
});

test('a pause is a pause, and said', async () => {
  play({ text: 'a + b' });
  await command('Kireji: Pause for 10 Minutes');
  await at('def add(a, b):\n    return█\n');
  await page.keyboard.type(' ');
  await wb.sleep(600);
  assert.equal(await wb.ghost(page), '');
  assert.match(await wb.status(page), /paused until/);
  await shot('paused');
  await command('Kireji: Go On');
  await page.keyboard.press('Backspace');
  await page.keyboard.type(' ');
  await shown('a + b');
});

test('an engine that is down is said, and one that is back too', async () => {
  play({ error: 'unreachable' });
  await at('def sub(a, b):\n    return█\n');
  await page.keyboard.type(' ');
  await wb.until(async () => {
    await page.keyboard.type('a');
    await wb.sleep(600);
    await page.keyboard.press('Backspace');
    return /as the script says|does not answer/.test(await wb.status(page));
  }, 'it is said that the engine is down');
  await shot('down');
  play({ text: ' - b' });
  await wb.until(async () => {
    await page.keyboard.press('Backspace');
    await page.keyboard.type('a');
    await wb.sleep(500);
    return /ready/.test(await wb.status(page));
  }, 'ready again', 20000);
});

test('a server that dies is started again', async () => {
  play({ text: 'a * b' });
  process.kill(desk.serverProcess(), 'SIGKILL');
  await wb.until(async () => /starting/.test(await wb.status(page)), 'starting');
  await wb.until(async () => /ready/.test(await wb.status(page)), 'ready', 20000);
  await at('def mul(a, b):\n    return█\n');
  await page.keyboard.type(' ');
  await shown('a * b');
});
