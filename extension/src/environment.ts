// The Python in which the server runs: the user's own path, or an environment of this extension's, made on first start
// from the wheel in the package. The user's environments are never touched.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import * as fs from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as vscode from 'vscode';
import { setting } from './settings';

const OLDEST = [3, 11] as const;
const NEWEST = [3, 14] as const;
/** Milliseconds after which an environment that another window makes is no longer waited for. */
const PATIENCE = 10 * 60_000;
const FORTNIGHT = 14 * 24 * 3600_000;
/** Milliseconds for one step of setting up. */
const LONGEST_STEP = 15 * 60_000;
const WINDOWS = process.platform === 'win32';

export interface Command {
  command: string;
  args: string[];
}

/** What went wrong, in words that say what to do about it. */
export class Unusable extends Error {}

export async function serverCommand(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Command> {
  const own = setting('serverPath', '').trim();
  if (own) {
    const command = own.replace(/^~(?=[\\/])/, process.env['HOME'] ?? process.env['USERPROFILE'] ?? '~');
    await fs.access(command).catch(() => {
      throw new Unusable(`there is no file ${command}: set kireji.serverPath to the program \`kireji\`, or to nothing.`);
    });
    return { command, args: ['serve', '--stdio'] };
  }
  const python = await environment(context, log);
  return { command: python, args: ['-P', '-m', 'server', 'serve', '--stdio'] };
}

async function environment(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<string> {
  const wheel = await wheelIn(context);
  const digest = createHash('sha256').update(await fs.readFile(wheel)).digest('hex').slice(0, 12);
  const store = context.globalStorageUri.fsPath;
  const folder = path.join(store, `python-${digest}`);
  const python = path.join(folder, ...(WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python']));
  if (await isReady(folder, python, log)) return python;
  await fs.mkdir(store, { recursive: true });
  return vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: 'Kireji: setting up', cancellable: false },
    async progress => {
      const lock = path.join(store, `python-${digest}.lock`);
      for (const end = Date.now() + PATIENCE; !(await taken(lock)); await sleep(500)) {
        if (await isReady(folder, python, log)) return python;
        if (Date.now() > end) throw new Unusable(`another window has not finished setting up: remove ${lock} and try again.`);
        progress.report({ message: 'another window is at it' });
      }
      try {
        if (!(await isReady(folder, python, log))) await make(folder, python, wheel, progress, log);
        await removeOthers(store, digest);
        return python;
      } finally {
        await fs.rm(lock, { force: true });
      }
    },
  );
}

async function make(
  folder: string,
  python: string,
  wheel: string,
  progress: vscode.Progress<{ message: string }>,
  log: vscode.LogOutputChannel,
): Promise<void> {
  progress.report({ message: 'looking for Python' });
  const found = await findPython(log);
  await fs.rm(folder, { recursive: true, force: true });
  progress.report({ message: 'making a Python environment of its own' });
  const made = await run(found.command, [...found.args, '-m', 'venv', folder], log);
  if (made.code !== 0) {
    throw new Unusable(
      `Python can't make an environment (${made.last}). On Debian or Ubuntu: \`sudo apt install python3-venv\`. Then try again.`,
    );
  }
  progress.report({ message: 'installing the server (about 60 MB)' });
  const wanted = [`kireji[embedded] @ ${pathToFileURL(wheel).href}`];
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--prefer-binary'];
  let installed = await run(python, [...pip, ...wanted], log);
  if (installed.code !== 0) {
    // the embedded engine has no build for every machine; with Ollama one does without
    progress.report({ message: 'installing the server without an engine of its own' });
    installed = await run(python, [...pip, wheel], log);
    if (installed.code === 0) {
      void vscode.window.showWarningMessage('Kireji: its own engine could not be installed (see the log); Ollama is needed to complete.');
    }
  }
  if (installed.code !== 0) {
    throw new Unusable(
      `pip could not install the server (${installed.last}). Look into the log; behind a proxy, set HTTPS_PROXY and restart the editor.`,
    );
  }
  await fs.writeFile(path.join(folder, 'ready'), await versionOf(python, log));
}

async function wheelIn(context: vscode.ExtensionContext): Promise<string> {
  const folder = context.asAbsolutePath('server');
  const names = await fs.readdir(folder).catch((): string[] => []);
  const wheel = names.find(name => name.endsWith('.whl'));
  if (!wheel) throw new Unusable('this package holds no server: install it anew, or set kireji.serverPath.');
  return path.join(folder, wheel);
}

/** Made to its end, and by the Python that it still leads to: an upgrade of the system's leaves an environment behind. */
async function isReady(folder: string, python: string, log: vscode.LogOutputChannel): Promise<boolean> {
  const made = await fs.readFile(path.join(folder, 'ready'), 'utf8').catch(() => '');
  return made !== '' && made === (await versionOf(python, log));
}

async function versionOf(python: string, log: vscode.LogOutputChannel): Promise<string> {
  return (await run(python, ['-c', 'import sys; print(*sys.version_info[:2])'], log)).out.trim();
}

/** The first Python that is new enough and can make environments. */
async function findPython(log: vscode.LogOutputChannel): Promise<Command> {
  const named = setting('pythonPath', '').trim();
  const candidates: Command[] = named
    ? [{ command: named, args: [] }]
    : [
        ...(WINDOWS ? [{ command: 'py', args: ['-3'] }] : []),
        ...['python3', 'python3.13', 'python3.12', 'python3.11', 'python3.14', 'python'].map(command => ({ command, args: [] })),
      ];
  const seen: string[] = [];
  for (const candidate of candidates) {
    const told = await run(candidate.command, [...candidate.args, '-c', 'import sys; print(*sys.version_info[:2])'], log);
    const [major, minor] = told.out.trim().split(' ').map(Number);
    if (told.code !== 0 || major === undefined || minor === undefined) continue;
    if (major === 3 && minor >= OLDEST[1] && minor <= NEWEST[1]) return candidate;
    seen.push(`${candidate.command} is ${major}.${minor}`);
  }
  const wanted = `Python ${OLDEST.join('.')} to ${NEWEST.join('.')}`;
  const why = named ? `${named} is none` : seen.length ? seen.join(', ') : 'none was found';
  throw new Unusable(`${wanted} is needed (${why}): install one, or set kireji.pythonPath or kireji.serverPath.`);
}

interface Ran {
  code: number;
  out: string;
  last: string;
}

function run(command: string, args: string[], log: vscode.LogOutputChannel): Promise<Ran> {
  log.debug(`${command} ${args.join(' ')}`);
  return new Promise(resolve => {
    // outside any project, and without what another environment left in this one
    const { PYTHONPATH: _path, PYTHONHOME: _home, VIRTUAL_ENV: _env, ...env } = process.env;
    execFile(command, args, { env, maxBuffer: 1 << 26, windowsHide: true, timeout: LONGEST_STEP }, (error, out, err) => {
      const lines = (err || (error?.message ?? '')).trim().split('\n');
      if (error) log.info(`${command} ${args.slice(0, 3).join(' ')}: ${lines.join('\n')}`);
      resolve({ code: error ? (typeof error.code === 'number' ? error.code : 1) : 0, out, last: lines.at(-1) ?? '' });
    });
  });
}

/** One window at a time. A lock whose process is gone counts for nothing. */
async function taken(lock: string): Promise<boolean> {
  try {
    await fs.writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await fs.readFile(lock, 'utf8').catch(() => ''));
    const age = Date.now() - (await fs.stat(lock).then(stat => stat.mtimeMs, () => Date.now()));
    if (holder ? !isAlive(holder) : age > 5000) await fs.rm(lock, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Environments of older versions, a fortnight after they were made: another window may still run one. */
async function removeOthers(store: string, digest: string): Promise<void> {
  for (const name of await fs.readdir(store)) {
    if (/^python-[0-9a-f]{12}$/.test(name) && name !== `python-${digest}`) {
      const folder = path.join(store, name);
      const made = await fs.stat(folder).then(stat => stat.mtimeMs, () => 0);
      if (Date.now() - made > FORTNIGHT) await fs.rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

const sleep = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms));
