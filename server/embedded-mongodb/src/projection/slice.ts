import type { Doc } from '../bson/document.ts';
import { numeric } from '../bson/numbers.ts';
import { copyFields, getField, isDocument, isNumber, setField } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';

/** `find`'s `$slice`: a count from either end, or `[skip, count]`. */
export function compileSlice(path: string, operand: unknown): (doc: Doc) => Doc {
  const { skip, count } = parseSlice(operand);
  const parts = path.split('.');
  return (doc) => sliceIn(doc, parts, (array) => sliceElements(array, skip, count));
}

function parseSlice(operand: unknown): { skip: number; count: number } {
  if (isNumber(operand)) {
    const count = whole(operand);
    return count < 0 ? { skip: count, count: -count } : { skip: 0, count };
  }
  if (!Array.isArray(operand)) {
    throw mongoError(28667, 'Invalid $slice syntax: $slice only supports numbers and [skip, limit] arrays');
  }
  if (operand.length < 2) {
    throw mongoError(28667, 'Invalid $slice syntax: $slice array argument should be of form [skip, limit]');
  }
  if (operand.length > 3 || !isNumber(operand[0]) || !isNumber(operand[1])) {
    throw refused('$slice as an expression');
  }
  const count = whole(operand[1]);
  if (operand.length > 2 || count <= 0) {
    throw mongoError(28724, 'First argument to $slice must be an array, but is of type: int');
  }
  return { skip: whole(operand[0]), count };
}

function whole(value: unknown): number {
  const number = numeric(value);
  if (number === undefined || number.type === 'decimal') throw refused('$slice with a Decimal128');
  const truncated = Math.trunc(Number(number.value));
  if (Number.isNaN(truncated)) return 0;
  return Math.max(-2147483647, Math.min(2147483647, truncated));
}

/** A part of an array; a negative start counts from the end, and not beyond the beginning. */
export function sliceElements(array: unknown[], skip: number, count: number): unknown[] {
  const start = skip < 0 ? Math.max(0, array.length + skip) : skip;
  return array.slice(start, start + count);
}

function sliceIn(doc: Doc, parts: string[], slice: (array: unknown[]) => unknown[]): Doc {
  const name = parts[0] as string;
  const value = getField(doc, name);
  const after = sliceValue(value, parts.slice(1), slice);
  if (after === value) return doc;
  const result = copyFields(doc);
  setField(result, name, after);
  return result;
}

function sliceValue(value: unknown, rest: string[], slice: (array: unknown[]) => unknown[]): unknown {
  if (rest.length === 0) return Array.isArray(value) ? slice(value) : value;
  // Into the documents of an array, and not into its arrays.
  if (Array.isArray(value)) {
    return value.map((element) => (isDocument(element) ? sliceIn(element, rest, slice) : element));
  }
  return isDocument(value) ? sliceIn(value, rest, slice) : value;
}
