// Documents of every kind in a real editor: notebooks, several cursors, untitled, read-only, outside, large; two windows.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Desk } from './desk.mjs';
import * as wb from './workbench.mjs';

const desk = new Desk({ 'notebook.cellToolbarLocation': { default: 'hidden' } });
const { play, at, shown, saved, shot } = desk;
const LARGE = 'large.py';
let page;

const cell = (kind, text) => ({ cell_type: kind, metadata: {}, source: text.split(/(?<=\n)/), ...(kind === 'code' ? { execution_count: null, outputs: [] } : {}) });

before(async () => {
  desk.editor.file('cart.py', '\n');
  await desk.start();
  ({ page } = desk);
  await desk.ready();
});
after(() => desk.stop());

test('a cell of a notebook is completed with what the cells above it define', { timeout: 90000 }, async () => {
  const cells = [cell('code', 'alpha_71 = 1\nbeta_72 = 2'), cell('markdown', '## Output'), cell('code', '# print both\nprint'), cell('code', 'gamma_73 = 3')];
  const metadata = { language_info: { name: 'python' } };
  desk.editor.file('nb.ipynb', JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1));
  await page.waitForSelector('.monaco-list-row[aria-label*="nb.ipynb"]', { timeout: 60000 });
  await page.dblclick('.monaco-list-row[aria-label*="nb.ipynb"]');
  const line = page.locator('.notebookOverlay .monaco-editor .view-line', { hasText: /^print$/ });
  await line.waitFor({ timeout: 60000 });
  await line.click();
  await wb.watch(page);
  await page.keyboard.press('End');
  play({ text: 'alpha_71, beta_72)' });
  await page.keyboard.type('(');
  await shown('alpha_71, beta_72');
  await shot('notebook');
  const before = desk.asked.at(-1);
  assert.match(before, /(^|\n)alpha_71 = 1\nbeta_72 = 2\n# ## Output\n# print both\nprint\($/);
  await page.keyboard.press('Tab');
  await wb.save(page, desk.editor, 'nb.ipynb', text => /print\(alpha_71, beta_72\)"/.test(text));
  await desk.command('View: Close Editor');
});

test('several cursors take what the first is offered', async () => {
  await desk.use('cart.py');
  play({ text: '1' });
  await at('a =█\nb =\n');
  await desk.command('Add Cursor Below');
  await page.keyboard.press('End');
  await page.keyboard.type(' ');
  await wb.until(() => desk.ghost(), 'ghost text');
  await shot('cursors');
  await page.keyboard.press('Tab');
  await saved('a = 1\nb = 1\n');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
});

test('an untitled document is completed', async () => {
  play({ text: 'world' });
  await desk.command('File: New Untitled Text File');
  await page.waitForSelector('.tab.active[data-resource-name^="Untitled"]');
  await page.keyboard.type('hello ');
  await shown('world');
  await shot('untitled');
  await page.keyboard.press('Tab');
  await wb.until(async () => /hello.world/.test(await page.locator('.editor-group-container.active .view-line').first().innerText()), 'it is taken');
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await desk.command('View: Close Editor');
});

test('a file outside the workspace is completed', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'kireji-outside-'));
  fs.writeFileSync(path.join(folder, 'outside.py'), 'x =\n');
  play({ text: '71' });
  await desk.command('File: Open File...');
  await page.waitForSelector('.quick-input-widget input');
  await wb.sleep(1000); // it lists the folder first
  await page.keyboard.press('Control+a');
  await page.keyboard.type(path.join(folder, 'outside.py'), { delay: 20 });
  await wb.sleep(1000);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.tab.active[data-resource-name="outside.py"]');
  await page.click('.editor-group-container.active .view-lines');
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('End');
  await page.keyboard.type(' ');
  await shown('71');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+s');
  await wb.until(() => fs.readFileSync(path.join(folder, 'outside.py'), 'utf8') === 'x = 71\n', 'saved');
  await desk.command('View: Close Editor');
  fs.rmSync(folder, { recursive: true });
});

test('in a read-only editor nothing is asked', async () => {
  await desk.use('cart.py');
  await at('x = █\n');
  await wb.sleep(700);
  play({ text: '1' });
  await desk.command('File: Set Active Editor Read-only in Session');
  await page.click('.editor-group-container.active .view-lines');
  await page.keyboard.type('1');
  await page.keyboard.press('Alt+Backslash');
  await desk.nothing();
  assert.deepEqual(desk.asked, []);
  await desk.command('File: Set Active Editor Writeable in Session');
});

test('5 MB are completed, and typed in without waiting', { timeout: 120000 }, async () => {
  const says = '# the area of a shape of that width and that height, in the unit of both, squared; nothing is checked';
  const block = number => `def area_${number}(width, height):\n    ${says}\n    return width * height\n\n\n`;
  const text = Array.from({ length: 32000 }, (_, number) => block(number)).join(''); // VS Code gives up at 300,000 lines
  assert.ok(text.length > 5e6);
  await desk.use(LARGE, text);
  await wb.sleep(3000);
  play({ text: 'a + b' });
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await page.keyboard.type('return ', { delay: 30 });
  await shown('a + b', 30000);
  await wb.reset(page);
  await page.keyboard.type('a + ', { delay: 30 });
  await shown('b');
  assert.equal(wb.holes(await wb.log(page)), 0);
  await shot('large');
  await page.keyboard.press('Escape');
  await desk.command('File: Revert File');
  await desk.command('View: Close Editor');
});

test('a server that dies while it is asked is started again, and nothing is lost', { timeout: 60000 }, async () => {
  await desk.use('cart.py');
  play({ text: 'a * b', delay_ms: 60000 });
  await at('def mul(a, b):\n    return█\n');
  await page.keyboard.type(' ');
  await wb.until(() => desk.asked.length > 0, 'it is asked');
  process.kill(desk.serverProcess(), 'SIGKILL');
  play({ text: 'a * b' });
  await wb.until(async () => /starting/.test(await wb.status(page)), 'starting');
  await wb.until(async () => /ready/.test(await wb.status(page)), 'ready', 20000);
  await page.keyboard.press('Backspace');
  await page.keyboard.type(' ');
  await shown('a * b');
  await page.keyboard.press('Tab');
  await saved('def mul(a, b):\n    return a * b\n');
});

test('two windows on one workspace complete, each for itself', { timeout: 90000 }, async () => {
  desk.editor.file('other.py', 'y =\n');
  const other = await desk.editor.page();
  await wb.until(async () => /ready/.test(await wb.status(other)), 'ready', 60000);
  await wb.open(other, 'other.py');
  play({ when: 'y = $', text: '2' }, { when: 'x = $', text: '1' });
  await other.keyboard.press('Control+Home');
  await other.keyboard.press('End');
  await other.keyboard.type(' ');
  await wb.until(async () => (await wb.ghost(other)) === '2', 'in the second window');
  await other.keyboard.press('Tab');
  await wb.save(other, desk.editor, 'other.py', text => text === 'y = 2\n');
  await page.bringToFront();
  await at('x =█\n');
  await page.keyboard.type(' ');
  await shown('1');
  await other.context().close();
});
