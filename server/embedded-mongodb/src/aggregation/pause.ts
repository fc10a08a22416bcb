/** How a stage that holds many documents yields in the middle of its work. */
import type { Doc } from '../bson/document.ts';
import { Pace } from '../limits/pace.ts';

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
