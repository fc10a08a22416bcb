/** delete. */
import { MongoError } from '../document/errors.ts';
import { compileMatch } from '../document/match.ts';
import { allMatches, planQuery, queryFor } from '../query/query.ts';
import { type Doc, decode } from '../storage/bson.ts';
import type { Command, CommandCall } from './command.ts';
import { readDoc, readInteger } from './fields.ts';
import { collectionName, existingCollection } from './namespace.ts';
import { readStatements, runStatements } from './write-errors.ts';

export const deleteCommand: Command = {
  fields: ['deletes', 'ordered'],
  refused: ['let'],
  async run(call) {
    const { engine, body } = call;
    collectionName(call);
    const statements = readStatements(call, 'deletes').map(readDelete);
    const last = statements.length - 1;
    let left = false;
    const answer = await engine.environment.write(() => {
      let n = 0;
      const errors = runStatements(body, statements, (statement, index) => {
        const removed = removeSome(call, statement, index === last);
        n += removed;
        left = index === last && removed === REMOVALS_PER_TRANSACTION;
      });
      return { n, ...errors };
    });
    while (left) {
      const removed = await engine.environment.write(() =>
        removeSome(call, statements[last] as Deletion, true),
      );
      answer.n += removed;
      left = removed === REMOVALS_PER_TRANSACTION;
    }
    return answer;
  },
};

interface Deletion {
  filter: Doc;
  limit: number;
  hint: unknown;
  collation: unknown;
}

/**
 * How much a deletion that an index finds removes in one transaction, so that others have their turn in between.
 * Only the last statement may be cut so: those after it must find what it has left.
 */
const REMOVALS_PER_TRANSACTION = 2000;

function removeSome(
  call: CommandCall,
  { filter, limit, hint, collation }: Deletion,
  mayCut: boolean,
): number {
  const { engine } = call;
  if (collation !== undefined) {
    throw new MongoError(
      238,
      'NotImplemented',
      'the embedded database does not support delete.deletes.collation',
    );
  }
  compileMatch(filter);
  const collection = existingCollection(call);
  if (!collection) return 0;
  const query = queryFor(filter, { limit, hint });
  const plan = planQuery(collection, query);
  // Without an index each part would begin with looking again at all that does not match.
  if (mayCut && limit === 0 && plan.accesses.length > 0 && !plan.mustMatch)
    query.limit = REMOVALS_PER_TRANSACTION;
  const matches = allMatches(engine, collection, query);
  for (const { record, raw, doc } of matches) {
    engine.writer.remove(collection, record, doc ?? decode(raw), raw.length);
  }
  return matches.length;
}

function readDelete(statement: Doc): Deletion {
  for (const name of Object.keys(statement)) {
    if (['q', 'limit', 'hint', 'collation'].includes(name)) continue;
    throw new MongoError(
      40415,
      'IDLUnknownField',
      `BSON field 'delete.deletes.${name}' is an unknown field.`,
    );
  }
  for (const name of ['q', 'limit']) {
    if (statement[name] !== undefined) continue;
    const text = `BSON field 'delete.deletes.${name}' is missing but a required field`;
    throw new MongoError(40414, 'IDLFailedToParse', text);
  }
  const limit = readInteger(statement, 'limit', 0);
  if (limit !== 0 && limit !== 1) {
    const text = `The limit field in delete objects must be 0 or 1. Got ${limit}`;
    throw new MongoError(9, 'FailedToParse', text);
  }
  return {
    filter: readDoc(statement, 'q') ?? {},
    limit,
    hint: statement.hint,
    collation: statement.collation,
  };
}
