/**
 * Builds the console: one page, and files whose names carry a hash of their content, each precompressed; and the script
 * of the pages in the studio's preview.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';
import { compress } from '../widget/bench/sizes.mjs';
import { common, jsx, noZod, root, widgetSettings } from './vite-parts.mjs';

const dist = join(root, 'dist');
const shared = { ...common, define: { 'process.env.NODE_ENV': '"production"' } };

await build({
  ...shared,
  base: '/console/',
  plugins: [noZod, widgetSettings],
  oxc: jsx,
  build: {
    outDir: dist,
    emptyOutDir: true,
    target: 'es2022',
    minify: true,
    // A policy without `data:` shows every picture all the same.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Each file costs a slow phone more than its bytes: what every visit needs is one.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'console', tags: ['$initial'] }] } } },
  },
});

await build({
  ...shared,
  publicDir: false,
  plugins: [noZod],
  build: {
    outDir: join(dist, 'preview'),
    target: 'es2022',
    minify: true,
    reportCompressedSize: false,
    lib: { entry: join(root, 'src/preview/preview.ts'), formats: ['iife'], name: 'preview' },
    rolldownOptions: { output: { entryFileNames: 'preview.js' } },
  },
});

const files = await readdir(dist, { recursive: true, withFileTypes: true });
await Promise.all(
  files
    .filter((file) => file.isFile() && /\.(js|css|html|svg|webmanifest)$/.test(file.name))
    .map((file) => compress(join(file.parentPath, file.name))),
);
