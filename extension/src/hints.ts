// What lets the server spend idle time well: where the cursor comes to rest, and whether this window has the focus.
import * as vscode from 'vscode';
import type { Server } from './client';

/** Milliseconds after which a cursor rests. */
const REST = 150;

export function tellHints(server: Server): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  let typed = 0;
  const typing = vscode.workspace.onDidChangeTextDocument(() => {
    typed = Date.now();
    clearTimeout(timer);
  });
  const moved = vscode.window.onDidChangeTextEditorSelection(change => {
    clearTimeout(timer);
    if (change.textEditor !== vscode.window.activeTextEditor) return;
    const { document, selection } = change.textEditor;
    const version = document.version;
    timer = setTimeout(() => {
      // whoever types asks for completions anyway
      if (document.version === version && selection.isEmpty && Date.now() - typed > 2 * REST) {
        server.tell('kireji/cursorMoved', {
          textDocument: { uri: document.uri.toString() },
          position: server.position(selection.active),
        });
      }
    }, REST);
  });
  const focus = vscode.window.onDidChangeWindowState(state => server.tell('kireji/focus', { focused: state.focused }));
  return vscode.Disposable.from(typing, moved, focus, { dispose: () => clearTimeout(timer) });
}
