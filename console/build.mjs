/**
 * Builds the console: one page, and files whose names carry a hash of their content, each precompressed; and the script
 * of the pages in the studio's preview.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NewWidget } from '@parlor/shared';
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

/** What both builds share; vite's own config file and environment play no part. */
const common = {
  root,
  configFile: false,
  envDir: false,
  logLevel: 'warn',
  define: { 'process.env.NODE_ENV': '"production"' },
};

/** The limits and defaults of a widget's settings, by name, from the schema that the server checks them by. */
const widgetSettings = {
  name: 'widget-settings',
  resolveId: (id) => (id === 'virtual:widget-settings' ? `\0${id}` : undefined),
  load(id) {
    if (id !== '\0virtual:widget-settings') return undefined;
    const { $defs } = NewWidget.toJSONSchema({ io: 'input' });
    return `export const LIMITS = ${JSON.stringify($defs.NewWidget.properties)};`;
  },
};

await build({
  ...common,
  base: '/console/',
  plugins: [noZod, widgetSettings],
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
    // Each file costs a slow phone more than its bytes: what every visit needs is one.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: 'console', tags: ['$initial'] }] } } },
  },
});

await build({
  ...common,
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
