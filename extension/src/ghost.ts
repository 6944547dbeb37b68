// Ghost text, and how it grows while the model writes.
//
// VS Code asks no second time for the same place, version and provider. So what has come meanwhile is shown by a NEW
// provider, triggered by name: the text on the screen is replaced in place, without a blank frame. One refresh takes
// about 75 ms, 50 of them VS Code's own pause before it asks; so one at a time, and what comes meanwhile is gathered.
import * as vscode from 'vscode';
import type { Server } from './client';
import { DOCUMENTS } from './client';
import { setting } from './settings';

const INVOKED = 1;
const AUTOMATIC = 2;
const TRIGGER = 'editor.action.inlineSuggest.trigger';
/** Milliseconds after which a question counts as thought about. */
const THINKING = 150;

interface Place {
  line: number;
  character: number;
}

interface Item {
  insertText: string | { value: string };
  range?: { start: Place; end: Place };
  command?: { title: string; command: string; arguments?: unknown[] };
}

interface Grown {
  uri: string;
  version: number;
  position: Place;
  text: string;
  covers?: number;
}

export interface Watch {
  /** Why nothing is asked there; undefined where it is. */
  quiet(document: vscode.TextDocument): string | undefined;
  thinking(is: boolean): void;
  answered(document: vscode.TextDocument, shown: boolean): void;
}

export class Ghost implements vscode.Disposable {
  private registration: vscode.Disposable | undefined;
  private readonly listening: vscode.Disposable;
  private refreshing = false;
  private again = false;
  private asking = 0;
  /** What was told last of how an answer goes on; it may overtake the answer's beginning. */
  private latest: Grown | undefined;
  /** What the last answer can be shown for. */
  private shown: { uri: string; version: number; at: vscode.Position; text: string } | undefined;

  constructor(
    private readonly server: Server,
    private readonly watch: Watch,
    private readonly extensionId: string,
  ) {
    this.listening = server.onNotice(({ method, params }) => {
      if (method === 'kireji/suggestionGrew') this.grew(params as Grown);
    });
    this.register();
  }

  private register(): void {
    const old = this.registration;
    const provider: vscode.InlineCompletionItemProvider = {
      provideInlineCompletionItems: (document, position, context, token) => this.provide(document, position, context, token),
    };
    this.registration = registered(provider, this.server);
    old?.dispose();
  }

  private async provide(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[]> {
    const invoked = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    if (!invoked && this.watch.quiet(document) !== undefined) return [];
    const slow = setTimeout(() => this.watch.thinking(true), THINKING);
    this.asking++;
    try {
      const selected = context.selectedCompletionInfo;
      const answer = await this.server.ask<{ items: Item[] }>(
        'textDocument/inlineCompletion',
        {
          textDocument: { uri: document.uri.toString() },
          position: this.server.position(position),
          context: {
            triggerKind: invoked ? INVOKED : AUTOMATIC,
            ...(selected
              ? {
                  selectedCompletionInfo: {
                    range: { start: this.server.position(selected.range.start), end: this.server.position(selected.range.end) },
                    text: selected.text,
                  },
                }
              : {}),
          },
        },
        token,
      );
      if (token.isCancellationRequested) return [];
      const found = answer?.items ?? [];
      if (found[0]) this.bringUpToDate(found[0], document, position);
      const items = found.map(item);
      this.watch.answered(document, items.length > 0);
      const first = items[0];
      this.shown = first && {
        uri: document.uri.toString(),
        version: document.version,
        at: position,
        text: String(first.insertText),
      };
      return items;
    } finally {
      clearTimeout(slow);
      if (--this.asking === 0) this.watch.thinking(false);
    }
  }

  /** Where more of the answer came before its beginning did. */
  private bringUpToDate(found: Item, document: vscode.TextDocument, position: vscode.Position): void {
    const { latest } = this;
    if (!latest || typeof found.insertText !== 'string' || !found.range || !setting('grow', true)) return;
    const same =
      latest.version === document.version &&
      latest.position.line === position.line &&
      latest.position.character === position.character &&
      vscode.Uri.parse(latest.uri).toString() === document.uri.toString();
    if (same && found.range.start.character === position.character && latest.text.startsWith(found.insertText)) {
      found.insertText = latest.text;
      found.range.end = { line: position.line, character: position.character + (latest.covers ?? 0) };
    }
  }

  /** More of an answer has come. The server knows it by heart, so that asking again is all there is to do. */
  private grew(grown: Grown): void {
    this.latest = grown;
    if (!setting('grow', true)) return;
    const editor = vscode.window.activeTextEditor;
    if (!editor || !this.shown || editor.document.uri.toString() !== this.shown.uri) return;
    if (vscode.Uri.parse(grown.uri).toString() !== editor.document.uri.toString()) return;
    const cursor = editor.selection.active;
    const begin = new vscode.Position(grown.position.line, grown.position.character);
    if (cursor.isBefore(begin)) return;
    const typed = editor.document.getText(new vscode.Range(begin, cursor));
    if (grown.text.startsWith(typed) && grown.text.length > typed.length) void this.refresh();
  }

  /** Taken away by the user: it does not come back by growing. */
  async hide(): Promise<void> {
    this.shown = undefined;
    await vscode.commands.executeCommand('editor.action.inlineSuggest.hide');
  }

  private async refresh(): Promise<void> {
    if (this.refreshing) {
      this.again = true;
      return;
    }
    this.refreshing = true;
    try {
      do {
        this.again = false;
        this.register();
        await vscode.commands.executeCommand(TRIGGER, { providerId: `${this.extensionId.toLowerCase()}:*`, explicit: false });
      } while (this.again);
    } finally {
      this.refreshing = false;
    }
  }

  dispose(): void {
    this.listening.dispose();
    this.registration?.dispose();
  }
}

/** With the events of what becomes of a suggestion where the editor lets us have them, without them elsewhere. */
function registered(provider: vscode.InlineCompletionItemProvider, server: Server): vscode.Disposable {
  if (!isGated) {
    try {
      const rich = {
        ...provider,
        handleDidShowCompletionItem: () => undefined,
        handleDidPartiallyAcceptCompletionItem: () => void server.run('kireji.accepted'),
      };
      const register = vscode.languages.registerInlineCompletionItemProvider as (
        selector: vscode.DocumentSelector,
        provider: vscode.InlineCompletionItemProvider,
        metadata?: object,
      ) => vscode.Disposable;
      return register(SELECTOR, rich, { displayName: 'Kireji', groupId: 'kireji' });
    } catch {
      isGated = true;
    }
  }
  return vscode.languages.registerInlineCompletionItemProvider(SELECTOR, provider);
}

let isGated = false;
const SELECTOR = DOCUMENTS as vscode.DocumentSelector;

function item(found: Item): vscode.InlineCompletionItem {
  const text = typeof found.insertText === 'string' ? found.insertText : new vscode.SnippetString(found.insertText.value);
  const range = found.range && new vscode.Range(found.range.start.line, found.range.start.character, found.range.end.line, found.range.end.character);
  const command = found.command && {
    title: found.command.title,
    command: 'kireji.ran',
    arguments: [found.command.command, ...(found.command.arguments ?? [])],
  };
  return new vscode.InlineCompletionItem(text, range, command);
}
