/** Builds the console: one page, and files whose names carry a hash of their content, each precompressed. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { compress } from '../widget/bench/sizes.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');

/** Checks input on the server, and asks for `new Function`, which the console's policy refuses. */
const noZod = {
  name: 'no-zod',
  /** @param {string} id @param {string} [from] */
  resolveId(id, from) {
    if (id === 'zod') throw new Error(`${from} brings zod into the console: import types only`);
  },
};

await build({
  root,
  base: '/console/',
  configFile: false,
  envDir: false,
  logLevel: 'warn',
  plugins: [noZod],
  define: { 'process.env.NODE_ENV': '"production"' },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    // A policy without `data:` shows every picture all the same.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});

const files = await readdir(dist, { recursive: true, withFileTypes: true });
await Promise.all(
  files
    .filter((file) => file.isFile() && /\.(js|css|html|svg|webmanifest)$/.test(file.name))
    .map((file) => compress(join(file.parentPath, file.name))),
);
