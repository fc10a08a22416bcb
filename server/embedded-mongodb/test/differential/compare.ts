/** Runs lists of operations on two servers and finds where their answers part. */
import type { Db } from 'mongodb';
import { contents, contentsBytes, contentsText, runOperation } from './answers.ts';
import { writeCase } from './cases.ts';
import { COLLECTION, type Operation } from './operations.ts';

/** Where two servers gave different answers. */
export interface Difference {
  operations: Operation[];
  embedded: string;
  real: string;
}

/** How many operations were compared, and how many of them the embedded database refused by name. */
export interface Tally {
  compared: number;
  refused: number;
  /** Answers that are errors on both sides, with the same number. */
  failed: number;
}

/** The two servers' databases, which this has for itself. */
export interface Pair {
  embedded: Db;
  real: Db;
}

/** Runs a list from an empty collection; gives the difference with the operations up to it. */
export async function compareList(
  pair: Pair,
  operations: Operation[],
  tally: Tally,
): Promise<Difference | undefined> {
  await Promise.all([pair.embedded, pair.real].map((db) => db.dropCollection(COLLECTION)));
  for (const [i, operation] of operations.entries()) {
    const found = await compareOne(pair, operation, tally);
    if (found !== undefined) return { operations: operations.slice(0, i + 1), ...found };
  }
  return undefined;
}

async function compareOne(
  pair: Pair,
  operation: Operation,
  tally: Tally,
): Promise<Omit<Difference, 'operations'> | undefined> {
  tally.compared++;
  const first = runOperation(pair.embedded, operation);
  // An index that one of them has not would show in later answers.
  if (Object.hasOwn(operation.command, 'createIndexes') && (await first).isRefusal) {
    tally.refused++;
    return undefined;
  }
  const [embedded, real] = await Promise.all([first, runOperation(pair.real, operation)]);
  if (embedded.isRefusal) tally.refused++;
  else if (hasErrors(embedded.text)) tally.failed++;
  const isAlike = hasSeveralMistakes(operation) && hasErrors(embedded.text) && hasErrors(real.text);
  if (embedded.isRefusal || isAlike) {
    // Part of it may have been done before the error; both go on from the same documents.
    if (operation.isWrite) await copyToReal(pair);
    return undefined;
  }
  if (embedded.text !== real.text) {
    const show = (answer: typeof real) => `${answer.text} ${answer.detail ?? ''}`;
    return { embedded: show(embedded), real: show(real) };
  }
  if (!operation.isWrite) return undefined;
  const [left, right] = await Promise.all([contentsBytes(pair.embedded), contentsBytes(pair.real)]);
  if (left === right) return undefined;
  return { embedded: await contentsText(pair.embedded), real: await contentsText(pair.real) };
}

/**
 * Whether an operation can go wrong in two ways at once: which of its parts is looked at first, or which of its
 * documents, is each server's choice.
 */
function hasSeveralMistakes({ command }: Operation): boolean {
  const updates = (command.updates ?? []) as { multi?: boolean }[];
  if (updates.some((one) => one.multi === true)) return true;
  return ['createIndexes', 'findAndModify', 'projection'].some((name) => Object.hasOwn(command, name));
}

function hasErrors(text: string): boolean {
  return text.startsWith('error') || text.includes('"errors":[');
}

async function copyToReal({ embedded, real }: Pair): Promise<void> {
  const documents = await contents(embedded);
  await real.collection(COLLECTION).deleteMany({});
  // By command: the driver's insertMany would replace an `_id` that is null.
  if (documents.length > 0) await real.command({ insert: COLLECTION, documents, ordered: false });
}

/** The shortest list that still shows a difference, found by leaving out more and more. */
export async function shrink(pair: Pair, difference: Difference): Promise<Difference> {
  let best = difference;
  const shows = async (operations: Operation[]) => {
    const found = await compareList(pair, operations, { compared: 0, refused: 0, failed: 0 });
    if (found !== undefined) best = found;
    return found !== undefined;
  };
  for (let size = Math.max(1, best.operations.length >> 1); size >= 1; size >>= 1) {
    // The first operation stays: without documents other differences would show.
    for (let at = 1; at < best.operations.length - 1; ) {
      const shorter = best.operations.toSpliced(at, size);
      if (shorter.length === 0 || !(await shows(shorter))) at += size;
    }
  }
  for (let i = 0; i < best.operations.length; i++) {
    for (let at = 0; ; ) {
      const documents = documentsOf(best.operations[i]);
      if (at >= documents.length) break;
      const fewer = withDocuments(best.operations[i] as Operation, documents.toSpliced(at, 1));
      if (!(await shows(best.operations.toSpliced(i, 1, fewer)))) at++;
    }
  }
  return best;
}

function documentsOf(operation: Operation | undefined): unknown[] {
  const { documents } = operation?.command ?? {};
  return Array.isArray(documents) && documents.length > 1 ? documents : [];
}

function withDocuments(operation: Operation, documents: unknown[]): Operation {
  return { ...operation, command: { ...operation.command, documents } };
}

/** A difference for a person to read; the operations can be pasted into `differential-cases.json`. */
export function describeDifference({ operations, embedded, real }: Difference): string {
  const lines = operations.map((operation) => `  ${writeCase(operation)}`);
  return `[\n${lines.join(',\n')}\n]\nembedded: ${embedded}\nMongoDB:  ${real}`;
}
