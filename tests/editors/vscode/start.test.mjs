// The first start as a user has it: the packed extension makes its own Python environment, and completes.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import * as wb from './workbench.mjs';

const SCRIPT = path.join(os.tmpdir(), `kireji-first-${process.pid}.json`);
const SHOTS = process.env.KIREJI_SHOTS;
const editors = [];
const shot = (page, name) => SHOTS && page.screenshot({ path: path.join(SHOTS, `${name}.png`) });

async function started(settings) {
  fs.writeFileSync(SCRIPT, JSON.stringify({ answers: [{ text: 'a + b' }] }));
  const editor = new wb.Editor({ 'kireji.engine': 'scripted', 'kireji.remember': false, ...settings }, { KIREJI_SCRIPT: SCRIPT, KIREJI_TEST: '1' });
  editors.push(editor);
  editor.file('add.py', 'def add(a, b):\n    return \n');
  await editor.start({ packed: [process.env.KIREJI_VSIX] });
  return [editor, await editor.page()];
}

after(async () => {
  for (const editor of editors) await editor.stop();
  fs.rmSync(SCRIPT, { force: true });
});

test('the extension makes an environment of its own and completes', { timeout: 240000 }, async () => {
  const [editor, page] = await started({});
  await page.waitForSelector('.notification-toast [aria-label*="setting up"], .notification-toast', { timeout: 60000 }).catch(() => undefined);
  await shot(page, 'first-start');
  await wb.command(page, 'View: Close All Editors');
  await wb.open(page, 'add.py'); // before there is a server
  await wb.until(async () => /ready/.test(await wb.status(page)), 'ready', 200000);
  await page.keyboard.press('Control+End');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('End');
  await page.keyboard.press('Backspace');
  await page.keyboard.type(' ');
  await wb.until(async () => (await wb.ghost(page)) === 'a + b', 'ghost text');
  await page.keyboard.press('Tab');
  await wb.save(page, editor, 'add.py', text => text === 'def add(a, b):\n    return a + b\n');
  const store = path.join(editor.user, 'User/globalStorage/kireji.kireji');
  assert.equal(fs.readdirSync(store).filter(name => /^python-[0-9a-f]{12}$/.test(name)).length, 1);
});

test('a server path that leads nowhere is said with what to do about it', { timeout: 90000 }, async () => {
  const [, page] = await started({ 'kireji.serverPath': '/nowhere/kireji' });
  const toast = await page.waitForSelector('.notification-toast:has-text("there is no file /nowhere/kireji")', { timeout: 60000 });
  assert.match(await toast.innerText(), /set kireji\.serverPath/);
  assert.match(await wb.status(page), /not running/);
  await shot(page, 'no-server');
});
