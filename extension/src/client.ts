// The language client: starts the server, starts it again when it ends, and says so when that does not help.
import * as vscode from 'vscode';
import type { ClientCapabilities, DocumentSelector, DynamicFeature, StaticFeature } from 'vscode-languageclient/node';
import { CloseAction, ErrorAction, LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';
import { Unusable, serverCommand } from './environment';
import { SECTION } from './settings';

/** Seconds before the server is started again, after each time that it ended soon after it had begun. */
const BACK_OFF = [0.5, 2, 5, 15, 30];
/** Milliseconds of life after which a server counts as well. */
const WELL = 60_000;

export const DOCUMENTS: DocumentSelector = [
  ...['file', 'untitled', 'vscode-notebook-cell', 'vscode-remote', 'vscode-vfs', 'vscode-userdata'].map(scheme => ({ scheme })),
];

class Client extends LanguageClient {
  /** Ghost text is ours (ghost.ts): the library would register a second provider, which can't grow. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if ('registrationType' in feature && feature.registrationType.method === 'textDocument/inlineCompletion') {
      super.registerFeature({
        fillClientCapabilities: (capabilities: ClientCapabilities) => {
          (capabilities.textDocument ??= {}).inlineCompletion = {};
          capabilities.experimental = { ...capabilities.experimental, kirejiStatus: true, kirejiGrowth: true };
        },
        initialize: () => undefined,
        getState: () => ({ kind: 'static' }),
        clear: () => undefined,
      });
      return;
    }
    super.registerFeature(feature);
  }
}

export type State = 'starting' | 'running' | 'stopped';

export class Server implements vscode.Disposable {
  private client: Client | undefined;
  private ended = 0;
  private begun = 0;
  /** Of the starts; one that is not the newest any more gives up. */
  private number = 0;
  private changing: Promise<void> = Promise.resolve();
  private readonly states = new vscode.EventEmitter<State>();
  readonly onState = this.states.event;
  private readonly notices = new vscode.EventEmitter<{ method: string; params: unknown }>();
  readonly onNotice = this.notices.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
    private readonly isQuiet: (document: vscode.TextDocument) => boolean,
  ) {}

  get isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** Raises nothing: what goes wrong is shown with what to do about it. */
  private async begin(): Promise<void> {
    const number = ++this.number;
    this.states.fire('starting');
    try {
      const command = await serverCommand(this.context, this.log);
      if (number !== this.number) return;
      const client = new Client(
        SECTION,
        'Kireji',
        { command: command.command, args: command.args },
        {
          documentSelector: DOCUMENTS,
          outputChannel: this.log,
          revealOutputChannelOn: RevealOutputChannelOn.Never,
          initializationOptions: vscode.workspace.getConfiguration(SECTION),
          synchronize: { configurationSection: SECTION },
          middleware: {
            // the popup obeys a pause as ghost text does
            provideCompletionItem: (document, position, context, token, next) =>
              this.isQuiet(document) ? [] : next(document, position, context, token),
          },
          initializationFailedHandler: error => {
            this.log.error(`initialize: ${error}`);
            return false;
          },
          errorHandler: {
            error: () => ({ action: ErrorAction.Continue, handled: true }),
            closed: async () => ({ action: (await this.again(number)) ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
          },
        },
      );
      this.client = client;
      for (const method of ['kireji/status', 'kireji/suggestionGrew']) {
        client.onNotification(method, (params: unknown) => this.notices.fire({ method, params }));
      }
      client.onDidChangeState(change => this.states.fire(change.newState === 2 ? 'running' : change.newState === 3 ? 'starting' : 'stopped'));
      this.begun = Date.now();
      await client.start();
    } catch (error) {
      this.log.error(String(error));
      this.states.fire('stopped');
      const says = error instanceof Unusable ? error.message : `the server does not start (${String(error)}): look into the log.`;
      void this.offer(says);
    }
  }

  /** Whether to start the server anew, once the pause for that is over. */
  private async again(number: number): Promise<boolean> {
    if (number !== this.number) return false;
    this.ended = Date.now() - this.begun > WELL ? 0 : this.ended;
    const pause = BACK_OFF[this.ended++];
    if (pause === undefined) {
      this.states.fire('stopped');
      void this.offer('the server ended again and again: look into the log.');
      return false;
    }
    this.log.warn(`the server ended; it is started again in ${pause} s`);
    this.states.fire('starting');
    await new Promise(resolve => setTimeout(resolve, pause * 1000));
    this.begun = Date.now();
    return number === this.number;
  }

  private async offer(says: string): Promise<void> {
    const again = 'Try again';
    const log = 'Show log';
    const chosen = await vscode.window.showErrorMessage(`Kireji: ${says}`, again, log, 'Settings');
    if (chosen === again) await this.restart();
    if (chosen === log) this.log.show();
    if (chosen === 'Settings') await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:kireji.kireji');
  }

  start(): Promise<void> {
    return this.after(() => this.begin());
  }

  restart(): Promise<void> {
    this.number++; // what is under way gives up
    return this.after(async () => {
      await this.end();
      this.ended = 0;
      await this.begin();
    });
  }

  stop(): Promise<void> {
    this.number++;
    return this.after(() => this.end());
  }

  /** One after the other: two starts at once would be two servers. */
  private after(act: () => Promise<void>): Promise<void> {
    this.changing = this.changing.then(act, act);
    return this.changing;
  }

  private async end(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch(error => this.log.warn(`the server did not stop: ${error}`));
  }

  /** The answer, or nothing where there is no server, or it ended meanwhile. */
  async ask<T>(method: string, params: unknown, token?: vscode.CancellationToken): Promise<T | undefined> {
    const client = this.client;
    if (!client?.isRunning()) return undefined;
    try {
      // a token that is not there would go out as a second parameter
      return await (token ? client.sendRequest<T>(method, params, token) : client.sendRequest<T>(method, params));
    } catch (error) {
      if (!token?.isCancellationRequested) this.log.debug(`${method}: ${error}`);
      return undefined;
    }
  }

  async run<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    return this.ask<T>('workspace/executeCommand', { command, arguments: args });
  }

  tell(method: string, params: unknown): void {
    if (this.client?.isRunning()) {
      this.client.sendNotification(method, params).catch(error => this.log.debug(`${method}: ${error}`));
    }
  }

  position(at: vscode.Position): { line: number; character: number } {
    return { line: at.line, character: at.character };
  }

  dispose(): void {
    void this.stop();
    this.states.dispose();
    this.notices.dispose();
  }
}
