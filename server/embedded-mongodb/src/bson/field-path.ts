import { mongoError } from '../errors/mongo-error.ts';
import type { Doc } from './document.ts';
import { getField, isDocument, isIndex, MISSING } from './values.ts';

/** Told each value that a path leads to, with the index of the outermost array it went through by itself. */
export type Visitor = (value: unknown, position: number | undefined) => boolean;

/**
 * Gives a path's values to `visit` in the order of MongoDB's queries, until it returns true: through arrays, to a last array's
 * elements (when `intoLast`) and to that array. A path that leads nowhere gives `MISSING`; so do an array on the way in which
 * nothing has fields or the index, and each element of it that is neither a document nor an array.
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
