// Called in the extension host, with the whole API of VS Code; writes what came of each test to KIREJI_RESULT.
const assert = require('node:assert/strict');
const fs = require('node:fs');
const vscode = require('vscode');

const run = (command, ...args) => vscode.commands.executeCommand(command, ...args);
const play = (...answers) => fs.writeFileSync(process.env.KIREJI_SCRIPT, JSON.stringify({ answers }));
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

async function until(found, what, ms = 15000) {
  for (const end = Date.now() + ms; Date.now() < end; await sleep(30)) if (await found()) return;
  const texts = vscode.window.visibleTextEditors.map(editor => editor.document.getText());
  throw new Error(`timeout: ${what}; there are ${JSON.stringify(texts)}`);
}

/** A document with the cursor at its mark █. */
async function at(drawn, language = 'python') {
  const document = await vscode.workspace.openTextDocument({ language, content: drawn.replace('█', '') });
  const editor = await vscode.window.showTextDocument(document);
  const cursor = document.positionAt(drawn.indexOf('█'));
  editor.selection = new vscode.Selection(cursor, cursor);
  return document;
}

/** Accept again and again, until the text is this. */
async function accepted(document, text) {
  await until(async () => {
    await run('editor.action.inlineSuggest.commit');
    return document.getText() === text;
  }, `${JSON.stringify(text)}; it is ${JSON.stringify(document.getText())}`);
}

/** Ask by a command, and take what comes within two seconds; whether the text is this then. */
async function offered(document, text) {
  await run('editor.action.inlineSuggest.trigger');
  for (const end = Date.now() + 2000; Date.now() < end && document.getText() !== text; await sleep(50)) {
    await run('editor.action.inlineSuggest.commit');
  }
  return document.getText() === text;
}

const TESTS = {
  async 'the extension is active, and its server answers'() {
    const extension = vscode.extensions.getExtension('kireji.kireji');
    await extension.activate();
    assert.ok(extension.isActive);
    play({ text: 'a' });
    await until(async () => {
      // the walkthrough of a first start may come in front of it, so each time another
      const document = await at('def first(a, b):\n    return █\n');
      return offered(document, 'def first(a, b):\n    return a\n');
    }, 'the server', 30000);
  },
  async 'every command of the manifest is there, and none that it hides'() {
    const { commands } = vscode.extensions.getExtension('kireji.kireji').packageJSON.contributes;
    const known = await vscode.commands.getCommands(true);
    assert.deepEqual(commands.map(({ command }) => command).filter(command => !known.includes(command)), []);
  },
  async 'every setting has its default'() {
    const { properties } = vscode.extensions.getExtension('kireji.kireji').packageJSON.contributes.configuration;
    for (const [name, { default: value }] of Object.entries(properties)) {
      assert.deepEqual(vscode.workspace.getConfiguration().inspect(name).defaultValue, value, name);
    }
  },
  async 'what is typed is completed and accepted'() {
    play({ text: 'a + b' });
    const document = await at('def add(a, b):\n    return█\n');
    await run('type', { text: ' ' });
    await accepted(document, 'def add(a, b):\n    return a + b\n');
  },
  async 'asked by a command it completes where nothing was typed'() {
    play({ text: 'a + b' });
    const document = await at('def add(a, b):\n    return █\n');
    await run('editor.action.inlineSuggest.trigger');
    await accepted(document, 'def add(a, b):\n    return a + b\n');
  },
  async 'the next word alone is accepted'() {
    play({ text: 'alpha + beta' });
    const document = await at('def add(alpha, beta):\n    return█\n');
    await run('type', { text: ' ' });
    await until(async () => {
      await run('editor.action.inlineSuggest.acceptNextWord');
      return /return alpha\b/.test(document.getText());
    }, 'a word');
    assert.equal(document.getText(), 'def add(alpha, beta):\n    return alpha\n');
  },
  async 'a line alone is accepted'() {
    play({ text: 'if a:\n        return b\n    return a' });
    const document = await at('def pick(a, b):\n   █\n');
    await run('type', { text: ' ' });
    await until(async () => {
      await run('editor.action.inlineSuggest.acceptNextLine');
      return /if a:/.test(document.getText());
    }, 'a line');
    assert.match(document.getText(), /^def pick\(a, b\):\n {4}if a:\n?( {8})?\n$/);
  },
  async 'a growing suggestion that is accepted in the middle goes on'() {
    play({ when: 'x = 1\\n +$', text: 'if a:\n        one(a)\n        two(a)\n        three(a)\n', piece: 4, gap_ms: 60 });
    const document = await at('def run(a):\n    x = 1█\n');
    await run('type', { text: '\n' });
    await accepted(document, 'def run(a):\n    x = 1\n    if a:\n        one(a)\n        two(a)\n        three(a)\n');
  },
  async 'the sample file is completed'() {
    play({ text: 'sum(values) / len(values)' });
    await run('kireji.tryIt');
    const { document } = vscode.window.activeTextEditor;
    const before = document.getText();
    await until(async () => {
      await run('editor.action.inlineSuggest.commit');
      return document.getText() !== before;
    }, 'the sample');
  },
  async 'while paused nothing is offered'() {
    play({ text: 'a + b' });
    await run('kireji.pause', 1);
    const document = await at('def add(a, b):\n    return█\n');
    await run('type', { text: ' ' });
    await sleep(500);
    await run('editor.action.inlineSuggest.commit');
    assert.equal(document.getText(), 'def add(a, b):\n    return \n');
    await run('kireji.resume');
  },
  async 'a restarted server completes'() {
    await run('kireji.restart');
    play({ text: 'b' });
    const document = await at('def second(a, b):\n    return█\n');
    await run('type', { text: ' ' });
    await until(() => offered(document, 'def second(a, b):\n    return b\n'), 'the restarted server');
  },
};

exports.run = async () => {
  const rows = [];
  for (const [name, test] of Object.entries(TESTS)) {
    const begun = Date.now();
    const error = await test().then(() => '', error => String(error?.stack ?? error));
    rows.push({ name, error, ms: Date.now() - begun });
  }
  fs.writeFileSync(`${process.env.KIREJI_RESULT}.new`, JSON.stringify(rows));
  fs.renameSync(`${process.env.KIREJI_RESULT}.new`, process.env.KIREJI_RESULT);
};
