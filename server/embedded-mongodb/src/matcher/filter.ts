import type { Doc } from '../bson/document.ts';
import { visitPath } from '../bson/field-path.ts';
import { fieldsOf, isDocument } from '../bson/values.ts';
import { badValue, refused } from '../errors/mongo-error.ts';
import { compileField } from './field.ts';
import type { Predicate } from './predicate.ts';

/** Collects the array index that a positional operator will use. */
export interface Details {
  position: number | undefined;
  uncertain: boolean;
}

/** A compiled filter: whether a document matches. */
export type Node = (doc: Doc, details: Details | undefined) => boolean;

const REFUSED_TOP_LEVEL = new Set([
  '$expr',
  '$where',
  '$text',
  '$jsonSchema',
  '$sampleRate',
  '$alwaysTrue',
  '$alwaysFalse',
  '$atomic',
  '$isolated',
]);

/** Compiles a whole filter: an `$and` of its entries. */
export function compileNode(filter: Doc): Node {
  const nodes: Node[] = [];
  for (const [name, value] of Object.entries(fieldsOf(filter))) {
    if (name.startsWith('$')) {
      const node = compileTopLevel(name, value);
      if (node !== undefined) nodes.push(node);
    } else nodes.push(fieldNode(name, value));
  }
  return all(nodes);
}

function compileTopLevel(name: string, value: unknown): Node | undefined {
  switch (name) {
    case '$and':
      return all(clauses(name, value));
    case '$or': {
      const nodes = clauses(name, value);
      return nodes.length === 1 ? (nodes[0] as Node) : any(nodes);
    }
    case '$nor': {
      const node = any(clauses(name, value));
      return (doc) => !node(doc, undefined);
    }
    case '$comment':
      return undefined;
  }
  if (REFUSED_TOP_LEVEL.has(name) || name.startsWith('$_internal'))
    throw refused(`the query operator ${name}`);
  throw badValue(
    `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
  );
}

function clauses(name: string, value: unknown): Node[] {
  if (!Array.isArray(value)) throw badValue(`${name} argument must be an array`);
  if (value.length === 0) throw badValue(`${name} argument must be a non-empty array`);
  return value.map((clause) => {
    if (!isDocument(clause)) throw badValue(`${name} argument's entries must be objects`);
    return compileNode(clause);
  });
}

function all(nodes: Node[]): Node {
  if (nodes.length === 1) return nodes[0] as Node;
  return (doc, details) => nodes.every((node) => node(doc, details));
}

function any(nodes: Node[]): Node {
  return (doc, details) => {
    if (!nodes.some((node) => node(doc, undefined))) return false;
    // MongoDB sometimes rewrites an $or into an $in, which then tells an index, and sometimes not.
    if (details !== undefined) details.uncertain = true;
    return true;
  };
}

function fieldNode(path: string, value: unknown): Node {
  const parts = path.split('.');
  return all(compileField(path, value, compileNode).map((predicate) => pathNode(parts, predicate)));
}

/** Applies a predicate to everything that a path leads to. */
function pathNode(parts: string[], predicate: Predicate): Node {
  switch (predicate.kind) {
    case 'not': {
      const node = all(predicate.parts.map((part) => pathNode(parts, part)));
      return (doc) => !node(doc, undefined);
    }
    case 'all':
      return all(predicate.parts.map((part) => pathNode(parts, part)));
    case 'value': {
      const { test } = predicate;
      return (doc, details) =>
        visitPath(doc, parts, 0, true, (value, position) => test(value) && record(details, position));
    }
    case 'array': {
      const { find } = predicate;
      return (doc, details) =>
        visitPath(doc, parts, 0, false, (value, position) => {
          if (!Array.isArray(value)) return false;
          const found = find(value);
          return found !== undefined && record(details, position ?? (found >= 0 ? found : undefined));
        });
    }
  }
}

function record(details: Details | undefined, position: number | undefined): true {
  if (details === undefined || position === undefined) return true;
  // Which of several parts MongoDB lets win depends on how its optimizer sorts them.
  if (details.position !== undefined && details.position !== position) details.uncertain = true;
  details.position = position;
  return true;
}
