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
import { checkFields } from './check-fields.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, array, bool, type Fields, flag, givenBool, object } from './field-types.ts';
import { isDoc, missingField, readArray, readBoolean, readDoc, readHint, wrongType } from './fields.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';
import { readStatements } from './statements.ts';
import { runStatements, type Tally, writeErrorsOf } from './write-batch.ts';

export const update: Command = {
  fields: { updates: array, ordered: bool, bypassDocumentValidation: flag },
  refused: { let: object, bypassEmptyTsReplacement: givenBool },
  isWrite: true,
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
        if (!matches?.length && isUpsert) countUpserted(made, index, insertOne(call, statement));
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
        // Counted after it, because a transaction that fails is run again.
        countUpserted(made, index, await engine.environment.write(() => insertOne(call, statement)));
      },
    });
    const { n, nModified, upserted } = tally;
    return { n, ...writeErrorsOf(tally), ...(upserted.length > 0 ? { upserted } : {}), nModified };
  },
};

export interface UpdateStatement {
  query: Query;
  change: CompiledUpdate;
  isUpsert: boolean;
}

const STATEMENT_FIELDS: Fields = {
  q: object,
  u: anyValue,
  upsert: bool,
  multi: bool,
  arrayFilters: array,
  hint: anyValue,
  collation: object,
  c: anyValue,
  sort: object,
};

/** Reads one statement; what is wrong in its filter or change is a write error of its own, so it is read late. */
export function readUpdate(statement: Doc): (deadline: number) => UpdateStatement {
  checkFields('update.updates', STATEMENT_FIELDS, statement);
  const filter = readDoc(statement, 'q');
  if (!filter) throw missingField('update.updates.q');
  if (statement.u === undefined) throw missingField('update.updates.u');
  if (!isDoc(statement.u) && !Array.isArray(statement.u)) {
    throw new MongoError(9, 'FailedToParse', 'Update argument must be either an object or an array');
  }
  const isMulti = readBoolean(statement, 'multi', false);
  const isUpsert = readBoolean(statement, 'upsert', false);
  const hint = readHint(statement);
  const sort = readDoc(statement, 'sort');
  // This one refuses the whole command.
  if (sort && isMulti) throw new MongoError(9, 'FailedToParse', 'Cannot specify sort with multi=true');
  readArrayFilters(statement);
  return (deadline) => {
    refuseOptions(statement);
    compileMatch(filter);
    const change = readChange(statement.u, statement);
    if (isMulti && change.isReplacement) {
      throw new MongoError(9, 'FailedToParse', 'multi update is not supported for replacement-style update');
    }
    const query = queryFor(filter, { sort, limit: isMulti ? 0 : 1, hint, deadline });
    return { query, change, isUpsert };
  };
}

function refuseOptions(statement: Doc): void {
  for (const name of ['collation', 'c']) {
    if ((statement[name] ?? undefined) === undefined) continue;
    throw refused(`update.updates.${name}`);
  }
}

/** Compiles the change of an update or findAndModify, with its array filters. */
export function readChange(change: unknown, options: Doc): CompiledUpdate {
  const arrayFilters = readArrayFilters(options);
  return compileUpdate(change as Doc | Doc[], arrayFilters ? { arrayFilters } : {});
}

function readArrayFilters(options: Doc): Doc[] | undefined {
  return readArray(options, 'arrayFilters')?.map((filter, i) => {
    if (isDoc(filter)) return filter;
    throw wrongType(`arrayFilters.${i}`, filter, 'object');
  });
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

/** Inserts what an upsert makes, and gives its `_id`. */
function insertOne(call: CommandCall, { query, change }: UpdateStatement): unknown {
  const collection = ensuredCollection(call);
  return inPlanExecutor('update', () => upsert(call.engine, collection, query.filter, change)).doc._id;
}

function countUpserted(made: Tally, index: number, _id: unknown): void {
  made.upserted.push({ index: new Int32(index), _id });
  made.n++;
}

function count(made: Tally, { n, nModified }: ChangeCount): void {
  made.n += n;
  made.nModified += nModified;
}
