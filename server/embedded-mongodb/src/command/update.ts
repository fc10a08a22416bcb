/** update. */
import { Int32 } from 'bson';
import type { Doc } from '../bson/document.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { applyUpdate, inPlanExecutor, upsert } from '../query/apply-update.ts';
import type { Engine } from '../query/engine.ts';
import { type ChangeCount, fewMatches, writeInBatches } from '../query/multi-write.ts';
import { type Match, type Query, queryFor } from '../query/query.ts';
import type { Collection } from '../storage/collection.ts';
import { type CompiledUpdate, compileUpdate } from '../update/update.ts';
import type { Command, CommandCall } from './command.ts';
import { isDoc, readArray, readBoolean, readDoc, readHint } from './fields.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';
import { readStatements } from './statements.ts';
import { runStatements, type Tally, writeErrorsOf } from './write-batch.ts';

export const update: Command = {
  fields: ['updates', 'ordered', 'bypassDocumentValidation'],
  refused: ['let', 'bypassEmptyTsReplacement'],
  async run(call) {
    const { engine } = call;
    collectionName(call);
    const tally = await runStatements(call, {
      statements: readStatements(call, 'updates').map(readUpdate),
      run(read, index, made) {
        const statement = read(call.deadline);
        const { query, isUpsert } = statement;
        const collection = existingCollection(call);
        const matches = collection && fewMatches(engine, collection, query);
        if (collection && !matches) return false;
        if (collection && matches) count(made, changeAll(engine, collection, statement, matches));
        if (!matches?.length && isUpsert) insertOne(call, statement, index, made);
        return true;
      },
      async runInBatches(read, index, made) {
        const statement = read(call.deadline);
        const ns = `${call.db}.${collectionName(call)}`;
        const done = await writeInBatches(engine, ns, statement.query, (collection, matches) =>
          changeAll(engine, collection, statement, matches),
        );
        count(made, done);
        if (done.n > 0 || !statement.isUpsert) return;
        await engine.environment.write(() => insertOne(call, statement, index, made));
      },
    });
    const { n, nModified, upserted } = tally;
    return { n, ...writeErrorsOf(tally), ...(upserted.length > 0 ? { upserted } : {}), nModified };
  },
};

interface UpdateStatement {
  query: Query;
  change: CompiledUpdate;
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
function readUpdate(statement: Doc): (deadline: number) => UpdateStatement {
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
  const hint = readHint(statement);
  return (deadline) => {
    refuseOptions(statement);
    compileMatch(filter);
    const change = readChange(statement.u, statement);
    if (isMulti && change.isReplacement) {
      throw new MongoError(9, 'FailedToParse', 'multi update is not supported for replacement-style update');
    }
    const sort = readDoc(statement, 'sort');
    if (sort && isMulti) throw new MongoError(9, 'FailedToParse', 'Cannot specify sort with multi=true');
    const query = queryFor(filter, { sort, limit: isMulti ? 0 : 1, hint, deadline });
    return { query, change, isUpsert };
  };
}

function refuseOptions(statement: Doc): void {
  for (const name of ['collation', 'c']) {
    if (statement[name] === undefined) continue;
    throw refused(`update.updates.${name}`);
  }
}

/** Compiles the change of an update or findAndModify, with its array filters. */
export function readChange(change: unknown, options: Doc): CompiledUpdate {
  const arrayFilters = readArray(options, 'arrayFilters') as Doc[] | undefined;
  return compileUpdate(change as Doc | Doc[], arrayFilters ? { arrayFilters } : {});
}

function changeAll(
  engine: Engine,
  collection: Collection,
  { query, change }: UpdateStatement,
  matches: readonly Match[],
): ChangeCount {
  const now = new Date();
  let nModified = 0;
  for (const match of matches) {
    const { isModified } = inPlanExecutor('update', () =>
      applyUpdate(engine, collection, match, query.filter, change, now),
    );
    if (isModified) nModified++;
  }
  return { n: matches.length, nModified };
}

function insertOne(call: CommandCall, { query, change }: UpdateStatement, index: number, made: Tally): void {
  const collection = ensuredCollection(call);
  const { doc } = inPlanExecutor('update', () => upsert(call.engine, collection, query.filter, change));
  made.upserted.push({ index: new Int32(index), _id: doc._id });
  made.n++;
}

function count(made: Tally, { n, nModified }: ChangeCount): void {
  made.n += n;
  made.nModified += nModified;
}
