import type { Doc } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import { fieldsOf, getField, isDocument, isNumber, isTrue, MISSING, typeName } from '../bson/values.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { compileExpression } from '../expression/compile.ts';
import type { Expression, ExpressionContext } from '../expression/expression.ts';
import { compileField } from '../matcher/field.ts';
import { compileNode } from '../matcher/filter.ts';
import { addPath, newProjection, type Projection } from './tree.ts';

/** What a projection's entry asks for. */
export type Entry =
  | { kind: 'include' | 'exclude'; path: string }
  | { kind: 'compute'; path: string; expression: Expression; isOperator: boolean }
  | { kind: 'special'; path: string; operator: string; operand: unknown };

/** Operators that mean something of their own in `find`'s projection. */
const FIND_ONLY = new Set(['$slice', '$elemMatch', '$meta']);

/** Takes a projection apart into one entry per path; documents in it are paths spelled the other way. */
export function parseEntries(spec: Doc, isFind: boolean, context: ExpressionContext): Entry[] {
  return Object.entries(fieldsOf(spec)).flatMap(([path, value]) => parseEntry(path, value, isFind, context));
}

function parseEntry(path: string, value: unknown, isFind: boolean, context: ExpressionContext): Entry[] {
  const isPositional = path.endsWith('.$');
  if (/\.\$\./.test(path)) {
    throw mongoError(
      31394,
      "As of 4.4, it's illegal to specify positional operator in the middle of a path.",
    );
  }
  checkFieldPath(isPositional ? path.slice(0, -2) : path);
  if (isPositional) {
    if (!isFind) throw mongoError(31324, 'Cannot use positional projection in aggregation projection');
    return [{ kind: 'special', path: path.slice(0, -2), operator: '$', operand: value }];
  }
  if (typeof value === 'boolean' || isNumber(value)) {
    return [{ kind: isTrue(value) ? 'include' : 'exclude', path }];
  }
  if (!isDocument(value)) {
    return [{ kind: 'compute', path, expression: compileExpression(value, context), isOperator: false }];
  }
  const fields = fieldsOf(value);
  const names = Object.keys(fields);
  if (names.length === 0) throw mongoError(51270, `Invalid empty sub-projection: ${path}`);
  const operator = names.find((name) => name.startsWith('$'));
  if (operator === undefined) {
    return Object.entries(fields).flatMap(([name, inner]) => {
      if (name.includes('.')) throw refused('a dotted name inside of a document in a projection');
      return parseEntry(`${path}.${name}`, inner, isFind, context);
    });
  }
  if (names.length > 1) checkFieldPath(operator);
  if (isFind && FIND_ONLY.has(operator))
    return [{ kind: 'special', path, operator, operand: fields[operator] }];
  if (operator === '$elemMatch') throw mongoError(168, 'Cannot use $elemMatch in this context');
  return [{ kind: 'compute', path, expression: compileExpression(value, context), isOperator: true }];
}

/** Makes one projection of entries; `fallback` is its mode when nothing but `_id` says. */
export function buildProjection(entries: Entry[], fallback: Projection['mode'] | undefined): Projection {
  const mode = modeOf(entries) ?? fallback ?? 'exclude';
  const projection = newProjection(mode);
  // Every path goes in here first, so that two paths that meet are found whatever they ask for.
  const taken = newProjection(mode);
  const operators = new Set<string>();
  for (const entry of entries) {
    addEntry(projection, taken, entry);
    if (entry.kind !== 'special') continue;
    operators.add(entry.operator);
    if (operators.has('$') && operators.has('$elemMatch')) {
      throw mongoError(31256, 'Cannot specify positional operator and $elemMatch.');
    }
  }
  const hasId = taken.fields.has('_id') || taken.children.has('_id');
  if (mode === 'include' && !hasId) projection.fields.add('_id');
  return projection;
}

/** The first entry that is not about `_id` or an array operator decides. */
function modeOf(entries: Entry[]): Projection['mode'] | undefined {
  const decisive = entries.find((entry) => {
    if (entry.kind === 'special') return entry.operator === '$';
    return entry.path !== '_id' || entry.kind === 'compute';
  });
  if (decisive !== undefined) return decisive.kind === 'exclude' ? 'exclude' : 'include';
  return entries.some((entry) => entry.path === '_id' && entry.kind === 'include') ? 'include' : undefined;
}

function addEntry(projection: Projection, taken: Projection, entry: Entry): void {
  const { kind, path } = entry;
  const { mode } = projection;
  if (kind === 'special' && entry.operator === '$slice') {
    addSlice(projection, taken, path);
    return;
  }
  // The order of these checks is MongoDB's: of two mistakes it names the same one.
  if (kind === 'compute' && entry.isOperator && mode === 'exclude') throw noExpression(31252, path);
  const expression =
    kind === 'special' && entry.operator === '$elemMatch' ? compileElemMatch(entry) : undefined;
  addPath(taken, path, undefined);
  if (expression !== undefined) addPath(projection, path, expression);
  else if (kind === 'compute') {
    if (mode === 'exclude') throw noExpression(31310, path);
    addPath(projection, path, entry.expression);
  } else if (path === '_id') {
    if ((kind === 'exclude') === (mode === 'exclude')) addPath(projection, path, undefined);
  } else {
    if (kind === 'exclude' && mode === 'include') {
      throw mongoError(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
    }
    if (kind !== 'exclude' && mode === 'exclude') {
      throw mongoError(31253, `Cannot do inclusion on field ${path} in exclusion projection`);
    }
    addPath(projection, path, undefined);
  }
}

function noExpression(code: number, path: string): Error {
  return mongoError(code, `Cannot use an expression ${path} in an exclusion projection`);
}

function addSlice(projection: Projection, taken: Projection, path: string): void {
  try {
    addPath(taken, path, undefined);
  } catch {
    if (projection.mode === 'exclude') throw noExpression(31252, path);
    throw mongoError(28667, `Invalid $slice syntax: Path collision at ${path}`);
  }
  if (projection.mode === 'include') addPath(projection, path, undefined);
}

function compileElemMatch({ path, operand }: Entry & { kind: 'special' }): Expression {
  if (path.includes('.')) throw mongoError(31275, 'Cannot use $elemMatch projection on a nested field.');
  if (!isDocument(operand)) {
    throw mongoError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(operand)}`);
  }
  const predicate = compileField(path, { $elemMatch: operand }, compileNode)[0];
  return (doc) => {
    const value = getField(doc, path);
    if (!Array.isArray(value) || predicate?.kind !== 'array') return MISSING;
    const index = predicate.find(value);
    return index === undefined ? MISSING : [value[index]];
  };
}
