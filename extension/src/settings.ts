// The client's own settings; those of the server go to it as they are.
import * as vscode from 'vscode';

export const SECTION = 'kireji';

export function setting<T>(name: string, fallback: T, scope?: vscode.ConfigurationScope): T {
  return vscode.workspace.getConfiguration(SECTION, scope ?? null).get<T>(name) ?? fallback;
}

/** Values that are written by a menu go where the user will look for them: the workspace's, else their own. */
export async function write(name: string, value: unknown, target: vscode.ConfigurationTarget): Promise<void> {
  await vscode.workspace.getConfiguration(SECTION).update(name, value, target);
}
