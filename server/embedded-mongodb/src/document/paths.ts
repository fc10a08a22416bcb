import { type Doc, mongoError } from './errors.ts';
import { getField, isDocument, isIndex, MISSING } from './values.ts';

/** Told each value that a path leads to, with the index of the outermost array it went through by itself. */
export type Visitor = (value: unknown, position: number | undefined) => boolean;

/**
 * Gives a path's values to `visit` in the order in which MongoDB's queries look at them, until it returns true:
 * through arrays on the way, to a last array's elements (when `intoLast`) and then to that array itself.
 * A path that leads nowhere gives `MISSING`; so do an array on the way in which nothing has fields or the index, and
 * each element of it that is neither a document nor an array.
 */
export function visitPath(
  doc: Doc,
  parts: string[],
  from: number,
  intoLast: boolean,
  visit: Visitor,
): boolean {
  let at: Doc = doc;
  for (let i = from; i < parts.length; i++) {
    const value = getField(at, parts[i] as string);
    if (Array.isArray(value)) return visitArray(value, parts, i + 1, intoLast, true, visit);
    if (i === parts.length - 1) return visit(value, undefined);
    if (!isDocument(value)) break;
    at = value;
  }
  return visit(MISSING, undefined);
}

function visitArray(
  array: unknown[],
  parts: string[],
  from: number,
  intoLast: boolean,
  isField: boolean,
  visit: Visitor,
): boolean {
  if (from === parts.length) {
    if (intoLast) {
      for (let i = 0; i < array.length; i++) if (visit(array[i], i)) return true;
    }
    return visit(array, undefined);
  }
  const part = parts[from] as string;
  const isLast = from === parts.length - 1;
  const isNumeric = isIndex(part);
  let isEmpty = true;
  for (let i = 0; i < array.length; i++) {
    const element = array[i];
    const isObject = isDocument(element);
    const isNamed = part === String(i);
    const isArray = Array.isArray(element);
    if (isObject || (isNamed ? isLast || isArray : !isNumeric && !isArray)) isEmpty = false;
    // A number in a path is a field name of the elements first, then an index.
    if (isObject && visitPath(element, parts, from, intoLast, (value) => visit(value, i))) return true;
    if (!isNamed) {
      if (!isObject && !isNumeric && !isArray && visit(MISSING, undefined)) return true;
    } else if (isLast) {
      if (visit(element, undefined)) return true;
    } else if (isObject) {
      if (visitPath(element, parts, from + 1, intoLast, visit)) return true;
    } else if (isArray) {
      if (visitArray(element, parts, from + 1, intoLast, false, visit)) return true;
    }
  }
  return isEmpty && isField && visit(MISSING, undefined);
}

/** What an index on some paths holds for one document. */
export interface IndexKeys {
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
export function indexKeys(doc: Doc, paths: string[]): IndexKeys {
  const state: IndexKeys = { keys: [], isMultikey: false, isMissing: true };
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
  state: IndexKeys,
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

/**
 * What MongoDB's index on one path holds for a document: expanded through arrays, null for missing, undefined
 * for an empty array. `isMissing` says that a sparse index leaves the document out.
 */
export function indexValues(
  doc: Doc,
  path: string,
): { values: unknown[]; isMultikey: boolean; isMissing: boolean } {
  const { keys, isMultikey, isMissing } = indexKeys(doc, [path]);
  return { values: keys.map((key) => key[0]), isMultikey, isMissing };
}

/** Checks a path of a projection, a sort or an expression, where MongoDB allows less than in a filter. */
export function checkFieldPath(path: string): void {
  if (path === '') throw mongoError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.endsWith('.')) throw mongoError(40353, "FieldPath must not end with a '.'.");
  const hint = "Consider using $getField or $setField for a field path with '.' or '$'. :: caused by :: ";
  for (const part of path.split('.')) {
    if (part === '') throw mongoError(15998, `${hint}FieldPath field names may not be empty strings.`);
    if (part.startsWith('$')) {
      throw mongoError(16410, `${hint}FieldPath field names may not start with '$', given '${part}'.`);
    }
  }
}
