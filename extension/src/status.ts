// What is happening, in the status bar, and a menu from it.
import * as vscode from 'vscode';
import type { Server, State } from './client';
import type { Quiet } from './quiet';
import { setting, write } from './settings';

interface Told {
  state: 'ready' | 'loading' | 'down';
  reason: string;
}

interface ServerState extends Told {
  engine: string;
  model: string;
  last: string;
}

/** Milliseconds of calm before it is asked why nothing is shown. */
const CALM = 300;

export class Status implements vscode.Disposable {
  private readonly bar = vscode.window.createStatusBarItem('kireji.status', vscode.StatusBarAlignment.Right, 100);
  private readonly parts: vscode.Disposable[] = [this.bar];
  private server: State = 'starting';
  private told: Told = { state: 'ready', reason: '' };
  private thinking = false;
  private lastReason = '';
  private asking: NodeJS.Timeout | undefined;

  constructor(
    private readonly running: Server,
    private readonly quiet: Quiet,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.bar.name = 'Kireji';
    this.bar.command = 'kireji.menu';
    this.parts.push(
      running.onState(state => {
        this.server = state;
        if (state !== 'running') this.told = { state: 'ready', reason: '' };
        this.draw();
      }),
      running.onNotice(({ method, params }) => {
        if (method !== 'kireji/status') return;
        this.told = params as Told;
        this.draw();
      }),
      quiet.onChange(() => this.draw()),
      vscode.window.onDidChangeActiveTextEditor(() => this.answered(true)),
      vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration('kireji') && this.draw()),
    );
    this.draw();
    this.bar.show();
  }

  think(is: boolean): void {
    this.thinking = is;
    this.draw();
  }

  /** An answer came. Where nothing is shown, the reason goes into the tooltip. */
  answered(shown: boolean): void {
    clearTimeout(this.asking);
    if (this.lastReason) {
      this.lastReason = '';
      this.draw();
    }
    if (shown) return;
    this.asking = setTimeout(async () => {
      this.lastReason = (await this.running.run<ServerState>('kireji.status'))?.last ?? '';
      this.draw();
    }, CALM);
  }

  private draw(): void {
    const [text, says, warns] = this.words();
    this.bar.text = text;
    const tooltip = new vscode.MarkdownString(`**Kireji**: ${says}`);
    if (this.lastReason && !warns) tooltip.appendMarkdown(`\n\nNothing is shown here: ${this.lastReason}.`);
    tooltip.appendMarkdown('\n\nClick for the menu.');
    this.bar.tooltip = tooltip;
    this.bar.accessibilityInformation = { label: `Kireji: ${says}` };
    this.bar.backgroundColor = warns ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
  }

  private words(): [text: string, says: string, warns: boolean] {
    if (this.server === 'starting') return ['$(loading~spin) Kireji', 'starting', false];
    if (this.server === 'stopped') return ['$(error) Kireji', 'the server is not running', true];
    const document = vscode.window.activeTextEditor?.document;
    const why = document && this.quiet.why(document);
    if (why) return ['$(circle-slash) Kireji', why, false];
    if (this.told.state === 'down') return ['$(warning) Kireji', this.told.reason || 'the engine does not answer', true];
    if (this.told.state === 'loading') return ['$(loading~spin) Kireji', this.told.reason || 'the model is loading', false];
    return this.thinking ? ['$(loading~spin) Kireji', 'thinking', false] : ['$(sparkle) Kireji', 'ready', false];
  }

  async menu(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const state = await this.running.run<ServerState>('kireji.status');
    const items: (vscode.QuickPickItem & { act?: () => unknown })[] = [];
    const group = (label: string) => items.push({ label, kind: vscode.QuickPickItemKind.Separator });
    group(state ? `${state.engine}${state.model ? `, ${state.model}` : ''}` : 'the server is not running');
    if (this.quiet.isPaused) {
      items.push({ label: '$(debug-continue) Go on', act: () => this.quiet.resume() });
    } else {
      for (const [minutes, label] of [[10, '10 minutes'], [60, 'an hour'], [Infinity, 'until the editor restarts']] as const) {
        items.push({ label: `$(debug-pause) Pause for ${label}`.replace('for until', 'until'), act: () => this.quiet.pause(minutes) });
      }
    }
    if (document) {
      const { languageId, uri } = document;
      const turn = (off: boolean) => (off ? '$(circle-slash) Off' : '$(check) On');
      const language = this.quiet.isOn('language', document);
      items.push({ label: `${turn(language)} for ${languageId}`, act: () => this.quiet.language(languageId, !language) });
      const file = this.quiet.isOn('file', document);
      items.push({ label: `${turn(file)} in this file`, act: () => this.quiet.file(uri, !file) });
      const workspace = this.quiet.isOn('workspace', document);
      items.push({ label: `${turn(workspace)} in this workspace`, act: () => this.quiet.workspace(!workspace) });
    }
    group('What is behind it');
    items.push(
      { label: '$(question) Why is nothing shown here?', act: () => this.explain() },
      { label: '$(server) Model ...', act: () => this.model() },
      { label: '$(pulse) Doctor', act: () => this.doctor() },
      { label: '$(output) Log', act: () => this.log.show() },
      { label: '$(settings-gear) Settings', act: () => vscode.commands.executeCommand('workbench.action.openSettings', '@ext:kireji.kireji') },
      { label: '$(debug-restart) Restart the server', act: () => this.running.restart() },
    );
    const chosen = await vscode.window.showQuickPick(items, { title: 'Kireji', placeHolder: this.words()[1] });
    await chosen?.act?.();
  }

  async explain(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const state = await this.running.run<ServerState>('kireji.status');
    const why = (document && this.quiet.why(document)) ?? (state ? (state.reason || state.last) : 'the server is not running');
    const chosen = await vscode.window.showInformationMessage(`Kireji, the last time that it was asked: ${why}.`, 'Ask now', 'Show log');
    if (chosen === 'Ask now') await vscode.commands.executeCommand('editor.action.inlineSuggest.trigger');
    if (chosen === 'Show log') this.log.show();
  }

  async model(): Promise<void> {
    const found = await this.running.run<{ engine: string; models: string[] }>('kireji.models');
    if (!found?.models.length) {
      void vscode.window.showInformationMessage(
        'Kireji: no Ollama answers with a model, so the embedded one completes. With Ollama: `ollama pull qwen2.5-coder:0.5b`.',
      );
      return;
    }
    const present = setting('model', '');
    const best = { label: 'The best that is there', name: '', description: present ? '' : 'now' };
    const others = found.models.map(name => ({ label: name, name, description: name === present ? 'now' : '' }));
    const chosen = await vscode.window.showQuickPick([best, ...others], { title: `Kireji: a model of ${found.engine}` });
    if (chosen) await write('model', chosen.name || undefined, vscode.ConfigurationTarget.Global);
  }

  async doctor(): Promise<void> {
    const says = await this.running.run<string>('kireji.doctor');
    this.log.info(says ?? 'the server is not running');
    this.log.show();
  }

  dispose(): void {
    clearTimeout(this.asking);
    for (const part of this.parts) part.dispose();
  }
}
