/** What a hint means: an index by its name or key pattern, or the records in their own order. */
import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { Collection, Index } from '../storage/collection.ts';

/** The direction that a hint asks to read all records in. */
export function naturalHint(hint: unknown): 1 | -1 | undefined {
  if (hint === null || typeof hint !== 'object' || !('$natural' in hint)) return undefined;
  const direction = Number(hint.$natural);
  if (Object.keys(hint).length === 1 && (direction === 1 || direction === -1)) return direction;
  throw new MongoError(2, 'BadValue', '$natural hint cannot be set to a value other than -1 or 1.');
}

/** The index that a hint means. @throws MongoError where it means none, or several */
export function hintedIndex(collection: Collection, hint: unknown): Index {
  const [index, other] = collection.indexes.filter((candidate) => isHinted(candidate, hint));
  if (other) {
    const text = 'Hint matched multiple indexes, must hint by index name';
    throw new MongoError(27, 'IndexNotFound', `${PLANNER_ERROR} ${text}: ${index?.name}, ${other.name}`);
  }
  if (index) return index;
  throw new MongoError(
    2,
    'BadValue',
    `${PLANNER_ERROR} hint provided does not correspond to an existing index`,
  );
}

const PLANNER_ERROR = 'error processing query: planner returned error :: caused by ::';

/** Whether a hint, a name or a key pattern, means this index. */
export function isHinted(index: Pick<Index, 'name' | 'key'>, hint: unknown): boolean {
  return typeof hint === 'string' ? index.name === hint : samePattern(index.key, hint as Doc);
}

/** Whether two key patterns are the same: the same fields in the same order and directions. */
export function samePattern(a: Doc, b: Doc): boolean {
  const left = Object.entries(a);
  const right = Object.entries(b);
  return (
    left.length === right.length &&
    left.every(
      ([path, direction], i) => path === right[i]?.[0] && toNumber(direction) === toNumber(right[i]?.[1]),
    )
  );
}
