// What users of other completions stumbled over, in a real editor: closers, repetitions, keys, popup, settings.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Desk } from './desk.mjs';
import { Ollama } from './ollama.mjs';
import * as wb from './workbench.mjs';

const desk = new Desk();
const { play, at, shown, saved, shot } = desk;
const [first, second] = [new Ollama(), new Ollama()];
let page;

before(async () => {
  for (const name of ['cart.py', 'label.js', 'tab.txt']) desk.editor.file(name, '\n');
  await desk.start();
  ({ page } = desk);
  await desk.ready();
});
after(async () => {
  await desk.stop();
  first.stop();
  second.stop();
});

/** All of the ghost text: it has not grown for a while. */
async function whole(what) {
  await wb.until(() => desk.ghost(), what);
  for (let before; before !== (before = await desk.ghost()); ) await wb.sleep(300);
}

/** Ask at the mark by a key, and take what is offered; `becomes` undefined: nothing is offered. */
async function asked(drawn, says, becomes) {
  play({ text: says });
  await at(drawn);
  await page.keyboard.press('Alt+Backslash');
  if (becomes === undefined) {
    await desk.nothing();
    assert.equal(desk.asked.length > 0, true, 'the model was asked');
    return;
  }
  await whole(`something is offered at ${JSON.stringify(drawn)}`);
  await page.keyboard.press('Tab');
  await saved(becomes);
}

/** The same, asked by typing the last character before the mark. */
async function typed(drawn, says, becomes) {
  play({ text: says });
  const [above, below] = drawn.split('█');
  await at(`${above.slice(0, -1)}█${below}`);
  await page.keyboard.type(above.at(-1));
  await whole(`something is shown at ${JSON.stringify(drawn)}`);
  await page.keyboard.press('Tab');
  await saved(becomes);
}

test('closers that stand behind the cursor are not there twice', { timeout: 120000 }, async () => {
  await typed('def area(█\n', 'width, height):', 'def area(width, height):\n'); // the editor closes the bracket
  await asked('def area(█)\n', 'width, height):', 'def area(width, height):\n');
  await asked('print("█")\n', 'done")', 'print("done")\n');
  await asked('d = {"k": [█]}\n', '1, 2]}', 'd = {"k": [1, 2]}\n');
  await asked('f(g(█))\n', 'x)', 'f(g(x))\n');
  await asked('f(█)\n', 'g(x)', 'f(g(x))\n');
  await asked('h(█)\n', 'x', 'h(x)\n');
  await asked('print(f"{d[█]}")\n', `'k']}")`, `print(f"{d['k']}")\n`);
});

test('lines that stand below are not offered again', { timeout: 60000 }, async () => {
  const load = 'def load(path):\n    with open(path) as fh:\n        █\n        data = fh.read()\n    return data.strip()\n';
  await asked(load, 'data = fh.read()\n    return data.strip()');
  await asked(load, 'fh.seek(0)\n        data = fh.read()\n    return data.strip()', load.replace('█', 'fh.seek(0)'));
  const total = 'def total(xs):\n    s = 0\n    █\n\n    return s\n';
  await asked(total, 'for x in xs:\n        s += x\n    return s', total.replace('█', 'for x in xs:\n        s += x'));
  await asked('a = load(1)\n█\nc = load(3)\n', 'b = load(2)', 'a = load(1)\nb = load(2)\nc = load(3)\n');
});

test('typing on and accepting at once leaves no letter behind', async () => {
  play({ when: 'tota$', text: 'l_sum' }, { text: 'never used', delay_ms: 5000 });
  await at('tot█\n');
  await page.keyboard.type('a');
  await shown('l_sum');
  await page.keyboard.press('l');
  await page.keyboard.press('Tab');
  await saved('total_sum\n');
  play({ when: 'tota$', text: 'l_sum' });
  await at('tot█\n');
  await page.keyboard.type('a');
  await shown('l_sum');
  await page.keyboard.press('x');
  await desk.nothing(100);
  await page.keyboard.press('End');
  await saved('totax\n');
});

test('an answer that comes when the cursor is elsewhere is shown nowhere', async () => {
  play({ when: 'a = $', text: '1', delay_ms: 600 });
  await at('a =█\nb = \n');
  await page.keyboard.type(' ');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('End');
  await desk.nothing(1200);
  await saved('a = \nb = \n');
});

test('word by word the rest stays, over line ends, and the model is asked once', { timeout: 60000 }, async () => {
  const whole = 'if n < 0:\n        raise ValueError(n)\n    return n // 2';
  play({ when: 'half\\(n\\):\\n +$', text: whole }, { text: 'WRONG', delay_ms: 3000 });
  await at('def half(n):\n   █\n');
  await page.keyboard.type(' ');
  await shown(whole);
  await page.keyboard.press('Control+ArrowRight');
  await shown(whole.slice(2));
  await saved('def half(n):\n    if\n');
  let rest = whole.slice(2);
  for (let words = 1; rest && words < 40; words++) {
    await page.keyboard.press('Control+ArrowRight');
    await wb.sleep(60);
    const now = await wb.until(async () => {
      const ghost = await desk.ghost();
      return ghost !== rest && { ghost };
    }, `less than ${JSON.stringify(rest)}`);
    assert.ok(rest.endsWith(now.ghost) || rest.trimEnd().endsWith(now.ghost), `${JSON.stringify(now.ghost)} of ${JSON.stringify(rest)}`);
    rest = now.ghost;
  }
  await saved(`def half(n):\n    ${whole}\n`);
  assert.equal(desk.asked.filter(before => /half\(n\):\n +$/.test(before)).length, 1);
});

