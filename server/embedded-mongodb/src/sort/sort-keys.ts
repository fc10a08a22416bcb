/** The values that a document is sorted by: MongoDB's index key generator, with positions in arrays. */
import type { Doc } from '../bson/document.ts';
import { getField, isDocument, isIndex, MISSING } from '../bson/values.ts';
import { mongoError } from '../errors/mongo-error.ts';

/** What an index on some paths holds for one document. */
export interface SortKeys {
  /** One entry per key, each with one value per path; null for missing, undefined for an empty array. */
  keys: unknown[][];
  /** Whether an array was expanded. */
  isMultikey: boolean;
  /** Whether none of the paths leads to anything: a sparse index leaves such a document out. */
  isMissing: boolean;
}

interface Found {
  value: unknown;
  /** What is left of the path behind an array that stands on it; none when the path is used up. */
  rest: string[];
}

interface Positional {
  found: Found;
  isArray: boolean;
}

/**
 * The keys of a compound index, by the rules of MongoDB's index key generator. Two arrays side by side are
 * error 171, a number that is an array index and a field name at once is error 16746.
 */
export function sortKeys(doc: Doc, paths: string[]): SortKeys {
  const state: SortKeys = { keys: [], isMultikey: false, isMissing: true };
  const rests = paths.map((path) => path.split('.'));
  expand(
    doc,
    paths,
    rests,
    rests.map(() => null),
    rests.map(() => undefined),
    state,
  );
  return state;
}

function expand(
  doc: Doc,
  paths: string[],
  rests: string[][],
  fixed: unknown[],
  positional: (Positional | undefined)[],
  state: SortKeys,
): void {
  const names = [...rests];
  const values = [...fixed];
  let array: unknown[] | undefined;
  let arrayPath = '';
  let mayExpand = true;
  const onArray: number[] = [];
  for (let i = 0; i < names.length; i++) {
    const rest = names[i] as string[];
    if (rest.length === 0) continue;
    const at = positional[i];
    const inObject = getField(doc, rest[0] as string) !== MISSING;
    if (at !== undefined && inObject) throw ambiguous(rest[0] as string);
    const found = at === undefined ? extract(doc, rest) : at.found;
    if (at?.isArray) mayExpand = false;
    if (found.value === MISSING) {
      values[i] = null;
      names[i] = [];
      continue;
    }
    state.isMissing = false;
    names[i] = found.rest;
    if (!Array.isArray(found.value)) {
      values[i] = found.value;
      names[i] = [];
      continue;
    }
    onArray.push(i);
    if (array === undefined) {
      array = found.value;
      arrayPath = paths[i] as string;
    } else if (array !== found.value) {
      throw mongoError(
        171,
        `cannot index parallel arrays [${lastPart(paths[i] as string)}] [${lastPart(arrayPath)}]`,
      );
    }
  }
  if (array === undefined) {
    state.keys.push(values);
    return;
  }
  state.isMultikey = true;
  const elements = array.length === 0 ? [undefined] : array;
  const inside = names.map((rest) => (array.length === 0 ? undefined : positionally(array, rest)));
  for (const element of elements) {
    const next = [...values];
    for (const i of onArray) {
      if ((names[i] as string[]).length === 0) next[i] = mayExpand || array.length === 0 ? element : array;
    }
    expand(isDocument(element) ? element : {}, paths, names, next, inside, state);
  }
}

/** Follows a path through documents up to its end or to the first array on it. */
function extract(doc: Doc, path: string[]): Found {
  let at: Doc = doc;
  for (let i = 0; i < path.length; i++) {
    const value = getField(at, path[i] as string);
    if (Array.isArray(value) || i === path.length - 1) return { value, rest: path.slice(i + 1) };
    if (!isDocument(value)) break;
    at = value;
  }
  return { value: MISSING, rest: [] };
}

function positionally(array: unknown[], rest: string[]): Positional | undefined {
  const part = rest[0];
  if (part === undefined || !isIndex(part) || Number(part) >= array.length) return undefined;
  const element = array[Number(part)];
  if (Array.isArray(element) || rest.length === 1) {
    return { found: { value: element, rest: rest.slice(1) }, isArray: Array.isArray(element) };
  }
  const found = isDocument(element) ? extract(element, rest.slice(1)) : { value: MISSING, rest: [] };
  return { found, isArray: false };
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('.') + 1);
}

function ambiguous(name: string): Error {
  return mongoError(
    16746,
    `Ambiguous field name found in array (do not use numeric field names in embedded elements in an array), field: '${name}' for array`,
  );
}
