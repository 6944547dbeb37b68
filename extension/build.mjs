// One file for the editor to load: `npm run build`.
import { build } from 'esbuild';

await build({
  entryPoints: ['src/extension.ts'],
  outfile: 'out/extension.js',
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  external: ['vscode'],
  minify: true,
  sourcemap: 'linked',
  legalComments: 'linked',
});
