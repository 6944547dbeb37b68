const vscode = require('vscode');

exports.activate = context => {
  const provider = {
    provideInlineCompletionItems: (document, position) => [
      { insertText: 'alpha + beta', range: new vscode.Range(position, position) },
    ],
  };
  context.subscriptions.push(vscode.languages.registerInlineCompletionItemProvider('plaintext', provider));
};
