/**
 * Puts the compiled modules of the server together in a few files, `dist/bundle`: to find and read some 550 of them took a
 * quarter of a start. Packages stay as they are, and so does the database's thread.
 */
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = `${root}dist/bundle`;

/** Modules find files by where they stood before. */
const keepPlaces = {
  name: 'keep-places',
  /** @param {string} code @param {string} id */
  transform: (code, id) =>
    code.replaceAll(
      'import.meta.url',
      `new URL(${JSON.stringify(relative(outDir, id))}, import.meta.url).href`,
    ),
};

await build({
  root,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'warn',
  plugins: [keepPlaces],
  ssr: { noExternal: [/^@parlor\//] },
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node20',
    minify: false,
    rollupOptions: {
      input: { main: `${root}dist/main.js`, cli: `${root}dist/cli/main.js` },
      // Places are kept as seen from this folder.
      output: { chunkFileNames: '[name]-[hash].js' },
    },
  },
});
