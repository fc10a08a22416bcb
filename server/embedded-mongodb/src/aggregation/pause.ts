/** What lets a stage that holds many documents pause in the middle of its work. */
import type { Doc } from '../bson/document.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import type { Documents } from './stage.ts';

/** How long a stage works before it gives a pause. */
const SLICE_MS = 10;

/** How many documents go through between two looks at the clock. */
const PER_CLOCK = 64;

/** Gives documents that are there already, with a pause now and then. */
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

/** Takes all documents of a stream, handing its pauses on. */
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
