/** What an operation answers, as text that is equal exactly when the answers mean the same. */
import { EJSON } from 'bson';
import type { Db } from 'mongodb';
import { groupKey } from '../../src/aggregation/group-key.ts';
import { COLLECTION, type Operation } from './operations.ts';
import type { Doc } from './values.ts';

/** An answer, or the number of the error. */
export interface Answer {
  /** Canonical EJSON of what is compared. */
  text: string;
  /** The error that a refusal by name is: MongoDB has it, this database has not. */
  isRefusal: boolean;
  /** For a failure to be read by people. */
  detail?: string;
}

const REFUSED = 238;
const RAW = { promoteValues: false, bsonRegExp: true } as const;
const canonical = (value: unknown) => EJSON.stringify(value, { relaxed: false });

/** Runs an operation and gives the part of its answer that two servers must agree on. */
export async function runOperation(db: Db, operation: Operation): Promise<Answer> {
  try {
    const reply = (await db.command(operation.command, RAW)) as Doc;
    const errors = (reply.writeErrors ?? []) as Doc[];
    const refused = errors.find((error) => Number(error.code) === REFUSED);
    const detail = errors.map((error) => `${error.code} ${error.errmsg}`).join('; ');
    return { text: canonical(comparable(operation, reply)), isRefusal: refused !== undefined, detail };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    // Not an answer but a lost connection: say what was asked.
    if (code === undefined) throw new Error(`${message} at ${canonical(operation)}`, { cause: error });
    const number = Number(code);
    return { text: `error ${number}`, isRefusal: number === REFUSED, detail: message };
  }
}

/** Every document of the collection, in its own order. */
export async function contents(db: Db): Promise<Doc[]> {
  return (await db.collection(COLLECTION).find({}, RAW).toArray()) as Doc[];
}

/** The documents as text, in an order of the text. */
export async function contentsText(db: Db): Promise<string> {
  return sorted(await contents(db)).join('\n');
}

/** The documents' bytes, in an order of the bytes: cheaper to compare than text, and no less exact. */
export async function contentsBytes(db: Db): Promise<string> {
  const found = db.collection(COLLECTION).find({}, { raw: true });
  const documents = (await found.toArray()) as unknown as Buffer[];
  return documents
    .map((bytes) => bytes.toString('latin1'))
    .sort()
    .join();
}

function comparable(operation: Operation, reply: Doc): unknown {
  const { cursor, values } = reply as { cursor?: { firstBatch: Doc[] }; values?: unknown[] };
  if (cursor !== undefined) {
    const batch = Object.hasOwn(operation.command, 'listIndexes')
      ? cursor.firstBatch.map(withoutVersion)
      : cursor.firstBatch;
    return operation.isOrdered ? batch : sorted(batch);
  }
  // Of values that are equal but not the same, such as 0 and -0.0, MongoDB gives any one.
  if (values !== undefined) return values.map(groupKey).sort();
  const { n, nModified, upserted, value, lastErrorObject, writeErrors } = reply;
  const errors = (writeErrors as Doc[] | undefined)?.map(({ index, code, keyPattern, keyValue }) => ({
    index,
    code,
    ...(keyPattern === undefined ? {} : { keyPattern, keyValue }),
  }));
  return { n, nModified, upserted, value, lastErrorObject, errors };
}

/** An index's `v` is the version of a format on disk, and the simple collation the one that is always meant. */
function withoutVersion({ v: _, collation, ...index }: Doc): Doc {
  return (collation as Doc | undefined)?.locale === 'simple' || collation === undefined
    ? index
    : { ...index, collation };
}

function sorted(values: unknown[]): string[] {
  return values.map(canonical).sort();
}
