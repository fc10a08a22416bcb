/** distinct. */
import { compareValues } from '../bson/compare.ts';
import { type Doc, decode } from '../bson/document.ts';
import { checkFieldPath } from '../bson/field-path.ts';
import { mongoError, refused } from '../errors/mongo-error.ts';
import { documentKeys } from '../index-key/document-keys.ts';
import { encodeValue } from '../index-key/entry-key.ts';
import { type HeldMemory, heapSize } from '../limits/memory.ts';
import { Pace } from '../limits/pace.ts';
import { isOperators } from '../matcher/field.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { isHinted } from '../planner/hint.ts';
import { pauseReading } from '../query/count.ts';
import { matchesOf, type PlannedQuery, planQuery, type Query, queryFor } from '../query/query.ts';
import { sortInTurns } from '../sort/sort-in-turns.ts';
import type { Collection, Index } from '../storage/collection.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, object, requiredString } from './field-types.ts';
import { isDoc, missingField, readDoc, readHint, readString } from './fields.ts';
import { existingCollection } from './namespace.ts';

export const distinct: Command = {
  fields: { key: requiredString, query: object, hint: anyValue },
  refused: { collation: object },
  async run(call) {
    const { engine, body } = call;
    const key = readString(body, 'key');
    if (key === undefined) throw missingField('distinct.key');
    if (key.includes('\0')) throw mongoError(31032, 'Key field cannot contain an embedded null byte');
    const filter = readDoc(body, 'query') ?? {};
    const hint = readHint(body);
    compileMatch(filter);
    const collection = existingCollection(call);
    if (!collection) return { values: [] };
    const query = queryFor(filter, { hint, deadline: call.deadline });
    const plan = planQuery(engine, collection, query);
    const memory = engine.memory.begin('distinct');
    try {
      if (isProjected(filter)) checkKey(key);
      const [first, ...others] = await readValues(call, plan, query, key, memory);
      const isSame = others.every(
        (other) => other.size === first.size && [...other.keys()].every((value) => first.has(value)),
      );
      const values = await inTurns(sortInTurns([...first.values()], compareValues, new Pace(query)), call);
      // Of an empty array an index holds BSON's old undefined, which this database does not send.
      if (isSame && !values.includes(undefined)) return { values };
    } finally {
      memory.release();
      plan.memory.release();
    }
    throw refused(`distinct of ${key}, which has an index and is missing or an empty array in a document,`);
  },
};

/** The values of all matches, from each source that MongoDB may take them from. */
async function readValues(
  { engine, connection }: CommandCall,
  plan: PlannedQuery,
  query: Query,
  key: string,
  memory: HeldMemory,
): Promise<[Values, ...Values[]]> {
  const sources = sourcesOf(plan.collection, query, key).map((read) => ({
    read,
    found: new Map() as Values,
  }));
  let bytes = 0;
  for (const match of matchesOf(engine, plan, query)) {
    if (!match) {
      await pauseReading(engine, connection);
      continue;
    }
    const doc = match.doc ?? decode(match.raw);
    for (const { read, found } of sources) {
      for (const value of read(doc)) {
        const encoded = encodeValue(value).toString('latin1');
        if (found.has(encoded)) continue;
        memory.add(VALUE_BYTES + encoded.length + heapSize(value));
        found.set(encoded, value);
        bytes += encoded.length;
        if (bytes > MAX_ANSWER_BYTES * sources.length) throw mongoError(17217, 'distinct too big, 16mb cap');
      }
    }
  }
  return sources.map(({ found }) => found) as [Values, ...Values[]];
}

async function inTurns<T>(steps: Generator<undefined, T, void>, call: CommandCall): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    await pauseReading(call.engine, call.connection);
  }
}

/** About what a value takes in the heap beside itself and its key. */
const VALUE_BYTES = 80;

/**
 * Whether MongoDB projects the documents to the key: without a filter, and by an `_id` alone, it takes the values as they come.
 * So it does where a filter finds nothing in any document, of which a key that is no path is refused here all the same.
 */
function isProjected(filter: Doc): boolean {
  const [name, ...others] = Object.keys(filter);
  return name !== undefined && (name !== '_id' || others.length > 0 || isOperators(filter._id));
}

/** The fields of a DBRef, which alone may begin with a `$` in a path. */
const OF_A_REFERENCE = ['$ref', '$id', '$db'];

function checkKey(key: string): void {
  const parts = key.split('.');
  if (parts.includes('$')) throw refused('distinct by a positional path');
  checkFieldPath(parts.map((part) => (OF_A_REFERENCE.includes(part) ? part.slice(1) : part)).join('.'));
}

/** MongoDB's limit for the values of one answer. */
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

/** Values by their encoding. */
type Values = Map<string, unknown>;

/** Reads the values that a document has for the key. */
type Source = (doc: Doc) => Iterable<unknown>;

/**
 * Where MongoDB may take the values from: the documents, where a missing field has no value, or an index that the
 * query needs nothing beside of, where it is null. Without a filter an index that begins with the key is taken, if that is no
 * path; else the choice is the planner's, and must not matter.
 */
function sourcesOf(collection: Collection, query: Query, key: string): [Source, ...Source[]] {
  const path = key.split('.');
  const isAll = Object.keys(query.filter).length === 0;
  const fromIndexes = collection.indexes.flatMap((index): Source[] => {
    const at = index.fields.findIndex((field) => field.path === key);
    if (at === -1 || (isAll && at > 0) || !isEnough(index, query)) return [];
    return [
      (doc) => {
        const { tuples, present } = documentKeys(doc, index.paths);
        // An array inside an array is one key, and stands for its elements here.
        return tuples.flatMap((tuple, i) => (index.sparse && !present[i] ? [] : tuple[at]));
      },
    ];
  });
  const fromDocuments: Source = (doc) => distinctValues(doc, path, 0);
  const [first, ...others] = fromIndexes;
  return first && isAll && path.length === 1 ? [first, ...others] : [fromDocuments, ...fromIndexes];
}

/** Whether MongoDB may answer from this index alone. */
function isEnough({ fields, partialFilterExpression, ...index }: Index, { filter, hint }: Query): boolean {
  if (partialFilterExpression || (hint !== undefined && !isHinted(index, hint))) return false;
  const paths = new Set(fields.map(({ path }) => path));
  return [...pathsIn(filter)].every((path) => paths.has(path));
}

/** The paths that a filter has conditions on. */
function* pathsIn(filter: Doc): Generator<string> {
  for (const [name, value] of Object.entries(filter)) {
    if (!name.startsWith('$')) yield name;
    else if (Array.isArray(value)) for (const part of value) if (isDoc(part)) yield* pathsIn(part);
  }
}

/** The values at a path; arrays on it and at its end stand for their elements. A missing field has none. */
function* distinctValues(value: unknown, path: readonly string[], at: number): Generator<unknown> {
  if (at === path.length) {
    if (Array.isArray(value)) yield* value;
    else if (value !== undefined) yield value;
    return;
  }
  const name = path[at] as string;
  if (Array.isArray(value)) {
    // A number is a place there, and no field of what the array has.
    if (/^\d+$/.test(name)) yield* distinctValues(value[Number(name)], path, at + 1);
    else for (const item of value) if (isDoc(item)) yield* distinctValues(item, path, at);
  } else if (isDoc(value) && Object.hasOwn(value, name)) {
    yield* distinctValues((value as Doc)[name], path, at + 1);
  }
}