test('an accepted word that is undone is offered again, without asking', async () => {
  play({ when: 'return $', text: 'alpha + beta' }, { text: 'WRONG', delay_ms: 3000 });
  await at('def add(alpha, beta):\n    return█\n');
  await page.keyboard.type(' ');
  await shown('alpha + beta');
  await page.keyboard.press('Control+ArrowRight');
  await shown(' + beta');
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Alt+Backslash');
  await wb.until(async () => (await desk.ghost()).startsWith('alpha'), 'the whole again');
  await saved('def add(alpha, beta):\n    return \n');
});

test('Tab indents where the line is not deep enough, and accepts elsewhere', { timeout: 60000 }, async () => {
  play({ text: '        return 1' });
  await at('def f(a):\n    if a:\n █\n    return 0\n');
  await page.keyboard.type(' ');
  await wb.sleep(600);
  await shot('tab-indents');
  await page.keyboard.press('Tab');
  await wb.sleep(100);
  const found = await wb.save(page, desk.editor, desk.file, text => / {4,8}\n/.test(text));
  assert.match(found, /^def f\(a\):\n {4}if a:\n( {4}| {8})\n {4}return 0\n$/);
  await typed('def f(a):\n    if a:\n        █\n    return 0\n', 'return 1', 'def f(a):\n    if a:\n        return 1\n    return 0\n');
  await typed('x = so█\n', 'rted(xs)', 'x = sorted(xs)\n');
  play({ text: '' });
  await at('y = s█\n');
  await page.keyboard.type('o');
  await desk.nothing(400);
  await page.keyboard.press('Escape'); // the popup would take the key
  await page.keyboard.press('Tab');
  assert.match(await wb.save(page, desk.editor, desk.file, text => /so\s+\n/.test(text)), /^y = so( +|\t)\n$/);
});

test('beside the popup the suggestion goes on from the selected entry, or is not there', { timeout: 60000 }, async () => {
  const drawn = 'items_of_cart = []\ncart.ite█\n';
  play({ text: 'ms_of_cart.append(x)' });
  await at(drawn);
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row.focused[aria-label*="items_of_cart"]', { timeout: 10000 });
  await wb.until(async () => /append\(x\)/.test(await desk.ghost()), 'it goes on from the entry');
  await shot('popup-goes-on');
  await page.keyboard.press('Escape');
  play({ text: 'rate()' });
  await at(drawn);
  await page.keyboard.press('Control+Space');
  await page.waitForSelector('.suggest-widget.visible .monaco-list-row.focused[aria-label*="items_of_cart"]', { timeout: 10000 });
  await wb.sleep(700);
  assert.ok(!/rate/.test(await desk.ghost()), await desk.ghost());
  await page.keyboard.press('Escape');
});

test('nothing is asked while text is selected', async () => {
  await at('cart.it█\n');
  await wb.sleep(700);
  play({ text: 'ems' });
  await page.keyboard.press('Shift+Home');
  await wb.sleep(700);
  assert.deepEqual(desk.asked, []);
  assert.equal(await desk.ghost(), '');
});

test('with text behind the cursor one line is offered', { timeout: 60000 }, async () => {
  await desk.use('label.js');
  const label = 'const label = format(█); // shown to the user\nsave(label);\n';
  await asked(label, 'user.name, { upper: true });\nnotify(label', label.replace('█', 'user.name, { upper: true }'));
  await asked("app.get('/', (req, res) => {█});\n", "\n  res.send('ok');\n", "app.get('/', (req, res) => {\n  res.send('ok');});\n");
});

test('settings act at once, and a wrong one changes nothing', { timeout: 120000 }, async () => {
  await desk.use('cart.py');
  let number = 0;
  /** Where the next completion arrives, and the model that it asks for. */
  async function arrives(...wanted) {
    let found;
    for (const end = Date.now() + 20000; Date.now() < end && String(found) !== String(wanted); ) found = await next(1500);
    assert.deepEqual(found, wanted);
  }
  /** The same of one completion; undefined where nobody was asked. */
  async function next(ms) {
    const counts = [first, second].map(one => one.asked.length);
    await desk.at(`value_${++number} =█\n`);
    await page.keyboard.type(' ');
    for (const end = Date.now() + ms; Date.now() < end; await wb.sleep(20)) {
      if (first.asked.length > counts[0]) return [1, first.asked.at(-1)];
      if (second.asked.length > counts[1]) return [2, second.asked.at(-1)];
    }
    return undefined;
  }
  await first.start();
  await second.start();
  await desk.configure({ 'kireji.engine': 'ollama' });
  await desk.configure({ 'kireji.host': first.host, 'kireji.model': 'a:1b' }, 'Remote');
  await wb.until(async () => /ready/.test(await wb.status(page)), 'ready');
  await arrives(1, 'a:1b');
  await desk.configure({ 'kireji.host': first.host, 'kireji.model': 'b:1b' }, 'Remote');
  await arrives(1, 'b:1b');
  await desk.configure({ 'kireji.host': second.host, 'kireji.model': 'b:1b' }, 'Remote');
  await arrives(2, 'b:1b');
  await desk.configure({ 'kireji.engine': 'ollama', 'kireji.enable': false });
  assert.equal(await next(1000), undefined);
  assert.equal(await desk.ghost(), '');
  await desk.configure({ 'kireji.engine': 'ollama', 'kireji.enable': true });
  await arrives(2, 'b:1b');
  await desk.configure({ 'kireji.engine': 'ollama', 'kireji.showDelay': 'soon' });
  await page.waitForSelector('.notification-toast:has-text("showDelay")');
  await shot('wrong-setting');
  await arrives(2, 'b:1b');
  await desk.configure({ 'kireji.engine': 'scripted' }); // what is taken out has its default again
  play({ text: '42' });
  await at('answer =█\n');
  await page.keyboard.type(' ');
  await shown('42');
});
