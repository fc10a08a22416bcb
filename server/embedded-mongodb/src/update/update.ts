import { compareValues } from '../bson/compare.ts';
import type { Doc } from '../bson/document.ts';
import { checkTimestamps } from '../bson/storable.ts';
import {
  copyFields,
  fieldsOf,
  getField,
  isDocument,
  isIndex,
  isSame,
  MISSING,
  setField,
  typeName,
} from '../bson/values.ts';
import { badValue, failedToParse, mongoError, refused } from '../errors/mongo-error.ts';
import type { MatchResult } from '../matcher/matcher.ts';
import { type ArrayFilters, applyNode, dollarField } from './apply.ts';
import { compileArrayFilters } from './array-filters.ts';
import { OPERATORS } from './operators.ts';
import { checkRename, compileRename } from './rename.ts';
import { type Fields, filterName, insertLeaf, newFields } from './tree.ts';
import { checkSeed } from './upsert.ts';

export { upsertSeed } from './upsert.ts';

/** An update that is checked and ready for any number of documents. */
export interface CompiledUpdate {
  /** Whether the whole document is replaced, which MongoDB allows for one document at a time only. */
  isReplacement: boolean;
  /**
   * Gives the updated document and leaves its input as it was; the input itself where MongoDB counts no modification.
   * For an upsert the input is `upsertSeed(filter)` and `isInsert` is true; `_id` then comes first when there is one.
   * @throws MongoError 66 when `_id` would change.
   */
  apply(doc: Doc, match: MatchResult | undefined, context: { isInsert: boolean; now: Date }): Doc;
}

const REFUSED_OPERATORS = new Set(['$bit', '$pushAll', '$isolated', '$v', '$diff']);

/** Compiles an update document; what is wrong in it is thrown here, what depends on the document by `apply`. */
export function compileUpdate(update: Doc | Doc[], options: { arrayFilters?: Doc[] }): CompiledUpdate {
  if (Array.isArray(update)) throw refused('an update by an aggregation pipeline');
  const isReplacement = !Object.keys(update)[0]?.startsWith('$');
  if (isReplacement) {
    return { isReplacement, apply: (doc, _match, context) => replace(doc, update, context.isInsert) };
  }
  const { root, filterNames } = compileOperators(update);
  const filters: ArrayFilters = compileArrayFilters(options.arrayFilters ?? [], filterNames);
  return {
    isReplacement,
    apply(doc, match, { isInsert, now }) {
      if (isInsert) checkSeed(doc, false);
      const original = fieldsOf(doc);
      const result = applyNode(root, original, '', { original, match, isInsert, now }, filters) as Doc;
      if (result === original && !isInsert) return doc;
      checkId(original, result);
      if (!isInsert) return result;
      checkNewId(getField(result, '_id'));
      return withIdFirst(result);
    },
  };
}

