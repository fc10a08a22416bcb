/**
 * The sizes of the built widget, and its budgets. `npm run bench -w @parlor/widget` prints them; the build
 * prints them too and fails over a budget.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** Gzipped bytes: what a page view pays for, what a visitor has loaded when the first message can be typed,
 *  and what each further language adds. */
export const BUDGET = { loader: 2_048, open: 18_432, locale: 1_200 };

const gz = (data) => promisify(gzip)(data, { level: 9 });
const br = (data) =>
  promisify(brotliCompress)(data, {
    params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
  });

/** Writes `<file>.gz` and `<file>.br` beside a file, so that the server compresses nothing. */
export async function compress(file) {
  const data = await readFile(file);
  await Promise.all([
    gz(data).then((out) => writeFile(`${file}.gz`, out)),
    br(data).then((out) => writeFile(`${file}.br`, out)),
  ]);
}

/** @returns the sizes of every file that the manifest in `dist` names */
export async function sizesOf(dist) {
  const manifest = JSON.parse(await readFile(`${dist}/manifest.json`, 'utf8'));
  return Promise.all(
    manifest.files.map(async (name) => {
      const data = await readFile(`${dist}/${name}`);
      const kind =
        name === manifest.loader
          ? 'loader'
          : name.endsWith(manifest.chat)
            ? 'chat'
            : (/(locale|form)-/.exec(name)?.[1] ?? 'rare');
      return { name, kind, raw: data.length, gzip: (await gz(data)).length, brotli: (await br(data)).length };
    }),
  );
}

/** The sizes as a table, and what is over its budget. */
export function sizeTable(sizes) {
  const total = (kinds) =>
    sizes
      .filter(({ kind }) => kinds.includes(kind))
      .reduce(
        (sum, size) => ({
          raw: sum.raw + size.raw,
          gzip: sum.gzip + size.gzip,
          brotli: sum.brotli + size.brotli,
        }),
        {
          raw: 0,
          gzip: 0,
          brotli: 0,
        },
      );
  const rows = [
    ...sizes.map((size) => ({ ...size, budget: BUDGET[size.kind] })),
    { name: 'loader and open chat', ...total(['loader', 'chat']), budget: BUDGET.open },
    { name: 'the same with a form', ...total(['loader', 'chat', 'form']), budget: BUDGET.open },
  ];
  const line = (cells) =>
    cells.map((cell, index) => (index ? String(cell).padStart(8) : String(cell).padEnd(34))).join('');
  return {
    text: [
      line(['file (bytes)', 'raw', 'gzip', 'brotli', 'budget']),
      ...rows.map(({ name, raw, gzip, brotli, budget }) => line([name, raw, gzip, brotli, budget ?? ''])),
    ].join('\n'),
    over: rows
      .filter(({ gzip, budget }) => budget && gzip > budget)
      .map(({ name, gzip, budget }) => `${name} (${gzip} > ${budget})`),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { text, over } = sizeTable(await sizesOf(fileURLToPath(new URL('../dist', import.meta.url))));
  console.log(text);
  process.exitCode = over.length ? 1 : 0;
}
