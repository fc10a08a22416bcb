/** `npm run bench -w @parlor/widget`: every promise about size and speed, measured in one run, in two tables. */
import { fileURLToPath } from 'node:url';
import { buildStale } from '../../scripts/build.mjs';
import { measureLoad } from './load.mjs';
import { measureOpen } from './open.mjs';
import { sizesOf, sizeTable } from './sizes.mjs';
import { openStage } from './stage.mjs';

/** The value below which a share of the samples lies. */
const quantile = (samples, share) => {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};

const number = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** Name, median, the middle half, the worst, and what is promised of the median. */
const table = (rows) =>
  [
    ['', 'median', 'quarter', '3 quarters', 'most', 'promised', 'samples'],
    ...rows.map(({ name, unit, samples, most }) => [
      unit ? `${name} (${unit})` : name,
      ...[0.5, 0.25, 0.75, 1].map((share) => number(quantile(samples, share))),
      most === undefined ? '' : `≤ ${most}${quantile(samples, 0.5) > most ? ', missed' : ''}`,
      String(samples.length),
    ]),
  ]
    .map((cells) => cells.map((cell, at) => (at ? cell.padStart(14) : cell.padEnd(46))).join(''))
    .join('\n');

await buildStale();
const stage = await openStage();
try {
  const rows = [...(await measureLoad(stage)), ...(await measureOpen(stage))];
  console.log(sizeTable(await sizesOf(fileURLToPath(new URL('../dist', import.meta.url)))).text);
  console.log(`\n${table(rows)}`);
} finally {
  await stage.stop();
}
