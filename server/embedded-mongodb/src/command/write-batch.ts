/**
 * Running the statements of insert, update and delete: in order, as many in one transaction as are quick, errors by
 * their index. A statement that takes longer than a time slice is done in parts, each in a transaction of its own, and
 * yields between them, as in MongoDB.
 */
import { calculateObjectSize, Int32 } from 'bson';
import type { Doc } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { timeExpired } from '../limits/pace.ts';
import { WORK_OF_TRANSACTION_MS } from '../storage/environment.ts';
import type { CommandCall } from './command.ts';
import { readBoolean } from './fields.ts';

/** What statements have done. */
export interface Tally {
  n: number;
  nModified: number;
  upserted: Doc[];
  writeErrors: Doc[];
  /** What the texts and values of the errors take, in bytes. */
  errorBytes: number;
}

export interface Statements<T> {
  statements: readonly T[];
  /** Runs a whole statement inside a transaction. False when it would take long; then it has changed nothing. */
  run(statement: T, index: number, tally: Tally): boolean;
  /** Runs one that takes long, in transactions of its own. */
  runInBatches?(statement: T, index: number, tally: Tally): Promise<void>;
}

/** How many statements share one transaction at most. */
const STATEMENTS_PER_TRANSACTION = 1000;

/** Runs all statements, or up to the first error when the command's are `ordered`. */
export async function runStatements<T>(call: CommandCall, batch: Statements<T>): Promise<Tally> {
  const { statements } = batch;
  const isOrdered = readBoolean(call.body, 'ordered', true);
  const total = newTally();
  const isOver = () => isOrdered && total.writeErrors.length > 0;
  for (let next = 0; next < statements.length && !isOver(); ) {
    const part = await call.engine.environment.write(() => runPart(call, batch, next, isOrdered));
    add(total, part.tally);
    next = part.next;
    if (!part.isStuck || isOver()) continue;
    try {
      await batch.runInBatches?.(statements[next] as T, next, total);
    } catch (error) {
      noteError(total, next, error);
    }
    next++;
  }
  return total;
}

interface Part {
  tally: Tally;
  next: number;
  /** Whether the next statement takes too long for this. */
  isStuck: boolean;
}

/** Everything is counted anew, because a transaction that fails is run again. */
function runPart<T>(call: CommandCall, batch: Statements<T>, from: number, isOrdered: boolean): Part {
  const tally = newTally();
  const end = Math.min(batch.statements.length, from + STATEMENTS_PER_TRANSACTION);
  const until = performance.now() + WORK_OF_TRANSACTION_MS;
  for (let next = from; next < end; next++) {
    const now = performance.now();
    if (next > from && now > call.deadline) throw timeExpired();
    if (next > from && now > until) return { tally, next, isStuck: false };
    try {
      if (!batch.run(batch.statements[next] as T, next, tally)) return { tally, next, isStuck: true };
    } catch (error) {
      noteError(tally, next, error);
      if (isOrdered) break;
    }
  }
  return { tally, next: end, isStuck: false };
}

/** Only MongoDB's own errors are a statement's; and a command that ran out of time fails as a whole. */
function noteError(tally: Tally, index: number, error: unknown): void {
  if (!(error instanceof MongoError) || error.code === TIME_EXPIRED) throw error;
  addError(tally, { index: new Int32(index), code: error.code, errmsg: error.message, ...error.extra });
}

/** One answer has room for the errors of the largest batch: beyond this many bytes an error is its code alone. */
const MAX_ERROR_BYTES = 4 * 1024 * 1024;

function addError(tally: Tally, error: Doc): void {
  const bytes = tally.errorBytes + calculateObjectSize(error);
  const isWhole = bytes <= MAX_ERROR_BYTES;
  if (isWhole) tally.errorBytes = bytes;
  tally.writeErrors.push(isWhole ? error : { index: error.index, code: error.code, errmsg: '' });
}

const TIME_EXPIRED = 50;

function newTally(): Tally {
  return { n: 0, nModified: 0, upserted: [], writeErrors: [], errorBytes: 0 };
}

function add(total: Tally, part: Tally): void {
  total.n += part.n;
  total.nModified += part.nModified;
  total.upserted.push(...part.upserted);
  for (const error of part.writeErrors) addError(total, error);
}

/** The part of an answer that says what went wrong. */
export function writeErrorsOf({ writeErrors }: Tally): { writeErrors?: Doc[] } {
  return writeErrors.length > 0 ? { writeErrors } : {};
}
