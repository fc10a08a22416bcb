/** aggregate: a leading $match and $sort are planned like a find, the rest runs over what they give. */
import { Int32, Long } from 'bson';
import { compilePipeline } from '../aggregation/pipeline.ts';
import type { PipelineEnvironment } from '../aggregation/stage.ts';
import { type Doc, decode, encode } from '../bson/document.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { timeExpired } from '../limits/pace.ts';
import { countMatches } from '../query/count.ts';
import { DEFAULT_FIRST_BATCH, type DocumentStream } from '../query/cursors.ts';
import type { Engine } from '../query/engine.ts';
import { matchesOf, type Pause, planQuery, type Query } from '../query/query.ts';
import type { Collection } from '../storage/collection.ts';
import { cursorReply } from '../wire/cursor-reply.ts';
import { checkFields } from './check-fields.ts';
import { collStatsOf } from './coll-stats-stage.ts';
import type { Command, CommandCall } from './command.ts';
import { type CountOnly, countOnly } from './count-only.ts';
import {
  anyValue,
  type Fields,
  flag,
  givenArray,
  givenBool,
  givenObject,
  number,
  object,
} from './field-types.ts';
import { isDoc, missingField, readBoolean, readCount, readDoc, readHint, wrongType } from './fields.ts';
import { openCursor, type TimeLimit, withoutDeadline } from './find.ts';
import { collectionName } from './namespace.ts';
import { splitPipeline } from './pipeline-query.ts';

export const aggregate: Command = {
  fields: {
    pipeline: givenArray,
    cursor: givenObject,
    allowDiskUse: givenBool,
    hint: anyValue,
    bypassDocumentValidation: flag,
    explain: givenBool,
  },
  refused: { collation: object, let: object, exchange: object, fromMongos: givenBool, needsMerge: givenBool },
  isWrite: true,
  run(call) {
    const { engine, body, db } = call;
    const name = body.aggregate;
    if (typeof name !== 'string') {
      throw refused('an aggregation without a collection');
    }
    const ns = `${db}.${collectionName(call)}`;
    if (readBoolean(body, 'explain', false)) {
      throw refused('aggregate.explain; use the explain command');
    }
    const pipeline = readPipeline(body);
    const cursor = readDoc(body, 'cursor');
    if (!cursor) {
      const text = "The 'cursor' option is required, except for aggregate with the explain argument";
      throw new MongoError(9, 'FailedToParse', text);
    }
    checkFields('cursor', CURSOR_FIELDS, cursor);
    const batchSize = readCount(cursor, 'batchSize', DEFAULT_FIRST_BATCH);
    const stats = collStatsOf(call, pipeline);
    if (stats) {
      const run = compilePipeline(pipeline.slice(1), environmentOf(engine));
      const documents = [...run([decode(encode(stats))])].flatMap((doc) => (doc ? [encode(doc)] : []));
      return openCursor(call, ns, documents.values() as DocumentStream, { ...CURSOR, batchSize });
    }
    const hint = readHint(body);
    const counted = countOnly(pipeline, hint);
    if (counted) {
      // Compiled all the same, so that what is wrong in the stages is said as for any pipeline.
      compilePipeline([...pipeline], environmentOf(engine));
      return answerCount(call, ns, { ...counted, query: { ...counted.query, deadline: call.deadline } });
    }
    const limit: TimeLimit = { deadline: call.deadline };
    const documents = runPipeline(engine, engine.catalog.get(ns), pipeline, hint, limit);
    return withoutDeadline(openCursor(call, ns, documents, { ...CURSOR, batchSize }), limit);
  },
};

const CURSOR_FIELDS: Fields = { batchSize: number };

const CURSOR = { singleBatch: false, neverTimesOut: false };

async function answerCount(
  call: CommandCall,
  ns: string,
  { query, id, field }: CountOnly,
): Promise<Uint8Array> {
  const collection = call.engine.catalog.get(ns);
  const count = collection ? await countMatches(call.engine, collection, query, call.connection) : 0;
  const answer = { _id: id, [field]: count <= MAX_INT32 ? new Int32(count) : Long.fromNumber(count) };
  return cursorReply('firstBatch', count > 0 ? [encode(answer)] : [], 0n, ns);
}

const MAX_INT32 = 2 ** 31 - 1;

/** Reads a pipeline's stages. */
export function readPipeline(body: Doc): Doc[] {
  const { pipeline } = body;
  if (pipeline === undefined) throw missingField('aggregate.pipeline');
  if (!Array.isArray(pipeline)) throw wrongType('aggregate.pipeline', pipeline, 'array');
  for (const stage of pipeline) if (!isDoc(stage)) throw wrongType('aggregate.pipeline', stage, 'object');
  return pipeline as Doc[];
}

function* runPipeline(
  engine: Engine,
  collection: Collection | undefined,
  pipeline: readonly Doc[],
  hint: unknown,
  limit: TimeLimit,
): Generator<Buffer | Pause, void, void> {
  const env = environmentOf(engine);
  // The whole pipeline is compiled first, so that what is wrong in the planned stages is said as for any stage.
  compilePipeline([...pipeline], env);
  const { query, rest } = splitPipeline(pipeline, hint);
  const run = compilePipeline(rest, env);
  for (const doc of run(collection ? documents(engine, collection, query) : [])) {
    // Every stage hands on the pauses of the reading, so this is looked at often enough.
    if (!doc && performance.now() > limit.deadline) throw timeExpired();
    yield doc && encode(doc);
  }
}

/** What compiling a pipeline needs to know. */
export const environmentOf = ({ memory }: Engine): PipelineEnvironment => ({ now: new Date(), memory });

function* documents(
  engine: Engine,
  collection: Collection,
  query: Query,
): Generator<Doc | Pause, void, void> {
  for (const match of matchesOf(engine, planQuery(engine, collection, query), query)) {
    yield match && (match.doc ?? decode(match.raw));
  }
}
