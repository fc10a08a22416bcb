/** How many bytes indexes take. */
import type { Collection, Index } from './collection.ts';
import type { Environment } from './environment.ts';
import { idPrefix } from './id-key.ts';
import { after } from './key-space.ts';

/** The mean size is taken of at most this many keys. */
const SAMPLE = 1000;

/** The bytes of an index's keys: counted keys of a sampled size. Those of the `_id` index are the records' own. */
export function indexBytes(environment: Environment, collection: Collection, index: Index): number {
  const space = index.id === 0 ? environment.records : environment.entries;
  const start = idPrefix(index.id === 0 ? collection.id : index.id);
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
