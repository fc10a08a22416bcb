import type { Doc } from '../bson/document.ts';
/** The values that a document has under an index: one tuple per index entry, arrays expanded. */
import { MongoError } from '../errors/mongo-error.ts';

export interface DocumentKeys {
  /** One tuple of field values per entry. A missing field is null, an empty array is undefined. */
  tuples: unknown[][];
  /** Per field of the index: whether an array lies on its path in this document. */
  multikey: boolean[];
  /** Per tuple: whether any of its fields is there, without which a sparse index leaves it out. */
  present: boolean[];
}

/** Where the walk along one field's path has come to. */
type Walk = { value: unknown; rest: number; isMissing?: boolean };

/**
 * Expands a document for an index over `paths` (each split at its dots). A path through an array stands for
 * the path through each of its elements; two fields through the same array take the same element.
 * Fails with CannotIndexParallelArrays (171) when two different arrays would have to be multiplied.
 */
export function documentKeys(doc: Doc, paths: readonly (readonly string[])[]): DocumentKeys {
  const keys: DocumentKeys = { tuples: [], multikey: paths.map(() => false), present: [] };
  expand(
    paths.map(() => ({ value: doc, rest: 0 })),
    paths,
    keys,
  );
  return keys;
}

function expand(walks: Walk[], paths: readonly (readonly string[])[], keys: DocumentKeys): void {
  let array: unknown[] | undefined;
  let arrayField = -1;
  const tuple: unknown[] = [];
  const missing: boolean[] = [];
  const stopped: (Walk | undefined)[] = [];
  for (let field = 0; field < walks.length; field++) {
    const walk = walks[field] as Walk;
    if (walk.rest < 0) {
      tuple.push(walk.value);
      missing.push(walk.isMissing === true);
      stopped.push(undefined);
      continue;
    }
    const path = paths[field] as readonly string[];
    const reached = follow(walk, path);
    missing.push(reached === undefined);
    if (reached === undefined) {
      tuple.push(null);
      stopped.push(undefined);
    } else if (Array.isArray(reached.value)) {
      if (array !== undefined && array !== reached.value) {
        const names = `[${path.join('.')}] [${(paths[arrayField] as readonly string[]).join('.')}]`;
        throw new MongoError(171, 'CannotIndexParallelArrays', `cannot index parallel arrays ${names}`);
      }
      array = reached.value;
      if (arrayField < 0) arrayField = field;
      keys.multikey[field] = true;
      tuple.push(undefined);
      stopped.push(reached);
    } else {
      tuple.push(reached.value);
      stopped.push(undefined);
    }
  }
  if (array === undefined) {
    keys.tuples.push(tuple);
    keys.present.push(missing.includes(false));
    return;
  }
  expandArray(array, tuple, missing, stopped, paths, keys);
}

function expandArray(
  array: unknown[],
  tuple: unknown[],
  missing: boolean[],
  stopped: (Walk | undefined)[],
  paths: readonly (readonly string[])[],
  keys: DocumentKeys,
): void {
  const elements = array.length === 0 ? [undefined] : array;
  for (const element of elements) {
    const next = tuple.map((value, field): Walk => {
      const walk = stopped[field];
      if (!walk) return { value, rest: -1, isMissing: missing[field] === true };
      const atEnd = walk.rest === (paths[field] as readonly string[]).length;
      if (atEnd) return { value: element, rest: -1 };
      return isObject(element)
        ? { value: element, rest: walk.rest }
        : { value: null, rest: -1, isMissing: true };
    });
    expand(next, paths, keys);
  }
}

/** Follows a path through objects to its value, or to the first array on it; undefined when it is missing. */
function follow(walk: Walk, path: readonly string[]): Walk | undefined {
  let { value, rest } = walk;
  while (rest < path.length) {
    if (Array.isArray(value)) return { value, rest };
    if (!isObject(value)) return undefined;
    const name = path[rest] as string;
    if (!Object.hasOwn(value, name)) return undefined;
    value = value[name];
    rest++;
  }
  return { value, rest };
}

function isObject(value: unknown): value is Doc {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return false;
  return (value as { _bsontype?: unknown })._bsontype === undefined && !(value instanceof Date);
}
