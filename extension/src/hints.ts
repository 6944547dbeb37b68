// What lets the server spend idle time well: where the cursor comes to rest, whether this window has the focus, and when
// the user wants nothing.
import * as vscode from 'vscode';
import type { Server } from './client';
import type { Quiet } from './quiet';

/** Milliseconds after which a cursor rests. */
const REST = 150;

export function tellHints(server: Server, quiet: Quiet): vscode.Disposable {
  let timer: NodeJS.Timeout | undefined;
  let typed = 0;
  const typing = vscode.workspace.onDidChangeTextDocument(() => {
    typed = Date.now();
    clearTimeout(timer);
  });
  const moved = vscode.window.onDidChangeTextEditorSelection(change => {
    clearTimeout(timer);
    if (change.textEditor !== vscode.window.activeTextEditor || quiet.why(change.textEditor.document)) return;
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
  const off = quiet.onChange(() => {
    const document = vscode.window.activeTextEditor?.document;
    if (document && quiet.why(document)) server.tell('kireji/quiet', {});
  });
  return vscode.Disposable.from(typing, moved, focus, off, { dispose: () => clearTimeout(timer) });
}
