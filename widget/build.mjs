/**
 * Builds the widget: the loader as one classic script, the chat as a module with its rare parts and languages
 * as files of their own, each precompressed, and the module for bundler users. Prints every size and fails
 * over a budget.
 */
import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'vite';
import { compress, sizesOf, sizeTable } from './bench/sizes.mjs';

const root = fileURLToPath(new URL('.', import.meta.url));
const dist = `${root}dist`;
/**
 * How long a replaced file is kept: a page that was open before a deploy may ask for its chat a day later, and its
 * loader may have come from a cache that was a day behind by itself (the loader's stale-while-revalidate).
 */
const KEEP_OLD_MS = 2 * 86_400_000;

/** What all three builds share; vite's own config file and environment play no part. */
const common = {
  root,
  configFile: false,
  envDir: false,
  publicDir: false,
  logLevel: 'warn',
  resolve: { alias: { 'preact/jsx-runtime': `${root}src/view/jsx.ts` } },
  define: {
    'process.env.NODE_ENV': '"production"',
    'window.__PREACT_SIGNALS_DEVTOOLS__': 'false',
    'typeof window': '"object"',
    'typeof requestAnimationFrame': '"function"',
  },
};

/** @returns {import('vite').BuildOptions} */
const output = (outDir, more) => ({
  outDir,
  emptyOutDir: false,
  target: 'es2022',
  cssTarget: 'chrome123',
  minify: true,
  modulePreload: false,
  reportCompressedSize: false,
  ...more,
});

/**
 * Imports each part once it has come: a browser remembers a failed import by its address, and fails it ever after.
 * The further languages do without, since English stands in for them.
 */
const comeFirst = {
  name: 'come-first',
  renderChunk: (code) =>
    code.replace(
      /import\((["'`]\.\/(?!locale).+?["'`])\)/g,
      'fetch(new URL($1,import.meta.url)).then((part)=>part.text()).then(()=>import($1))',
    ),
};

/**
 * What stands in the signals' files and is not wanted here: signals are read by `.value` alone, and never drawn or
 * written as JSON themselves. Without `valueOf` and `toString` the file loads where a page has frozen `Object.prototype`;
 * without the rest it is 300 bytes smaller, gzipped.
 */
const UNUSED = [
  /\w+\.prototype\.(valueOf|toString|toJSON)=function\(\)\{[^}]*\};/g,
  /\w+\.prototype\.subscribe=.*?\{name:"sub"\}\)\};/,
  /\w+\.displayName="ReactiveTextNode";Object\.defineProperties\(.*?__b:\{configurable:!0,value:1\}\}\);/,
];
const signalsByValue = {
  name: 'signals-by-value',
  transform: (code, id) =>
    id.includes('@preact/signals')
      ? UNUSED.reduce((text, pattern) => text.replace(pattern, ''), code)
      : undefined,
};

/** A module with its lazy parts. `lib` is what keeps vite from adding its preloading of chunks, 1.2 kB. */
const module = (outDir, name, entry, entryFileNames, { groups = [], plugins = [] } = {}) =>
  build({
    ...common,
    plugins: [signalsByValue, ...plugins],
    build: output(outDir, {
      lib: { entry: { [name]: `${root}src/${entry}` }, formats: ['es'] },
      rolldownOptions: {
        // Numbers of `shared/src/limits.ts` stand where they are used, and need no import in another part.
        optimization: { inlineConst: { mode: 'all' } },
        // Lazy parts take what they share from the chat itself, not from a further file that both would load.
        preserveEntrySignatures: 'allow-extension',
        output: {
          minify: true,
          comments: false,
          entryFileNames,
          chunkFileNames,
          codeSplitting: { groups: [...groups, { name: 'chat', test: /shell\/index\.tsx$/ }] },
        },
      },
    }),
  });

async function buildChat() {
  const [result] = await module(`${dist}/assets`, 'chat', 'shell/index.tsx', '[name]-[hash:6].js', {
    plugins: [comeFirst],
  });
  return result.output.filter((file) => file.type === 'chunk').map((file) => file.fileName);
}

/** `locale/de.ts` is `locale-de-<hash>.js`; every other part is called as its source file is. */
function chunkFileNames({ facadeModuleId }) {
  return /locale\/\w+\.ts$/.test(facadeModuleId ?? '') ? 'locale-[name]-[hash:6].js' : '[name]-[hash:6].js';
}

async function buildLoader(chatFile) {
  await build({
    ...common,
    define: { ...common.define, __CHAT_FILE__: JSON.stringify(chatFile) },
    build: output(dist, {
      lib: { entry: `${root}src/loader/script.ts`, formats: ['iife'], name: 'loader' },
      rolldownOptions: { output: { entryFileNames: 'loader.js' } },
    }),
  });
}

/** The module for bundler users, with its types, which `npm run check` checks. */
async function buildMount() {
  await rm(`${dist}/mount`, { recursive: true, force: true });
  // What the loader shares with the chat: in the chat's own file the loader would have to fetch all of that.
  const shared = { name: 'warn', test: /platform\/warn\.ts$/, priority: 1 };
  await module(`${dist}/mount`, 'mount', 'mount.ts', '[name].js', { groups: [shared] });
  const tsc = createRequire(import.meta.url)
    .resolve('typescript/package.json')
    .replace('package.json', 'bin/tsc');
  await promisify(execFile)(process.execPath, [tsc, '-b', root, '--noCheck']);
}

/** The names of the last build's hashed files; none before the first. */
async function lastBuild() {
  const manifest = await readFile(`${dist}/manifest.json`, 'utf8').catch(() => '{"files":[]}');
  return JSON.parse(manifest).files.map((name) => name.replace(/^assets\//, ''));
}

/**
 * Removes files of earlier builds once nobody can be waiting for them any more. A file's time of change is when
 * it was replaced, not when it was made: what has been served for months is still asked for tomorrow.
 */
async function sweep(last, current) {
  const plain = (name) => name.replace(/\.(br|gz)$/, '');
  const now = new Date();
  for (const name of await readdir(`${dist}/assets`)) {
    const file = `${dist}/assets/${name}`;
    if (current.includes(plain(name))) continue;
    if (last.includes(plain(name))) await utimes(file, now, now);
    else if (now.getTime() - (await stat(file)).mtimeMs > KEEP_OLD_MS) await rm(file);
  }
}

await mkdir(`${dist}/assets`, { recursive: true });
const last = await lastBuild();
const chunks = await buildChat();
const chat = chunks.find((name) => name.startsWith('chat-'));
await buildLoader(chat);
await buildMount();
await sweep(last, chunks);
const files = ['loader.js', ...chunks.map((name) => `assets/${name}`)];
await Promise.all(files.map((name) => compress(`${dist}/${name}`)));
await writeFile(
  `${dist}/manifest.json`,
  `${JSON.stringify({ loader: 'loader.js', chat, files }, null, 2)}\n`,
);

const { text, over } = sizeTable(await sizesOf(dist));
console.log(text);
if (over.length) {
  console.error(`Over budget: ${over.join(', ')}`);
  process.exitCode = 1;
}
