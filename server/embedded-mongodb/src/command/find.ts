/** find, getMore, killCursors. */
import type { Long } from 'bson';
import type { Doc } from '../bson/document.ts';
import { isIndex } from '../bson/values.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { compileProjection } from '../projection/projection.ts';
import { type Batch, DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import { documentsOf, type Query, sortFields } from '../query/query.ts';
import { cursorReply } from '../wire/cursor-reply.ts';
import type { Command, CommandCall } from './command.ts';
import {
  anyValue,
  type Fields,
  givenBool,
  givenObject,
  number,
  object,
  requiredArray,
  requiredString,
} from './field-types.ts';
import { missingField, readArray, readBoolean, readCount, readDoc, readHint, wrongType } from './fields.ts';
import { collectionName } from './namespace.ts';

const FIND_FIELDS: Fields = {
  filter: givenObject,
  sort: givenObject,
  projection: givenObject,
  hint: anyValue,
  skip: number,
  limit: number,
  batchSize: number,
  singleBatch: givenBool,
  allowDiskUse: givenBool,
  noCursorTimeout: givenBool,
  allowPartialResults: givenBool,
};

const FIND_REFUSED: Fields = {
  let: object,
  collation: givenObject,
  max: givenObject,
  min: givenObject,
  returnKey: givenBool,
  showRecordId: givenBool,
  tailable: givenBool,
  awaitData: givenBool,
  oplogReplay: givenBool,
  term: number,
  readOnce: givenBool,
};

/** Reads the query of a find command. */
export function readQuery(body: Doc): Query {
  const sort = emptyToUndefined(readDoc(body, 'sort'));
  const projection = emptyToUndefined(readDoc(body, 'projection'));
  // MongoDB may sort what the projection has left, in which a place of an array is none any more.
  if (projection && Object.keys(sort ?? {}).some((path) => path.split('.').some(isIndex)))
    throw refused('a sort by a place in an array beside a projection');
  return {
    filter: readDoc(body, 'filter') ?? {},
    sort,
    skip: readCount(body, 'skip', 0),
    limit: readCount(body, 'limit', 0),
    projection,
    hint: readHint(body),
    deadline: Number.POSITIVE_INFINITY,
  };
}

function emptyToUndefined(doc: Doc | undefined): Doc | undefined {
  return doc && Object.keys(doc).length > 0 ? doc : undefined;
}

export const find: Command = {
  fields: FIND_FIELDS,
  refused: FIND_REFUSED,
  run(call) {
    const { engine, body, db } = call;
    const ns = `${db}.${collectionName(call)}`;
    const query = { ...readQuery(body), deadline: call.deadline };
    const batchSize = readCount(body, 'batchSize', DEFAULT_FIRST_BATCH);
    const singleBatch = readBoolean(body, 'singleBatch', false);
    const collection = engine.catalog.get(ns);
    if (!collection) {
      compileMatch(query.filter);
      sortFields(query.sort);
      if (query.projection) compileProjection(query.projection, query.filter);
      return cursorReply('firstBatch', [], 0n, ns);
    }
    const answer = openCursor(call, ns, documentsOf(engine, collection, query), {
      batchSize,
      singleBatch,
      neverTimesOut: readBoolean(body, 'noCursorTimeout', false),
    });
    return withoutDeadline(answer, query);
  },
};

/** When something has to have ended, by `performance.now()`. */
export type TimeLimit = Pick<Query, 'deadline'>;

/** The time limit is for the command that it came with, not for the client's pauses between two batches. */
export function withoutDeadline(
  answer: Uint8Array | Promise<Uint8Array>,
  limit: TimeLimit,
): Uint8Array | Promise<Uint8Array> {
  if (limit.deadline === Number.POSITIVE_INFINITY) return answer;
  return Promise.resolve(answer).then((reply) => {
    limit.deadline = Number.POSITIVE_INFINITY;
    return reply;
  });
}

export interface CursorOptions {
  batchSize: number;
  singleBatch: boolean;
  neverTimesOut: boolean;
}

/** The first answer of a new cursor, which is kept unless everything fitted. */
export function openCursor(
  { engine, connection }: CommandCall,
  ns: string,
  documents: DocumentStream,
  { batchSize, singleBatch, neverTimesOut }: CursorOptions,
): Uint8Array | Promise<Uint8Array> {
  // A batch of 0 opens the cursor only; `take` would read 0 as no limit.
  if (batchSize === 0 && !singleBatch) {
    return cursorReply('firstBatch', [], engine.cursors.keep(ns, documents, undefined, neverTimesOut), ns);
  }
  const source: { documents: DocumentStream; held: Buffer | undefined } = { documents, held: undefined };
  const answer = (batch: Batch) => {
    let id = 0n;
    if (!batch.ended && singleBatch) documents.return?.();
    else if (!batch.ended) id = engine.cursors.keep(ns, documents, source.held, neverTimesOut);
    return cursorReply('firstBatch', batch.documents, id, ns);
  };
  const batch = engine.cursors.take(source, batchSize, connection);
  return batch instanceof Promise ? batch.then(answer) : answer(batch);
}

export const getMore: Command = {
  fields: { collection: requiredString, batchSize: number },
  refused: { term: number, lastKnownCommittedOpTime: object },
  run({ engine, connection, body, db, deadline }) {
    if (deadline !== Number.POSITIVE_INFINITY) {
      throw new MongoError(
        2,
        'BadValue',
        'cannot set maxTimeMS on getMore command for a non-awaitData cursor',
      );
    }
    const id = cursorId(body.getMore);
    if (body.collection === undefined) throw missingField('getMore.collection');
    const batchSize = readCount(body, 'batchSize', 0);
    const cursor = engine.cursors.get(id);
    const ns = `${db}.${String(body.collection)}`;
    if (cursor.ns !== ns) {
      const text = `Requested getMore on namespace '${ns}', but cursor belongs to a different namespace ${cursor.ns}`;
      throw new MongoError(13, 'Unauthorized', text);
    }
    const answer = (batch: Batch) => {
      cursor.isBusy = false;
      if (batch.ended) engine.cursors.kill(id);
      return cursorReply('nextBatch', batch.documents, batch.ended ? 0n : id, ns);
    };
    const fail = (error: unknown) => {
      engine.cursors.kill(id);
      throw error;
    };
    if (cursor.isBusy) throw new MongoError(143, 'CursorInUse', `cursor id ${id} is already in use`);
    cursor.isBusy = true;
    try {
      const batch = engine.cursors.take(cursor, batchSize, connection);
      return batch instanceof Promise ? batch.then(answer).catch(fail) : answer(batch);
    } catch (error) {
      return fail(error);
    }
  },
};

export const killCursors: Command = {
  fields: { cursors: requiredArray },
  run(call) {
    const { engine, body } = call;
    collectionName(call);
    const cursors = readArray(body, 'cursors');
    if (!cursors) throw missingField('killCursors.cursors');
    const cursorsKilled: unknown[] = [];
    const cursorsNotFound: unknown[] = [];
    for (const id of cursors) {
      (engine.cursors.kill(cursorId(id)) ? cursorsKilled : cursorsNotFound).push(id);
    }
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [] };
  },
};

function cursorId(value: unknown): bigint {
  if (value === null) throw missingField('getMore.getMore');
  if (typeof value === 'bigint') return value;
  if ((value as { _bsontype?: string } | undefined)?._bsontype !== 'Long')
    throw wrongType('getMore.getMore', value, 'long');
  return (value as Long).toBigInt();
}
