// What lets the server spend idle time well: where the cursor comes to rest, and whether this window has the focus.
import * as vscode from 'vscode';
import type { Server } from './client';

/** Milliseconds after which a cursor rests. */
const REST = 150;

export function tellHints(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  const moved = vscode.window.onDidChangeTextEditorSelection(change => {
    clearTimeout(timer);
    if (change.textEditor !== vscode.window.activeTextEditor) return;
    const { document, selection } = change.textEditor;
    const version = document.version;
    timer = setTimeout(() => {
      // whoever types asks for completions anyway
      if (change.kind !== undefined && document.version === version && selection.isEmpty) {
        server.tell('kireji/cursorMoved', {
          textDocument: { uri: document.uri.toString() },
          position: server.position(selection.active),
        });
      }
    }, REST);
  });
  const focus = vscode.window.onDidChangeWindowState(state => server.tell('kireji/focus', { focused: state.focused }));
  return vscode.Disposable.from(moved, focus, { dispose: () => clearTimeout(timer) });
}
