// What a user does in a file of a real editor, with the scripted engine behind it.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import * as wb from './workbench.mjs';

const SHOTS = process.env.KIREJI_SHOTS;
let desks = 0;

export class Desk {
  /** `settings` beside those that keep the engine from working by itself. */
  constructor(settings = {}, file = 'cart.py', environment = {}) {
    this.file = file;
    this.script = path.join(os.tmpdir(), `kireji-script-${process.pid}-${++desks}.json`);
    this.log = `${this.script}.log`;
    this.editor = new wb.Editor(
      {
        ...{ 'kireji.serverPath': process.env.KIREJI_SERVER, 'kireji.engine': 'scripted', 'kireji.remember': false, 'kireji.speculate': false },
        ...settings,
      },
      { KIREJI_SCRIPT: this.script, KIREJI_TEST: '1', ...environment },
    );
    for (const name of ['play', 'at', 'menu', 'command', 'shown', 'saved', 'shot']) this[name] = this[name].bind(this);
    this.play({ text: '1' });
  }

  /** An editor with the folder open. */
  async start() {
    await this.editor.start({ packed: [process.env.KIREJI_VSIX] });
    this.page = await this.editor.page();
    this.page.on('pageerror', error => console.log('in the page:', error.message.slice(0, 200)));
  }

  /** The file open, the server ready. */
  async ready() {
    await this.page.waitForSelector('.tab.active', { timeout: 60000 });
    await this.command('View: Close All Editors');
    await wb.open(this.page, this.file);
    await wb.until(async () => /ready/.test(await wb.status(this.page)), 'ready', 60000);
  }

  async stop() {
    await this.shot('last');
    await this.editor.stop();
    for (const name of [this.script, this.log]) fs.rmSync(name, { force: true });
  }

  play(...answers) {
    fs.rmSync(this.log, { force: true });
    fs.writeFileSync(`${this.script}.new`, JSON.stringify({ answers, log: this.log }));
    fs.renameSync(`${this.script}.new`, this.script);
  }

  /** What the engine was asked since `play`: the text before the cursor each time. */
  get asked() {
    if (!fs.existsSync(this.log)) return [];
    const events = fs.readFileSync(this.log, 'utf8').split('\n').filter(Boolean).map(line => JSON.parse(line));
    return events.filter(event => event.event === 'open').map(event => event.before);
  }

  /** A new text in the open file, and the cursor at its mark █. */
  async at(drawn) {
    await this.page.keyboard.press('Escape');
    this.editor.file(this.file, drawn.replace('█', ''));
    await this.command('File: Revert File');
    await this.go(drawn);
    await wb.reset(this.page);
  }

  async go(drawn) {
    const above = drawn.split('█')[0].split('\n');
    await this.page.keyboard.press('Control+g');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(`${above.length}:${above.at(-1).length + 1}`);
    await this.page.keyboard.press('Enter');
    await wb.sleep(100);
    await this.page.keyboard.press('Escape');
  }

  /** Another file of the folder, from now on. */
  async use(name, text = '\n') {
    this.file = name;
    this.editor.file(name, text);
    await wb.open(this.page, name);
  }

  /** Settings as one writes them: `where` is User or Remote. */
  async configure(values, where = 'User') {
    const [folder, before] = where === 'User' ? ['User', this.editor.settings] : ['Machine', this.editor.machine];
    const text = JSON.stringify({ ...before, ...values }, null, 1);
    const file = path.join(this.editor.user, folder, 'settings.json');
    await this.command(`Preferences: Open ${where} Settings (JSON)`);
    await this.page.waitForSelector('.tab.active[aria-label*="settings.json"]');
    await this.page.evaluate(text => navigator.clipboard.writeText(text), text);
    await wb.until(async () => {
      await this.page.click('.editor-group-container.active .view-lines');
      await this.page.keyboard.press('Control+a');
      await this.page.keyboard.press('Control+v');
      await this.page.keyboard.press('Control+s');
      await wb.sleep(300);
      return fs.readFileSync(file, 'utf8') === text;
    }, 'the settings are saved');
    await this.command('View: Close Editor');
    await this.page.click('.monaco-editor .view-lines');
  }

  command(title) {
    return wb.command(this.page, title);
  }

  /** An entry of the status item's menu. */
  async menu(entry) {
    await this.command('Kireji: Menu');
    await this.page.waitForSelector('.quick-input-list .monaco-list-row[aria-label*="Pause"]');
    await this.shot('menu');
    await this.page.keyboard.type(entry);
    await wb.sleep(200);
    await this.page.keyboard.press('Enter');
    await wb.sleep(400);
  }

  async shot(name) {
    if (SHOTS) await this.page?.screenshot({ path: path.join(SHOTS, `${name}.png`) });
  }

  ghost() {
    return wb.ghost(this.page);
  }

  async shown(text, ms) {
    try {
      await wb.until(async () => (await this.ghost()) === text, `ghost text ${JSON.stringify(text)}`, ms);
    } catch (error) {
      await this.shot('failed');
      throw new Error(`${error.message}; it is ${JSON.stringify(await this.ghost())}`);
    }
  }

  /** Nothing is shown, and nothing comes. */
  async nothing(ms = 700) {
    await wb.sleep(ms);
    const text = await this.ghost();
    if (text) throw new Error(`there is ghost text: ${JSON.stringify(text)}`);
  }

  saved(text, name = this.file) {
    return wb.save(this.page, this.editor, name, found => found === text);
  }

  /** The server's process: among the machine's, the one that knows our script. */
  serverProcess() {
    for (const name of fs.readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
      try {
        const [command, environment] = ['cmdline', 'environ'].map(file => fs.readFileSync(`/proc/${name}/${file}`, 'utf8').split('\0'));
        if (command.includes('serve') && environment.includes(`KIREJI_SCRIPT=${this.script}`)) return Number(name);
      } catch {
        // it is gone, or not ours to look into
      }
    }
    throw new Error('the server does not run');
  }
}