function compileOperators(update: Doc): { root: Fields; filterNames: Map<string, string> } {
  const root = newFields();
  const filterNames = new Map<string, string>();
  for (const [name, operands] of Object.entries(update)) {
    if (REFUSED_OPERATORS.has(name)) throw refused(`the update operator ${name}`);
    const compile = Object.hasOwn(OPERATORS, name) ? OPERATORS[name] : undefined;
    if (compile === undefined && name !== '$rename') {
      throw failedToParse(
        `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
      );
    }
    if (!isDocument(operands)) {
      throw failedToParse(
        `Modifiers operate on fields but we found type ${typeName(operands)} instead. For example: {$mod: {<field>: ...}} not {${name}: …}`,
      );
    }
    for (const [path, operand] of Object.entries(fieldsOf(operands))) {
      const parts = parsePath(path, filterNames);
      if (compile !== undefined) {
        insertLeaf(root, parts, { kind: 'leaf', path, ...compile(path, operand) });
        continue;
      }
      if (typeof operand !== 'string' || operand.includes('\0')) {
        throw badValue(`The 'to' field for $rename must be a string: ${path}: ${String(operand)}`);
      }
      const { target, source } = compileRename(path, operand);
      insertLeaf(root, parts, source);
      checkRename(path, operand);
      insertLeaf(root, parsePath(operand, filterNames), target);
    }
  }
  return { root, filterNames };
}

function parsePath(path: string, filterNames: Map<string, string>): string[] {
  if (path === '') throw mongoError(56, 'An empty update path is not valid.');
  const parts = path.split('.');
  if (parts.includes('')) {
    throw mongoError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
  if (parts.includes('__proto__')) throw refused("the field name '__proto__' in an update");
  if (parts[0] === '$') {
    throw badValue(`Cannot have positional (i.e. '$') element in the first position in path '${path}'`);
  }
  if (filterName(parts[0] as string) !== undefined) {
    throw badValue(
      `Cannot have array filter identifier (i.e. '$[<id>]') element in the first position in path '${path}'`,
    );
  }
  if (parts.filter((part) => part === '$').length > 1) {
    throw badValue(`Too many positional (i.e. '$') elements found in path '${path}'`);
  }
  for (const part of parts) {
    const name = filterName(part);
    if (name !== undefined && name !== '') filterNames.set(name, path);
  }
  return parts;
}

function replace(doc: Doc, replacement: Doc, isInsert: boolean): Doc {
  if (isInsert) checkSeed(doc, true);
  const fields = fieldsOf(replacement);
  for (const name of Object.keys(fields)) if (name.startsWith('$')) throw dollarField(name);
  checkTimestamps(fields, 'a replacement');
  const id = getField(doc, '_id');
  const newId = getField(fields, '_id');
  if (newId !== MISSING && id !== MISSING && compareValues(id, newId) !== 0) {
    throw mongoError(
      66,
      `After applying the update, the (immutable) field '_id' was found to have been altered to _id: ${String(newId)}`,
    );
  }
  if (Array.isArray(newId)) {
    throw mongoError(
      54,
      "After applying the update to the document, the (immutable) field '_id' was found to be an array or array descendant.",
    );
  }
  const result = copyFields(fields);
  if (newId === MISSING && id !== MISSING) result._id = id;
  if (isInsert) checkNewId(getField(result, '_id'));
  const replaced = withIdFirst(result);
  // To MongoDB what comes without its _id is another document, unless it is empty.
  const isGiven = newId !== MISSING || Object.keys(fields).length === 0;
  return !isInsert && isGiven && isSame(doc, newId === MISSING ? replaced : fields) ? doc : replaced;
}

/** Operators may write the same `_id` again, but not even an equal one of another number type. */
function checkId(before: Doc, after: Doc): void {
  const id = getField(before, '_id');
  const newId = getField(after, '_id');
  if (id === MISSING || id === newId) return;
  if (newId !== MISSING && isSame(id, newId)) return;
  throw mongoError(66, "Performing an update on the path '_id' would modify the immutable field '_id'");
}

/** Checks an `_id` that an upsert is about to store. */
function checkNewId(id: unknown): void {
  const type = typeName(id);
  if (type === 'array' || type === 'regex' || type === 'undefined') {
    throw mongoError(53, `The '_id' value cannot be of type ${type}`);
  }
  if (isDocument(id)) checkNoDollar(id, '_id');
}

function checkNoDollar(doc: Doc, path: string): void {
  for (const [name, value] of Object.entries(fieldsOf(doc))) {
    if (name.startsWith('$')) throw dollarField(name);
    if (isDocument(value)) checkNoDollar(value, `${path}.${name}`);
    if (Array.isArray(value))
      for (const element of value) if (isDocument(element)) checkNoDollar(element, path);
  }
}

function withIdFirst(doc: Doc): Doc {
  const id = getField(doc, '_id');
  const names = Object.keys(doc);
  if (id === MISSING || names[0] === '_id') return doc;
  if (isIndex(names[0] as string)) throw refused('a numeric field name at the top of a document');
  const result: Doc = { _id: id };
  for (const name of names) if (name !== '_id') setField(result, name, doc[name]);
  return result;
}
