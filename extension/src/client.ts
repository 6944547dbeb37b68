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
  private leaving = false;
  private readonly states = new vscode.EventEmitter<State>();
  readonly onState = this.states.event;
  private readonly notices = new vscode.EventEmitter<{ method: string; params: unknown }>();
  readonly onNotice = this.notices.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {}

  get isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  /** Raises nothing: what goes wrong is shown with what to do about it. */
  async start(): Promise<void> {
    this.leaving = false;
    this.states.fire('starting');
    try {
      const command = await serverCommand(this.context, this.log);
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
          initializationFailedHandler: error => {
            this.log.error(`initialize: ${error}`);
            return false;
          },
          errorHandler: {
            error: () => ({ action: ErrorAction.Continue, handled: true }),
            closed: async () => ({ action: (await this.again()) ? CloseAction.Restart : CloseAction.DoNotRestart, handled: true }),
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
  private async again(): Promise<boolean> {
    if (this.leaving) return false;
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
    return !this.leaving;
  }

  private async offer(says: string): Promise<void> {
    const again = 'Try again';
    const log = 'Show log';
    const chosen = await vscode.window.showErrorMessage(`Kireji: ${says}`, again, log, 'Settings');
    if (chosen === again) await this.restart();
    if (chosen === log) this.log.show();
    if (chosen === 'Settings') await vscode.commands.executeCommand('workbench.action.openSettings', '@ext:kireji.kireji');
  }

  async restart(): Promise<void> {
    await this.stop();
    this.ended = 0;
    await this.start();
  }

  async stop(): Promise<void> {
    this.leaving = true;
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
