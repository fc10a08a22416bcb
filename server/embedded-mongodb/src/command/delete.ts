/** delete. */

import { type Doc, decode } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { typeName } from '../bson/values.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import type { Engine } from '../query/engine.ts';
import { type ChangeCount, fewMatches, writeInBatches } from '../query/multi-write.ts';
import { type Match, type Query, queryFor } from '../query/query.ts';
import type { Collection } from '../storage/collection.ts';
import { checkFields } from './check-fields.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, array, bool, type Fields, object } from './field-types.ts';
import { missingField, readDoc, readHint } from './fields.ts';
import { collectionName, existingCollection } from './namespace.ts';
import { readStatements } from './statements.ts';
import { runStatements, writeErrorsOf } from './write-batch.ts';

export const deleteCommand: Command = {
  fields: { deletes: array, ordered: bool },
  refused: { let: object },
  isWrite: true,
  async run(call) {
    const { engine } = call;
    collectionName(call);
    const tally = await runStatements(call, {
      statements: readStatements(call, 'deletes').map(readDelete),
      run(statement, _index, made) {
        const collection = checkedCollection(call, statement);
        const matches = collection && fewMatches(engine, collection, queryOf(call, statement));
        if (collection && !matches) return false;
        if (collection && matches) made.n += removeAll(engine, collection, matches).n;
        return true;
      },
      async runInBatches(statement, _index, made) {
        const ns = `${call.db}.${collectionName(call)}`;
        const { n } = await writeInBatches(engine, ns, queryOf(call, statement), (collection, matches) =>
          removeAll(engine, collection, matches),
        );
        made.n += n;
      },
    });
    return { n: tally.n, ...writeErrorsOf(tally) };
  },
};

const STATEMENT_FIELDS: Fields = { q: object, limit: anyValue, hint: anyValue, collation: object };

export interface Deletion {
  filter: Doc;
  limit: number;
  hint: unknown;
  collation: unknown;
}

function queryOf({ deadline }: CommandCall, { filter, limit, hint }: Deletion): Query {
  return queryFor(filter, { limit, hint, deadline });
}

/** Looks for what is wrong in a statement, and gives the collection that it is about, if there is one. */
function checkedCollection(call: CommandCall, { filter, collation }: Deletion): Collection | undefined {
  if (collation !== undefined) {
    throw refused('delete.deletes.collation');
  }
  compileMatch(filter);
  return existingCollection(call);
}

function removeAll(engine: Engine, collection: Collection, matches: readonly Match[]): ChangeCount {
  for (const { record, raw, doc } of matches) {
    engine.writer.remove(collection, record, doc ?? decode(raw), raw.length);
  }
  return { n: matches.length, nModified: 0 };
}

export function readDelete(statement: Doc): Deletion {
  checkFields('delete.deletes', STATEMENT_FIELDS, statement);
  const filter = readDoc(statement, 'q');
  if (!filter) throw missingField('delete.deletes.q');
  if (statement.limit === undefined) throw missingField('delete.deletes.limit');
  const limit = toNumber(statement.limit);
  // To MongoDB it is 0, so that `true` removes all that match.
  if (limit === undefined) throw refused(`delete.deletes.limit of the type ${typeName(statement.limit)}`);
  if (limit !== 0 && limit !== 1) {
    const text = `The limit field in delete objects must be 0 or 1. Got ${limit}`;
    throw new MongoError(9, 'FailedToParse', text);
  }
  return {
    filter,
    limit,
    hint: readHint(statement),
    collation: statement.collation ?? undefined,
  };
}
