import { compareStrings } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import {
  appendField,
  copyFields,
  fieldsOf,
  getField,
  isDocument,
  MISSING,
  setField,
} from '../bson/values.ts';
import { badValue, mongoError, refused } from '../errors/mongo-error.ts';
import type { MatchResult } from '../matcher/matcher.ts';
import { type Context, type Elements, type Fields, mergeNodes, type UpdateNode } from './tree.ts';

/** MongoDB's limit on the nulls that a far index in a path may add to an array. */
const MAX_BACKFILL = 1_500_000;

/** The compiled array filters: whether an element belongs to a name's elements. */
export type ArrayFilters = Map<string, (element: unknown) => boolean>;

/** Applies a tree of operators to a value; what does not change is shared with the old value, nothing is mutated. */
export function applyNode(
  node: UpdateNode,
  value: unknown,
  path: string,
  context: Context,
  filters: ArrayFilters,
): unknown {
  switch (node.kind) {
    case 'leaf':
      if (node.isIdle?.(context)) return value;
      if (value === MISSING && node.absent !== 'create') return MISSING;
      return node.apply(value, context);
    case 'elements':
      return applyElements(node, value, path, context, filters);
    case 'fields':
      if (Array.isArray(value)) return applyToArray(node, value, path, context, filters);
      if (value === MISSING || isDocument(value)) return applyToDocument(node, value, path, context, filters);
      for (const [name, child] of childrenInOrder(node, path, context))
        checkIdle(child, name, value, path, context);
      return value;
  }
}

function applyToDocument(
  node: Fields,
  value: unknown,
  path: string,
  context: Context,
  filters: ArrayFilters,
): unknown {
  const source = value === MISSING ? {} : fieldsOf(value as Doc);
  let result: Doc | undefined;
  for (const [name, child] of childrenInOrder(node, path, context)) {
    const before = getField(result ?? source, name);
    const after = applyNode(child, before, join(path, name), context, filters);
    if (after === before) continue;
    result ??= copyFields(source);
    if (after === MISSING) delete result[name];
    else if (before !== MISSING) setField(result, name, after);
    else {
      if (path === '' && name.startsWith('$')) throw dollarField(name);
      appendField(result, name, after);
    }
  }
  return result ?? value;
}

function applyToArray(
  node: Fields,
  value: unknown[],
  path: string,
  context: Context,
  filters: ArrayFilters,
): unknown {
  let result: unknown[] | undefined;
  for (const [name, child] of childrenInOrder(node, path, context)) {
    if (!/^[0-9]+$/.test(name)) {
      checkIdle(child, name, value, path, context);
      continue;
    }
    const index = Number(name);
    const array = result ?? value;
    const before = index < array.length ? array[index] : MISSING;
    const after = applyNode(child, before, join(path, name), context, filters);
    if (after === before) continue;
    if (index - array.length > MAX_BACKFILL) {
      throw mongoError(34, `can't backfill more than ${MAX_BACKFILL} elements`);
    }
    result ??= [...value];
    while (result.length < index) result.push(null);
    // Removing an element would move the others: MongoDB leaves a null.
    result[index] = after === MISSING ? null : after;
  }
  return result ?? value;
}

function applyElements(
  node: Elements,
  value: unknown,
  path: string,
  context: Context,
  filters: ArrayFilters,
): unknown {
  if (value === MISSING) {
    throw badValue(`The path '${path}' must exist in the document in order to apply array updates.`);
  }
  if (!Array.isArray(value)) throw badValue(`Cannot apply array updates to non-array element ${path}`);
  let result: unknown[] | undefined;
  for (let i = 0; i < value.length; i++) {
    const elementPath = join(path, String(i));
    let merged: UpdateNode | undefined;
    for (const [name, child] of node.children) {
      if (name !== '' && !filters.get(name)?.(value[i])) continue;
      merged = merged === undefined ? child : mergeNodes(merged, child, elementPath);
    }
    if (merged === undefined) continue;
    const after = applyNode(merged, value[i], elementPath, context, filters);
    if (after === value[i]) continue;
    result ??= [...value];
    result[i] = after === MISSING ? null : after;
  }
  return result ?? value;
}

/** Children as MongoDB applies them: numeric names by number, then the others by their bytes. */
function childrenInOrder(node: Fields, path: string, context: Context): [string, UpdateNode][] {
  let children = node.children;
  if (node.positional !== undefined) {
    const name = positionName(context.match);
    const named = children.get(name);
    const child =
      named === undefined ? node.positional : mergeNodes(node.positional, named, join(path, name));
    children = new Map(children).set(name, child);
  }
  return [...children].sort(([a], [b]) => compareFieldNames(a, b));
}

function positionName(match: MatchResult | undefined): string {
  if (match?.isPositionUncertain) {
    throw refused('the positional operator with a filter that matches several array elements or has an $or');
  }
  if (match?.position !== undefined) return String(match.position);
  throw badValue('The positional operator did not find the match needed from the query.');
}

/** MongoDB's order of new fields: whole numbers first, by value; everything else by bytes. */
export function compareFieldNames(a: string, b: string): number {
  const left = /^[0-9]+$/.test(a);
  const right = /^[0-9]+$/.test(b);
  if (left !== right) return left ? -1 : 1;
  if (left && BigInt(a) !== BigInt(b)) return BigInt(a) < BigInt(b) ? -1 : 1;
  return compareStrings(a, b);
}

/** A path through something that has no fields: an error but for operators that then do nothing. */
function checkIdle(node: UpdateNode, name: string, value: unknown, path: string, context: Context): void {
  if (node.kind === 'leaf') {
    if (node.absent === 'ignore' || node.isIdle?.(context)) return;
    if (node.absent === 'keep') {
      throw mongoError(
        28,
        `Cannot use the part (${name}) of (${node.path}) to traverse the element (${path})`,
      );
    }
    throw mongoError(
      28,
      `Cannot create field '${name}' in element {${path.slice(path.lastIndexOf('.') + 1)}}`,
    );
  }
  if (node.kind === 'elements') {
    throw badValue(
      `The path '${join(path, name)}' must exist in the document in order to apply array updates.`,
    );
  }
  for (const [, child] of childrenInOrder(node, path, context)) checkIdle(child, name, value, path, context);
}

/** Error 52, for `$` at the start of a top-level field. */
export function dollarField(name: string): Error {
  return mongoError(
    52,
    `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  );
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
