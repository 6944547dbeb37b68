// Tests inside the extension host: `host/suite.js`, each test of it a test here.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { Desk } from './desk.mjs';
import * as wb from './workbench.mjs';

const EXTENSION = path.join(import.meta.dirname, '../../../extension');
const RESULT = path.join(os.tmpdir(), `kireji-host-${process.pid}.json`);

test('in the extension host', { timeout: 180000 }, async context => {
  const desk = new Desk({}, 'cart.py', { KIREJI_RESULT: RESULT });
  try {
    // a built VS Code heeds what its address says of an extension under development only with this
    await desk.editor.start({ options: ['--vscode-option', 'enable-smoke-test-driver'] });
    const remote = file => `vscode-remote://${new URL(desk.editor.address).host}${file}`;
    const payload = [
      ['extensionDevelopmentPath', remote(EXTENSION)],
      ['extensionTestsPath', remote(path.join(import.meta.dirname, 'host/suite'))],
    ];
    desk.page = await desk.editor.page(`&payload=${encodeURIComponent(JSON.stringify(payload))}`);
    const rows = await wb.until(() => fs.existsSync(RESULT) && JSON.parse(fs.readFileSync(RESULT, 'utf8')), 'the suite', 150000);
    assert.ok(rows.length > 5);
    for (const { name, error } of rows) await context.test(name, () => assert.equal(error, ''));
  } finally {
    await desk.stop();
    fs.rmSync(RESULT, { force: true });
  }
});
