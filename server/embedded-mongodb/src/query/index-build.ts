/** Building indexes: at once where few documents are there, else in parts that let others have turns. */

import { decode } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import type { NewIndex } from '../index-key/index-spec.ts';
import { timeExpired } from '../limits/pace.ts';
import type { Collection } from '../storage/collection.ts';
import { WORK_OF_TRANSACTION_MS } from '../storage/environment.ts';
import { idPrefix } from '../storage/id-key.ts';
import type { IndexBuild } from '../storage/index-builds.ts';
import { after } from '../storage/key-space.ts';
import type { Engine } from './engine.ts';
import { partSize } from './multi-write.ts';

/** A build that is not done, and the first key that a record which it has not come to may have. */
interface Unfinished {
  build: IndexBuild;
  from: Buffer;
}

/**
 * Begins to build indexes in the running transaction. Those of few documents are in use when it ends; of others it gives what
 * `finishBuild` has to go on with. Fails where one can't be built, and leaves none then.
 */
export function beginBuild(
  engine: Engine,
  collection: Collection,
  specs: readonly NewIndex[],
): Unfinished | undefined {
  const { builds } = engine.catalog;
  const build = engine.catalog.beginBuild(collection, specs);
  try {
    const from = buildPart(engine, build, recordsOf(collection).low);
    if (from) return { build, from };
  } catch (error) {
    builds.end(build);
    throw error;
  }
  builds.end(build);
  return undefined;
}

/**
 * Goes on with a build up to its end, at which all of its indexes are taken into use. Fails where one can't be built, or is
 * dropped meanwhile, and leaves none then.
 */
export async function finishBuild(
  engine: Engine,
  { build, from }: Unfinished,
  deadline: number,
): Promise<void> {
  try {
    for (let next: Buffer | undefined = from; next; ) {
      if (performance.now() > deadline) throw timeExpired();
      const start: Buffer = next;
      next = await engine.environment.write(() => buildPart(engine, build, start));
    }
  } finally {
    engine.catalog.builds.end(build);
  }
}

/** Makes the entries of some documents. @returns where the next part begins; undefined when the indexes are in use */
function buildPart(engine: Engine, build: IndexBuild, from: Buffer): Buffer | undefined {
  const collection = engine.catalog.withId(build.collectionId);
  if (!collection) throw aborted('collection dropped');
  if (build.failure) throw build.failure;
  const part = partSize(engine);
  const until = performance.now() + WORK_OF_TRANSACTION_MS;
  const { environment } = engine;
  const scan = environment.scan(environment.records, from, recordsOf(collection).high, false);
  let documents = 0;
  let bytes = 0;
  while (scan.next()) {
    const doc = decode(scan.value);
    for (const index of build.indexes) engine.writer.addToIndex(collection, index, doc, scan.key);
    bytes += scan.value.length;
    const isFull = ++documents >= part.documents || bytes >= part.bytes || performance.now() > until;
    if (isFull) return Buffer.concat([scan.key, FIRST_BYTE]);
  }
  engine.catalog.endBuild(collection, build);
  return undefined;
}

/** What the first key after another one has in addition. */
const FIRST_BYTE = Buffer.from([0]);

function recordsOf({ id }: Collection): { low: Buffer; high: Buffer } {
  const low = idPrefix(id);
  return { low, high: after(low) };
}

/** Error 276: what a build was for is gone. */
export function aborted(why: string): MongoError {
  return new MongoError(276, 'IndexBuildAborted', `Index build aborted: ${why}`);
}
