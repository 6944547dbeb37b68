// gate.mjs OUT: a proposal of VS Code's API works only where package.json#enabledApiProposals declares it, as in a stable
// VS Code. code-server is built with `isProposedApiEnabled() { return true }`.
import fs from 'node:fs';
import path from 'node:path';

const out = process.argv[2];
const ALWAYS =
  /function ([\w$]+)\(([\w$]+),([\w$]+)\)\{return!0\}(function [\w$]+\([\w$]+,[\w$]+\)\{if\(!\1\([\w$]+,[\w$]+\)\)throw (?:new )?Error\(`Extension ')/g;
let count = 0;
for (const file of [
  'vs/workbench/api/node/extensionHostProcess.js',
  'vs/workbench/api/worker/extensionHostWorkerMain.js',
  'vs/code/browser/workbench/workbench.js',
]) {
  const name = path.join(out, file);
  const gated = fs.readFileSync(name, 'utf8').replace(ALWAYS, (_, is, extension, proposal, rest) => {
    count++;
    const declared = `${extension}.enabledApiProposals`;
    return `function ${is}(${extension},${proposal}){return!!(${declared}&&${declared}.includes(${proposal}))}${rest}`;
  });
  fs.writeFileSync(name, gated);
}
if (count < 2) {
  console.error(`only ${count} places were found: this code-server is built otherwise`);
  process.exit(1);
}
