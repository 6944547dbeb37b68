// The server that goes into the package: this project's wheel, in `server/`. `npm run wheel`
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';

rmSync('server', { recursive: true, force: true });
rmSync('../build', { recursive: true, force: true }); // else files that are gone would come along
const python = process.env.PYTHON ?? (process.platform === 'win32' ? 'python' : 'python3');
execFileSync(python, ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', 'server', '..'], { stdio: 'inherit' });
console.log(readdirSync('server').join('\n'));
