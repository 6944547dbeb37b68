// What the extension is made of.
import * as vscode from 'vscode';
import { Server } from './client';
import { Ghost } from './ghost';
import { tellHints } from './hints';
import { Quiet } from './quiet';
import { Status } from './status';

const SAMPLE = `from dataclasses import dataclass


@dataclass
class Item:
    name: str
    price: float
    count: int = 1


@dataclass
class Cart:
    items: list[Item]

    def total(self) -> float:
        return sum(item.p
`;
const GREETED = 'kireji.greeted';
let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Kireji', { log: true });
  const quiet = new Quiet(context.workspaceState);
  server = new Server(context, log, document => quiet.why(document) !== undefined);
  const status = new Status(server, quiet, log);
  const ghost = new Ghost(
    server,
    {
      quiet: document => quiet.why(document),
      thinking: is => status.think(is),
      answered: (_, shown) => status.answered(shown),
    },
    context.extension.id,
  );
  const running = server;
  const command = (name: string, act: (...args: any[]) => unknown) => vscode.commands.registerCommand(name, act);
  context.subscriptions.push(
    ...[log, server, quiet, status, ghost, tellHints(server, quiet)],
    command('kireji.menu', () => status.menu()),
    command('kireji.explain', () => status.explain()),
    command('kireji.selectModel', () => status.model()),
    command('kireji.runDoctor', () => status.doctor()),
    command('kireji.showLog', () => log.show()),
    command('kireji.restart', () => running.restart()),
    command('kireji.pause', (minutes = 10) => quiet.pause(minutes)),
    command('kireji.resume', () => quiet.resume()),
    command('kireji.forgetAnswers', () => running.run('kireji.forget')),
    command('kireji.hide', () => ghost.hide()),
    command('kireji.tryIt', () => tryIt()),
    // a suggestion's own command, once it is accepted: the server has it
    command('kireji.ran', (name: string, ...args: unknown[]) => running.run(name, ...args)),
    vscode.workspace.onDidChangeConfiguration(async change => {
      if (change.affectsConfiguration('kireji.serverPath') || change.affectsConfiguration('kireji.pythonPath')) {
        await running.restart();
      }
    }),
  );
  if (!context.globalState.get(GREETED)) {
    await context.globalState.update(GREETED, true);
    void vscode.commands.executeCommand('workbench.action.openWalkthrough', { category: `${context.extension.id}#start` }, false);
  }
  // not awaited: setting up may take a minute, and the editor should not wait for it
  void server.start();
}

/** A file with a line to be completed, and the question asked. */
async function tryIt(): Promise<void> {
  const document = await vscode.workspace.openTextDocument({ language: 'python', content: SAMPLE });
  const editor = await vscode.window.showTextDocument(document);
  const end = document.lineAt(document.lineCount - 2).range.end;
  editor.selection = new vscode.Selection(end, end);
  await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
