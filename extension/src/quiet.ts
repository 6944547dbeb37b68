// Where and when the user wants nothing: a pause, a language, a file, a workspace.
import * as vscode from 'vscode';
import { setting, write } from './settings';

const FILES = 'kireji.quietFiles';

export class Quiet implements vscode.Disposable {
  private until = 0;
  private timer: NodeJS.Timeout | undefined;
  private readonly changes = new vscode.EventEmitter<void>();
  readonly onChange = this.changes.event;

  constructor(private readonly memory: vscode.Memento) {}

  /** Why nothing is to be shown in a document; undefined: it is. */
  why(document: vscode.TextDocument): string | undefined {
    if (this.until > Date.now()) {
      return this.until === Infinity ? 'paused' : `paused until ${new Date(this.until).toLocaleTimeString([], { timeStyle: 'short' })}`;
    }
    if (!this.isOn('workspace', document)) return 'off in this workspace or by your settings';
    if (!this.isOn('language', document)) return `off for ${document.languageId}`;
    if (!this.isOn('file', document)) return 'off in this file';
    return undefined;
  }

  isOn(what: 'language' | 'file' | 'workspace', document: vscode.TextDocument): boolean {
    if (what === 'workspace') return setting('enable', true, document);
    if (what === 'file') return !this.files.includes(document.uri.toString());
    const languages = setting<Record<string, boolean>>('languages', {}, document);
    return languages[document.languageId] ?? languages['*'] ?? true;
  }

  get isPaused(): boolean {
    return this.until > Date.now();
  }

  pause(minutes: number): void {
    this.until = Date.now() + minutes * 60_000;
    clearTimeout(this.timer);
    if (Number.isFinite(minutes)) this.timer = setTimeout(() => this.changes.fire(), minutes * 60_000 + 50);
    this.changes.fire();
  }

  resume(): void {
    this.until = 0;
    clearTimeout(this.timer);
    this.changes.fire();
  }

  async language(id: string, on: boolean): Promise<void> {
    const languages = { ...setting<Record<string, boolean>>('languages', {}), [id]: on };
    await write('languages', languages, vscode.ConfigurationTarget.Global);
    this.changes.fire();
  }

  async file(uri: vscode.Uri, on: boolean): Promise<void> {
    const others = this.files.filter(one => one !== uri.toString());
    await this.memory.update(FILES, on ? others : [...others, uri.toString()]);
    this.changes.fire();
  }

  async workspace(on: boolean): Promise<void> {
    const folder = (vscode.workspace.workspaceFolders?.length ?? 0) > 0;
    await write('enable', on, folder ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
    this.changes.fire();
  }

  private get files(): string[] {
    return this.memory.get<string[]>(FILES, []);
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changes.dispose();
  }
}
