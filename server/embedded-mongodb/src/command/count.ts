/** count and distinct. */
import { compareValues } from '../document/compare.ts';
import { MongoError } from '../document/errors.ts';
import { compileMatch } from '../document/match.ts';
import { encodeValue } from '../index/entry-key.ts';
import { countMatches, pause } from '../query/count.ts';
import { matchesOf, planQuery, queryFor } from '../query/query.ts';
import { type Doc, decode } from '../storage/bson.ts';
import type { Command } from './command.ts';
import { isDoc, readCount, readDoc, readInteger, readString } from './fields.ts';
import { existingCollection } from './namespace.ts';

export const count: Command = {
  fields: ['query', 'limit', 'skip', 'hint', 'fields'],
  refused: ['collation'],
  async run(call) {
    const { engine, body } = call;
    const filter = readDoc(body, 'query') ?? {};
    // A negative limit means the same as its size.
    const limit = Math.abs(readInteger(body, 'limit', 0));
    const skip = readCount(body, 'skip', 0);
    compileMatch(filter);
    const collection = existingCollection(call);
    if (!collection) return { n: 0 };
    if (Object.keys(filter).length === 0) {
      const left = Math.max(0, collection.count - skip);
      return { n: limit > 0 ? Math.min(limit, left) : left };
    }
    const query = queryFor(filter, { skip, limit, hint: body.hint, deadline: call.deadline });
    return { n: await countMatches(engine, collection, query) };
  },
};

export const distinct: Command = {
  fields: ['key', 'query', 'hint'],
  refused: ['collation'],
  async run(call) {
    const { engine, body } = call;
    const key = readString(body, 'key');
    if (key === undefined) {
      throw new MongoError(
        40414,
        'IDLFailedToParse',
        "BSON field 'distinct.key' is missing but a required field",
      );
    }
    const filter = readDoc(body, 'query') ?? {};
    compileMatch(filter);
    const collection = existingCollection(call);
    if (!collection) return { values: [] };
    const query = queryFor(filter, { hint: body.hint, deadline: call.deadline });
    const found = new Map<string, unknown>();
    const path = key.split('.');
    for (const match of matchesOf(engine, planQuery(collection, query), query)) {
      if (!match) {
        await pause(engine);
        continue;
      }
      for (const value of distinctValues(match.doc ?? decode(match.raw), path, 0)) {
        const encoded = encodeValue(value).toString('latin1');
        if (!found.has(encoded)) found.set(encoded, value);
      }
    }
    return { values: [...found.values()].sort(compareValues) };
  },
};

/** The values at a path; arrays on it and at its end stand for their elements. A missing field has none. */
function* distinctValues(value: unknown, path: readonly string[], at: number): Generator<unknown> {
  if (at === path.length) {
    if (Array.isArray(value)) yield* value;
    else if (value !== undefined) yield value;
    return;
  }
  const name = path[at] as string;
  if (Array.isArray(value)) {
    if (/^\d+$/.test(name) && Number(name) < value.length)
      yield* distinctValues(value[Number(name)], path, at + 1);
    for (const item of value) if (isDoc(item)) yield* distinctValues(item, path, at);
  } else if (isDoc(value) && Object.hasOwn(value, name)) {
    yield* distinctValues((value as Doc)[name], path, at + 1);
  }
}
