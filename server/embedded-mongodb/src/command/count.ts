/** count. */
import { compileMatch } from '../matcher/matcher.ts';
import { countMatches } from '../query/count.ts';
import { queryFor } from '../query/query.ts';
import type { Command } from './command.ts';
import { readCount, readDoc, readHint, readInteger } from './fields.ts';
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
