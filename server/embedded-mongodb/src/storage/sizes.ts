/** How many bytes the file, collections and indexes take. */
import { after } from './catalog.ts';
import type { Collection, Index } from './collection.ts';
import type { Environment } from './environment.ts';

/** Of so many keys the mean size is taken. */
const SAMPLE = 1000;

/** The bytes of an index's keys: counted keys of a sampled size. Those of the `_id` index are the records' own. */
export function indexBytes(environment: Environment, collection: Collection, index: Index): number {
  const space = index.id === 0 ? environment.records : environment.entries;
  const start = Buffer.alloc(4);
  start.writeUInt32BE(index.id === 0 ? collection.id : index.id);
  const range = { start, end: after(start) };
  let sampled = 0;
  let bytes = 0;
  for (const key of space.getKeys({ ...range, limit: SAMPLE })) {
    sampled++;
    bytes += key.length;
  }
  if (sampled < SAMPLE) return bytes;
  const count = index.id === 0 ? collection.count : space.getKeysCount(range);
  return Math.round((bytes / sampled) * count);
}

interface PageCounts {
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
}

interface Stats extends PageCounts {
  pageSize: number;
  lastPageNumber: number;
  root: PageCounts;
  free: PageCounts;
}

/** The two pages at the file's beginning that say where everything is. */
const META_PAGES = 2;

/** The bytes of the pages in use, and of those that are free: what was deleted stands in them until they are used again. */
export function pageBytes({ root, meta, records, entries }: Environment): { used: number; free: number } {
  const stats = root.getStats() as Stats;
  const trees = [
    stats.root,
    stats.free,
    ...[meta, records, entries].map((space) => space.getStats() as Stats),
  ];
  const pages = trees.map((tree) => tree.treeBranchPageCount + tree.treeLeafPageCount + tree.overflowPages);
  const used = pages.reduce((sum, count) => sum + count, META_PAGES);
  const free = Math.max(0, stats.lastPageNumber + 1 - used);
  return { used: used * stats.pageSize, free: free * stats.pageSize };
}
