/** Changing documents: one matched document, or a new one by upsert. Inside write transactions only. */
import { ObjectId } from 'bson';
import { type Doc, decode, encode } from '../bson/document.ts';
import { checkChangedLevels } from '../bson/nesting.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import type { Collection } from '../storage/collection.ts';
import { checkSize } from '../storage/document-writer.ts';
import { type CompiledUpdate, upsertSeed } from '../update/update.ts';
import { checkId, checkIdFirst } from './document-id.ts';
import type { Engine } from './engine.ts';
import type { Match } from './query.ts';

/** Runs a step of a plan; its errors say so, as MongoDB's do. */
export function inPlanExecutor<T>(command: 'update' | 'findAndModify', step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    const message = `Plan executor error during ${command} :: caused by :: ${error.message}`;
    throw new MongoError(error.code, error.codeName, message, error.extra);
  }
}

export interface Changed {
  isModified: boolean;
  old: Buffer;
  raw: Buffer;
}

/** Applies an update to one matched document. One that made the same bytes again is a modification, but no write. */
export function applyUpdate(
  engine: Engine,
  collection: Collection,
  match: Match,
  filter: Doc,
  change: CompiledUpdate,
  now: Date,
): Changed {
  const old = match.doc ?? decode(match.raw);
  // A plan that proves the filter does not match it; the positional operator needs to know where it matched.
  const result = match.result ?? compileMatch(filter)(old);
  const doc = change.apply(old, result, { isInsert: false, now });
  if (doc === old) return { isModified: false, old: match.raw, raw: match.raw };
  const raw = encode(doc);
  if (raw.equals(match.raw)) return { isModified: true, old: match.raw, raw };
  checkChangedLevels(doc, raw, old);
  checkSize(raw);
  engine.writer.replace(collection, match.record, old, match.raw.length, doc, raw);
  return { isModified: true, old: match.raw, raw };
}

/** Inserts the document that an upsert makes of its filter and its change. */
export function upsert(
  engine: Engine,
  collection: Collection,
  filter: Doc,
  change: CompiledUpdate,
): { doc: Doc; raw: Buffer } {
  const made = change.apply(upsertSeed(filter), undefined, { isInsert: true, now: new Date() });
  const doc = withId(made);
  checkId(doc._id);
  const raw = encode(doc);
  checkChangedLevels(doc, raw);
  checkSize(raw);
  engine.writer.insert(collection, doc, raw);
  return { doc, raw };
}

function withId(made: Doc): Doc {
  const { _id = new ObjectId(), ...rest } = made;
  const doc = { _id, ...rest };
  checkIdFirst(doc);
  return doc;
}
