import type { Doc } from '../bson/document.ts';
import { mongoError } from '../errors/mongo-error.ts';
import type { MatchResult } from '../matcher/matcher.ts';

/** What operators know about the update that they are part of. */
export interface Context {
  /** The document before the update. */
  original: Doc;
  match: MatchResult | undefined;
  isInsert: boolean;
  now: Date;
}

/** One operator on one path. */
export interface Leaf {
  kind: 'leaf';
  path: string;
  /** Gives the new value for the old one; `MISSING` stands for a field that is not there, in both directions. */
  apply(value: unknown, context: Context): unknown;
  /** What a missing field means: make it, do nothing, or do nothing even where the path cannot exist. */
  absent: 'create' | 'keep' | 'ignore';
  /** Whether the operator does nothing at all in this update. */
  isIdle?(context: Context): boolean;
}

/** Operators on named fields (or indexes) of one value. */
export interface Fields {
  kind: 'fields';
  children: Map<string, UpdateNode>;
  /** What stands behind `$`. */
  positional: UpdateNode | undefined;
}

/** Operators on an array's elements, by array filter; the empty name is `$[]`. */
export interface Elements {
  kind: 'elements';
  children: Map<string, UpdateNode>;
}

export type UpdateNode = Leaf | Fields | Elements;

export function newFields(): Fields {
  return { kind: 'fields', children: new Map(), positional: undefined };
}

/** The array filter's name in a path part: '' for `$[]`, undefined for other parts. */
export function filterName(part: string): string | undefined {
  return part.startsWith('$[') && part.endsWith(']') ? part.slice(2, -1) : undefined;
}

/** Puts an operator into the tree. Two operators on one path, or one inside of another's, are error 40. */
export function insertLeaf(root: Fields, parts: string[], leaf: Leaf): void {
  let at: UpdateNode = root;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as string;
    const existing = childOf(at, part);
    const isLast = i === parts.length - 1;
    if (existing === undefined) {
      const made: UpdateNode = isLast ? leaf : nodeFor(parts[i + 1] as string);
      setChild(at, part, made);
      at = made;
      continue;
    }
    const fits = !isLast && existing.kind === nodeFor(parts[i + 1] as string).kind;
    if (!fits) throw conflict(leaf.path, parts.slice(0, i + 1).join('.'));
    at = existing;
  }
}

function nodeFor(nextPart: string): Fields | Elements {
  return filterName(nextPart) === undefined ? newFields() : { kind: 'elements', children: new Map() };
}

function childOf(node: UpdateNode, part: string): UpdateNode | undefined {
  if (node.kind === 'leaf') return undefined;
  if (node.kind === 'elements') return node.children.get(filterName(part) as string);
  return part === '$' ? node.positional : node.children.get(part);
}

function setChild(node: UpdateNode, part: string, child: UpdateNode): void {
  if (node.kind === 'leaf') return;
  if (node.kind === 'elements') node.children.set(filterName(part) as string, child);
  else if (part === '$') node.positional = child;
  else node.children.set(part, child);
}

function conflict(path: string, at: string): Error {
  return mongoError(40, `Updating the path '${path}' would create a conflict at '${at}'`);
}

/** One tree of two that turned out to stand for the same element. */
export function mergeNodes(a: UpdateNode, b: UpdateNode, path: string): UpdateNode {
  if (a.kind === 'leaf' || b.kind === 'leaf' || a.kind !== b.kind) {
    throw mongoError(40, `Update created a conflict at '${path}'`);
  }
  const children = new Map(a.children);
  for (const [name, child] of b.children) {
    const existing = children.get(name);
    const label = a.kind === 'elements' ? `$[${name}]` : name;
    children.set(name, existing === undefined ? child : mergeNodes(existing, child, `${path}.${label}`));
  }
  if (a.kind === 'elements' || b.kind === 'elements') return { kind: 'elements', children };
  const positional =
    a.positional === undefined || b.positional === undefined
      ? (a.positional ?? b.positional)
      : mergeNodes(a.positional, b.positional, `${path}.$`);
  return { kind: 'fields', children, positional };
}
