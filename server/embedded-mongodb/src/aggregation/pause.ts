/** How a stage that holds many documents yields in the middle of its work. */
import type { Doc } from '../bson/document.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import type { Documents } from './stage.ts';

/** The time slice that a stage gets before it yields. */
const SLICE_MS = 10;

/** The clock is read once in this many documents. */
const PER_CLOCK = 64;

/** Gives documents that are there already, with `undefined` where a time slice is used up. */
export function* paced(documents: Iterable<Doc>): Generator<Doc | undefined, void, void> {
  let given = 0;
  let sliceEnd = performance.now() + SLICE_MS;
  for (const doc of documents) {
    if (++given % PER_CLOCK === 0 && performance.now() > sliceEnd) {
      yield undefined;
      sliceEnd = performance.now() + SLICE_MS;
    }
    yield doc;
  }
}

/** Takes all documents of a stream, and yields where that does. */
export function* collect(input: Documents, held: HeldMemory): Generator<undefined, Doc[], void> {
  const documents: Doc[] = [];
  for (const doc of input) {
    if (doc === undefined) yield undefined;
    else {
      held.add(heapSize(doc));
      documents.push(doc);
    }
  }
  return documents;
}
