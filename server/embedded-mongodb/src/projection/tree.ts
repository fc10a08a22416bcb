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
import { mongoError, refused } from '../errors/mongo-error.ts';
import type { Expression } from '../expression/expression.ts';

/** What becomes of each field, one level of a document at a time. */
export interface Projection {
  /** `include` keeps the named fields, `exclude` drops them, `add` keeps everything. */
  mode: 'include' | 'exclude' | 'add';
  fields: Set<string>;
  computed: Map<string, Expression>;
  children: Map<string, Projection>;
  /** The names of computed fields and of children, in the order of the specification. */
  order: string[];
  /** Computed names that an earlier stage may have removed: see `markReappearing`. */
  reappearing: Set<string>;
}

export function newProjection(mode: Projection['mode']): Projection {
  return {
    mode,
    fields: new Set(),
    computed: new Map(),
    children: new Map(),
    order: [],
    reappearing: new Set(),
  };
}

/** Puts a path into a projection; undefined means the path itself, an expression computes its value. */
export function addPath(root: Projection, path: string, expression: Expression | undefined): void {
  const parts = path.split('.');
  let at = root;
  for (const [i, part] of parts.entries()) {
    if (at.fields.has(part) || at.computed.has(part)) {
      if (i === parts.length - 1) throw mongoError(31250, `Path collision at ${path}`);
      const rest = parts.slice(i + 1).join('.');
      throw mongoError(31249, `Path collision at ${path} remaining portion ${rest}`);
    }
    const child = at.children.get(part);
    if (i < parts.length - 1) {
      const next = child ?? newProjection(root.mode);
      if (child === undefined) {
        at.children.set(part, next);
        at.order.push(part);
      }
      at = next;
      continue;
    }
    if (child !== undefined) throw mongoError(31250, `Path collision at ${path}`);
    if (expression === undefined) at.fields.add(part);
    else {
      at.computed.set(part, expression);
      at.order.push(part);
    }
  }
}

/** Applies a projection; `root` is the document that expressions look at. */
export function applyProjection(projection: Projection, doc: Doc, root: Doc): Doc {
  const result = keepFields(projection, doc);
  computeFields(projection, result, root);
  return result;
}

function keepFields(projection: Projection, doc: Doc): Doc {
  const { mode, fields, computed, children } = projection;
  if (mode === 'add') return copyFields(doc);
  const source = fieldsOf(doc);
  const result: Doc = {};
  for (const name of Object.keys(source)) {
    const child = children.get(name);
    let value = source[name];
    if (child !== undefined) value = keepInside(child, value);
    else if (mode === 'include' ? !fields.has(name) : fields.has(name)) continue;
    else if (mode === 'include' && computed.has(name)) continue;
    if (value !== MISSING) setField(result, name, value);
  }
  return result;
}

function keepInside(projection: Projection, value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.map((element) => keepInside(projection, element)).filter((element) => element !== MISSING);
  }
  if (isDocument(value)) return keepFields(projection, value);
  // A computed field inside will make a document of any value, which until then keeps its place.
  return projection.mode === 'include' && !hasComputed(projection) ? MISSING : value;
}

function hasComputed(projection: Projection): boolean {
  return projection.computed.size > 0 || [...projection.children.values()].some(hasComputed);
}

function computeFields(projection: Projection, result: Doc, root: Doc): void {
  for (const name of projection.order) {
    const child = projection.children.get(name);
    const before = getField(result, name);
    let after: unknown;
    if (child === undefined) after = (projection.computed.get(name) as Expression)(root);
    else if (hasComputed(child)) after = computeInside(child, before, root);
    else continue;
    if (after === MISSING) delete result[name];
    else if (before === MISSING) {
      if (projection.reappearing.has(name)) {
        throw refused(`setting the field '${name}' again after a stage that removed it`);
      }
      appendField(result, name, after);
    } else setField(result, name, after);
  }
}

function computeInside(projection: Projection, value: unknown, root: Doc): unknown {
  if (Array.isArray(value)) return value.map((element) => computeInside(projection, element, root));
  const result = isDocument(value) ? copyFields(value) : {};
  computeFields(projection, result, root);
  return result;
}

/** Every path that a stage with this projection may take away, because it drops it or computes it to nothing. */
export function removedPaths(projection: Projection, prefix = ''): string[] {
  const own = projection.mode === 'exclude' ? [...projection.fields] : [];
  const inside = [...projection.children].flatMap(([name, child]) =>
    removedPaths(child, `${prefix}${name}.`),
  );
  return [...own, ...projection.computed.keys()].map((name) => prefix + name).concat(inside);
}

/**
 * Notes which computed fields were removed by earlier stages. MongoDB sometimes keeps a removed field's place in
 * its document, sometimes not; such a field that comes back is refused rather than put in another place.
 */
export function markReappearing(projection: Projection, removed: Set<string>, prefix = ''): void {
  for (const name of projection.order) {
    if (removed.has(prefix + name)) projection.reappearing.add(name);
    const child = projection.children.get(name);
    if (child !== undefined) markReappearing(child, removed, `${prefix}${name}.`);
  }
}
