/** Reading the statements of insert, update and delete. */

import { type Doc, decode } from '../bson/document.ts';
import { checkReadable } from '../bson/storable.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { MAX_WRITE_BATCH } from '../limits/limits.ts';
import type { CommandCall } from './command.ts';
import { isDoc, readArray, wrongType } from './fields.ts';

/** The statements of a write command: from its document sequence, or from the array in its body. */
export function readStatements(call: CommandCall, field: string): Doc[] {
  const sequence = call.sequences.get(field);
  const statements = sequence ? sequence.map(readStatement) : readArray(call.body, field);
  checkBatch(call, field, statements);
  for (const statement of statements) if (!isDoc(statement)) throw wrongType(field, statement, 'object');
  return statements as Doc[];
}

function readStatement(raw: Buffer): Doc {
  const statement = decode(raw);
  checkReadable(statement, raw);
  return statement;
}

/** Checks how many statements there are. */
export function checkBatch(
  call: CommandCall,
  field: string,
  statements: unknown[] | undefined,
): asserts statements is unknown[] {
  if (statements === undefined) {
    const text = `BSON field '${call.name}.${field}' is missing but a required field`;
    throw new MongoError(40414, 'IDLFailedToParse', text);
  }
  if (statements.length >= 1 && statements.length <= MAX_WRITE_BATCH) return;
  throw new MongoError(
    16,
    'InvalidLength',
    `Write batch sizes must be between 1 and ${MAX_WRITE_BATCH}. Got ${statements.length} operations.`,
  );
}
