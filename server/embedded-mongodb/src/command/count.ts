/** count. */
import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { badValue } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { countMatches } from '../query/count.ts';
import { queryFor } from '../query/query.ts';
import type { Command } from './command.ts';
import { anyValue, number, object } from './field-types.ts';
import { readCount, readDoc, readHint, readWhole } from './fields.ts';
import { existingCollection } from './namespace.ts';

export const count: Command = {
  fields: { query: object, limit: anyValue, skip: number, hint: anyValue, fields: anyValue },
  refused: { collation: object },
  async run(call) {
    const { engine, body } = call;
    const filter = readDoc(body, 'query') ?? {};
    // A negative limit means the same as its size.
    const limit = Math.abs(readLimit(body));
    const skip = readCount(body, 'skip', 0);
    const hint = readHint(body);
    compileMatch(filter);
    const collection = existingCollection(call);
    if (!collection) return { n: 0 };
    if (Object.keys(filter).length === 0 && hint === undefined) {
      const left = Math.max(0, collection.count - skip);
      return { n: limit > 0 ? Math.min(limit, left) : left };
    }
    const query = queryFor(filter, { skip, limit, hint, deadline: call.deadline });
    return { n: await countMatches(engine, collection, query, call.connection) };
  },
};

/** Unlike other fields it is read as a number alone, and whole. */
function readLimit(body: Doc): number {
  if (body.limit === undefined || toNumber(body.limit) !== undefined) return readWhole(body, 'limit', 0);
  throw badValue('limit value is not a valid number');
}
