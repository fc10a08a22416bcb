/** update. */
import { Int32 } from 'bson';
import { MongoError } from '../document/errors.ts';
import { compileMatch } from '../document/match.ts';
import { type CompiledUpdate, compileUpdate } from '../document/update.ts';
import type { Engine } from '../engine.ts';
import { applyUpdate, executing, upsert } from '../query/change.ts';
import { allMatches, type Query, queryFor } from '../query/query.ts';
import type { Doc } from '../storage/bson.ts';
import type { Collection } from '../storage/collection.ts';
import type { Command } from './command.ts';
import { isDoc, readArray, readBoolean, readDoc } from './fields.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';
import { readStatements, runStatements } from './write-errors.ts';

export const update: Command = {
  fields: ['updates', 'ordered', 'bypassDocumentValidation'],
  refused: ['let', 'bypassEmptyTsReplacement'],
  async run(call) {
    const { engine, body } = call;
    collectionName(call);
    const statements = readStatements(call, 'updates').map(readUpdate);
    return engine.environment.write(() => {
      let n = 0;
      let nModified = 0;
      const upserted: Doc[] = [];
      const errors = runStatements(body, statements, (read, index) => {
        const statement = read();
        const collection = existingCollection(call);
        const done = collection ? runUpdate(engine, collection, statement) : { n: 0, nModified: 0 };
        n += done.n;
        nModified += done.nModified;
        if (done.n > 0 || !statement.isUpsert) return;
        const { filter } = statement.query;
        const made = executing('update', () =>
          upsert(engine, ensuredCollection(call), filter, statement.change),
        );
        upserted.push({ index: new Int32(index), _id: made.doc._id });
        n++;
      });
      return { n, ...errors, ...(upserted.length > 0 ? { upserted } : {}), nModified };
    });
  },
};

interface UpdateStatement {
  query: Query;
  change: CompiledUpdate;
  isMulti: boolean;
  isUpsert: boolean;
}

const STATEMENT_FIELDS = new Set([
  'q',
  'u',
  'upsert',
  'multi',
  'arrayFilters',
  'hint',
  'collation',
  'c',
  'sort',
]);

/** Reads one statement; what is wrong in its filter or change is a write error of its own, so it is read late. */
function readUpdate(statement: Doc): () => UpdateStatement {
  for (const name of Object.keys(statement)) {
    if (!STATEMENT_FIELDS.has(name)) {
      throw new MongoError(
        40415,
        'IDLUnknownField',
        `BSON field 'update.updates.${name}' is an unknown field.`,
      );
    }
  }
  for (const name of ['q', 'u']) {
    if (statement[name] !== undefined) continue;
    const text = `BSON field 'update.updates.${name}' is missing but a required field`;
    throw new MongoError(40414, 'IDLFailedToParse', text);
  }
  if (!isDoc(statement.u) && !Array.isArray(statement.u)) {
    throw new MongoError(9, 'FailedToParse', 'Update argument must be either an object or an array');
  }
  const filter = readDoc(statement, 'q') ?? {};
  const isMulti = readBoolean(statement, 'multi', false);
  const isUpsert = readBoolean(statement, 'upsert', false);
  return () => {
    refuseOptions(statement);
    compileMatch(filter);
    const change = readChange(statement.u, statement);
    if (isMulti && change.isReplacement) {
      throw new MongoError(9, 'FailedToParse', 'multi update is not supported for replacement-style update');
    }
    const sort = readDoc(statement, 'sort');
    if (sort && isMulti) throw new MongoError(9, 'FailedToParse', 'Cannot specify sort with multi=true');
    const query = queryFor(filter, { sort, limit: isMulti ? 0 : 1, hint: statement.hint });
    return { query, change, isMulti, isUpsert };
  };
}

function refuseOptions(statement: Doc): void {
  for (const name of ['collation', 'c']) {
    if (statement[name] === undefined) continue;
    throw new MongoError(
      238,
      'NotImplemented',
      `the embedded database does not support update.updates.${name}`,
    );
  }
}

/** Compiles the change of an update or findAndModify, with its array filters. */
export function readChange(change: unknown, options: Doc): CompiledUpdate {
  const arrayFilters = readArray(options, 'arrayFilters') as Doc[] | undefined;
  return compileUpdate(change as Doc | Doc[], arrayFilters ? { arrayFilters } : {});
}

function runUpdate(
  engine: Engine,
  collection: Collection,
  { query, change, isMulti }: UpdateStatement,
): { n: number; nModified: number } {
  const now = new Date();
  let n = 0;
  let nModified = 0;
  // All matches are found before the first change: a change may move a document within the index being read.
  const matches = allMatches(engine, collection, query);
  for (const match of matches) {
    n++;
    if (
      executing('update', () => applyUpdate(engine, collection, match, query.filter, change, now)).isModified
    )
      nModified++;
    if (!isMulti) break;
  }
  return { n, nModified };
}
