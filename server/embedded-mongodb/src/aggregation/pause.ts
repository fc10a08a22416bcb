/** How a stage that holds many documents yields in the middle of its work. */
import type { Doc } from '../bson/document.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import { Pace } from '../limits/pace.ts';
import type { Documents } from './stage.ts';

/** Gives documents that are there already, with `undefined` where a time slice is used up. */
export function* paced(documents: Iterable<Doc>, pace = new Pace()): Generator<Doc | undefined, void, void> {
  for (const doc of documents) {
    if (pace.isOver(0)) {
      yield undefined;
      pace.goOn();
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
