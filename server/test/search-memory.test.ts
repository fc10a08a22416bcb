import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { encodeLines, lineKey } from '../src/features/search/lines.ts';
import { startWithHeap } from './small-heap.ts';

const HEAP_MIB = 128;

/** Each as long as a segment may be: two bytes a character in memory. */
const WORDS = ['needle', '\u{20000}'.repeat(128 * 1_024)];

/** More than the heap may have, where four searches hold all of it at once. */
const SEGMENTS_OF_KIND = 40;

it('searches of what is yet to be sealed hold a little of it at a time', { timeout: 240_000 }, async () => {
  const { account, collection, rest } = await startWithHeap(HEAP_MIB);
  const made_at = new Date();
  const segments = collection('searchsegments');
  for (const kind of ['message', 'note', 'conversation']) {
    for (let n = 0; n < SEGMENTS_OF_KIND; n++) {
      const key = lineKey(new Date(n), randomUUID());
      const encoded = encodeLines([{ key, widget: '', subjects: [randomUUID()], words: WORDS }]);
      const segment = { account, kind, is_fresh: true, made_at, from: key, version: 1, ...encoded };
      await segments.insertOne({ _id: randomUUID(), ...segment } as never);
    }
  }
  const search = async () => (await rest('GET', '/api/v1/search/?q=needle')).status;
  const all = await Promise.all(Array.from({ length: 12 }, search));
  expect(all).toEqual(Array(12).fill(200));
});
