// How long a key takes to its ghost text, beside a provider that answers at once; and how smoothly text grows.
//
//     tests/editors/vscode/run --latency [OUT]
//
// Milliseconds from the key to the text in the page, in turns with the direct provider in the same editor (in a file of
// another language). Growth: frames a second with new text while the scripted engine writes 30 tokens a second, and blank
// frames between two texts. With OLLAMA_HOST and MODEL set, the same with a real engine at as many places of a file, each
// when the engine has read what it stands in; `none`: places where it had nothing to say within five seconds.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as wb from './workbench.mjs';

const TURNS = Number(process.env.TURNS ?? 25);
const GROWN = Number(process.env.GROWN ?? 40);
const REAL = Number(process.env.REAL ?? 30);
const SCRIPT = path.join(os.tmpdir(), `kireji-latency-${process.pid}.json`);
const WORDS = Array.from({ length: 30 }, (_, number) => ` + v${number}`).join('');
const direct = path.join(os.tmpdir(), `kireji-direct-${process.pid}.vsix`);
const vsce = path.join(import.meta.dirname, '../../../extension/node_modules/.bin/vsce');
execFileSync(vsce, ['package', '--no-dependencies', '--allow-missing-repository', '--skip-license', '-o', direct], {
  cwd: path.join(import.meta.dirname, 'direct'),
  stdio: 'ignore',
});

const play = answer => fs.writeFileSync(SCRIPT, JSON.stringify({ answers: [answer] }));
play({ text: 'alpha + beta' });
const editor = new wb.Editor(
  {
    ...{ 'kireji.serverPath': process.env.KIREJI_SERVER, 'kireji.engine': 'scripted', 'kireji.remember': false },
    ...{ 'kireji.speculate': false, 'kireji.warmUp': false, 'kireji.backOff': false, 'kireji.languages': { plaintext: false } },
    'workbench.editor.enablePreview': false,
  },
  { KIREJI_SCRIPT: SCRIPT, KIREJI_TEST: '1' },
);
editor.file('kireji.py', 'x =\n');
editor.file('direct.txt', 'x =\n');

/** The cursor at the first line's end, nothing shown. */
async function ready(page, name, number) {
  await page.click(`.tab[data-resource-name="${name}"]`);
  await page.keyboard.press('Control+Home');
  await page.keyboard.press('Shift+End');
  await page.keyboard.insertText(`x${number} =`); // as one change: nothing is asked about it for long
  await wb.sleep(250);
  await page.keyboard.press('Escape');
  await wb.sleep(250);
  await wb.reset(page);
}

const SHAPES = ['circle', 'square', 'triangle', 'cube', 'sphere', 'cone', 'cylinder', 'prism', 'ellipse', 'rhombus'];
const PARTS = ['area', 'volume', 'perimeter', 'height'];

async function withRealEngine() {
  const editor = new wb.Editor({
    ...{ 'kireji.serverPath': process.env.KIREJI_SERVER, 'kireji.host': process.env.OLLAMA_HOST, 'kireji.model': process.env.MODEL },
    ...{ 'kireji.engine': 'ollama', 'kireji.remember': false, 'kireji.backOff': false },
  });
  const names = SHAPES.flatMap(shape => PARTS.map(part => `${part}_of_${shape}`)).slice(0, REAL);
  editor.file('shapes.py', `import math\n\n\n${names.map(name => `def ${name}(width, height, depth):\n    return\n`).join('\n\n')}`);
  try {
    await editor.start({ packed: [process.env.KIREJI_VSIX] });
    const page = await editor.page();
    await page.waitForSelector('.tab.active', { timeout: 60000 });
    await wb.until(async () => /ready/.test(await wb.status(page)), 'ready', 60000);
    await wb.command(page, 'View: Close All Editors');
    await wb.open(page, 'shapes.py');
    const times = [];
    for (const [number] of names.entries()) {
      await page.keyboard.press('Control+g');
      await page.waitForSelector('.quick-input-widget input');
      await page.keyboard.type(`${5 + 4 * number}:11`);
      await page.keyboard.press('Enter');
      await page.waitForSelector('.quick-input-widget', { state: 'hidden' });
      await wb.sleep(6000); // what is read while nothing is typed
      await wb.reset(page);
      await page.keyboard.type(' ');
      if (await wb.until(() => wb.ghost(page), 'ghost text', 5000).catch(() => '')) times.push(wb.latency(await wb.log(page)));
      await page.keyboard.press('Escape');
    }
    return { ...summed(times), none: names.length - times.length };
  } finally {
    await editor.stop();
  }
}

const quantile = (values, part) => values.toSorted((one, other) => one - other)[Math.floor(part * values.length)];
const rounded = value => Math.round(value * 10) / 10;
const summed = values => ({ runs: values.length, p50: rounded(quantile(values, 0.5)), p90: rounded(quantile(values, 0.9)) });

try {
  await editor.start({ packed: [process.env.KIREJI_VSIX, direct] });
  const page = await editor.page();
  await page.waitForSelector('.tab.active', { timeout: 60000 });
  await wb.until(async () => /ready/.test(await wb.status(page)), 'ready', 60000);
  await wb.command(page, 'View: Close All Editors');
  for (const name of ['kireji.py', 'direct.txt']) await wb.open(page, name);
  const times = { 'kireji.py': [], 'direct.txt': [] };
  for (let turn = 0; turn < TURNS; turn++) {
    for (const name of turn % 2 ? ['kireji.py', 'direct.txt'] : ['direct.txt', 'kireji.py']) {
      await ready(page, name, turn);
      await page.keyboard.type(' ');
      await wb.until(() => wb.ghost(page), `ghost text in ${name}`);
      times[name].push(wb.latency(await wb.log(page)));
    }
  }
  const growth = [];
  let holes = 0;
  for (let turn = 0; turn < GROWN; turn++) {
    play({ text: `v${WORDS}`, piece: 4, gap_ms: 33 });
    await ready(page, 'kireji.py', 1000 + turn);
    await page.keyboard.type(' ');
    await wb.until(async () => /v29/.test(await wb.ghost(page)), 'all of the text', 20000);
    const entries = await wb.log(page);
    const frames = entries.filter(entry => entry[1] === 'frame' && entry[2]);
    growth.push((frames.length - 1) / ((frames.at(-1)[0] - frames[0][0]) / 1000));
    holes += wb.holes(entries);
  }
  const real = process.env.MODEL && { engine: process.env.MODEL, ...(await withRealEngine()) };
  const found = {
    milliseconds: { kireji: summed(times['kireji.py']), direct: summed(times['direct.txt']) },
    growth: { tokens_a_second: 30, refreshes_a_second: summed(growth), blank_frames: holes },
    ...(real ? { real } : {}),
  };
  console.log(JSON.stringify(found, null, 1));
  if (process.argv[2]) fs.writeFileSync(process.argv[2], `${JSON.stringify(found, null, 1)}\n`);
} finally {
  await editor.stop();
  fs.rmSync(SCRIPT, { force: true });
  fs.rmSync(direct, { force: true });
}
