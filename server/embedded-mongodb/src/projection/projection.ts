import { type Doc, decode, encode } from '../bson/document.ts';
import { keepElements } from '../bson/elements.ts';
import { copyFields, getField, isDocument, isNumber, isTrue, setField } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import type { ExpressionContext } from '../expression/expression.ts';
import { compileMatch, type MatchResult } from '../matcher/matcher.ts';
import { buildProjection, type Entry, parseEntries } from './parse.ts';
import { compileSlice, sliceElements } from './slice.ts';
import { applyProjection, type Projection } from './tree.ts';

type Special = Entry & { kind: 'special' };
type Transform = (doc: Doc) => Doc;

/**
 * Compiles `find`'s projection for stored documents: one of whole fields leaves their bytes untouched.
 * @returns what gives a stored document's projection as BSON; `doc` where it is decoded already
 */
export function compileStoredProjection(spec: Doc, filter: Doc): (raw: Uint8Array, doc?: Doc) => Buffer {
  const project = compileProjection(spec, filter);
  const entries = parseEntries(spec, true, { now: new Date() });
  if (entries.some(({ kind, path }) => (kind !== 'include' && kind !== 'exclude') || path.includes('.'))) {
    return (raw, doc) => encode(project(doc ?? decode(raw)));
  }
  const { mode, fields } = buildProjection(entries, undefined);
  const isInclusion = mode === 'include';
  return (raw) => keepElements(raw, (name) => fields.has(name) === isInclusion);
}

/**
 * Compiles `find`'s projection: inclusion or exclusion, `$slice`, `$elemMatch`, the positional `path.$` (which
 * needs the query's `filter`) and computed fields. The compiled function gives a new document.
 */
export function compileProjection(spec: Doc, filter?: Doc, context?: ExpressionContext): (doc: Doc) => Doc {
  const entries = parseEntries(spec, true, context ?? { now: new Date() });
  const specials = entries.filter((entry): entry is Special => entry.kind === 'special');
  const projection = build(entries, specials);
  const before: Transform[] = [];
  const after: Transform[] = [];
  for (const { path, operator, operand } of specials) {
    if (operator === '$slice') after.push(compileSlice(path, operand));
    else if (operator === '$') before.push(compilePositional(path, filter ?? {}));
  }
  return (doc) => {
    const prepared = before.reduce((at, transform) => transform(at), doc);
    return after.reduce((at, transform) => transform(at), applyProjection(projection, prepared, doc));
  };
}

function build(entries: Entry[], specials: Special[]): Projection {
  const has = (operator: string) => specials.some((entry) => entry.operator === operator);
  if (specials.filter((entry) => entry.operator === '$').length > 1) {
    throw mongoError(31276, 'Cannot specify more than one positional projection per query.');
  }
  for (const { operator, operand } of specials) {
    if (operator === '$meta') throw refused('the projection operator $meta');
    if (operator === '$') checkPositional(operand);
  }
  return buildProjection(entries, has('$elemMatch') && !has('$slice') ? 'include' : undefined);
}

function checkPositional(operand: unknown): void {
  if (typeof operand !== 'boolean' && !isNumber(operand)) {
    throw mongoError(31308, 'positional projection cannot be used with a literal');
  }
  if (!isTrue(operand)) throw mongoError(31395, 'positional projection cannot be used with exclusion');
}

/** `path.$`: the array on the path shrinks to the element that the filter matched. */
function compilePositional(path: string, filter: Doc): Transform {
  const match = compileMatch(filter);
  const parts = path.split('.');
  return (doc) => shrink(doc, parts, () => matchedPosition(match(doc)));
}

function matchedPosition(result: MatchResult | undefined): number {
  if (result?.isPositionUncertain) {
    throw refused(
      'the positional projection with a filter that matches several array elements or has an $or',
    );
  }
  if (result?.position !== undefined) return result.position;
  throw mongoError(51246, "positional operator '.$' couldn't find a matching element in the array");
}

function shrink(doc: Doc, parts: string[], find: () => number): Doc {
  const name = parts[0] as string;
  const value = getField(doc, name);
  const result = copyFields(doc);
  if (Array.isArray(value)) {
    const position = find();
    if (position >= value.length) {
      throw mongoError(51247, "positional operator '.$' element mismatch");
    }
    if (parts.length > 1) throw refused('the positional projection with fields behind the array');
    setField(result, name, sliceElements(value, position, 1));
  } else if (parts.length > 1 && isDocument(value)) {
    setField(result, name, shrink(value, parts.slice(1), find));
  }
  return result;
}
