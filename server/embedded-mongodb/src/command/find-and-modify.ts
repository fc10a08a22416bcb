/** findAndModify. */

import { type Doc, decode } from '../bson/document.ts';
import { MongoError } from '../errors/mongo-error.ts';
import { compileMatch } from '../matcher/matcher.ts';
import { compileProjection } from '../projection/projection.ts';
import { applyUpdate, inPlanExecutor, upsert } from '../query/apply-update.ts';
import { allMatches, type Query, queryFor, sortFields } from '../query/query.ts';
import type { Command, CommandCall } from './command.ts';
import { anyValue, array, flag, givenBool, object } from './field-types.ts';
import { isDoc, readBoolean, readDoc, readHint } from './fields.ts';
import { collectionName, ensuredCollection, existingCollection } from './namespace.ts';
import { readChange } from './update.ts';

export const findAndModify: Command = {
  fields: {
    query: object,
    sort: object,
    remove: flag,
    update: anyValue,
    new: flag,
    fields: object,
    upsert: flag,
    arrayFilters: array,
    hint: anyValue,
    bypassDocumentValidation: flag,
  },
  refused: { collation: object, let: object, bypassEmptyTsReplacement: givenBool },
  isWrite: true,
  async run(call) {
    const { engine, body } = call;
    collectionName(call);
    const isRemove = readBoolean(body, 'remove', false);
    checkCombination(body, isRemove);
    return engine.environment.write(() => (isRemove ? removeOne(call) : updateOne(call)));
  },
};

/** Checks what can't be asked for together. */
export function checkCombination(body: Doc, isRemove: boolean): void {
  const fail = (text: string) => new MongoError(9, 'FailedToParse', text);
  if (isRemove) {
    if (body.update !== undefined) throw fail('Cannot specify both an update and remove=true');
    if (readBoolean(body, 'upsert', false)) throw fail('Cannot specify both upsert=true and remove=true ');
    if (readBoolean(body, 'new', false)) {
      throw fail(
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      );
    }
  } else if (body.update === undefined) {
    throw fail('Either an update or remove=true must be specified');
  }
}

function oneQuery({ body, deadline }: CommandCall): Query {
  const sort = readDoc(body, 'sort');
  return queryFor(readDoc(body, 'query') ?? {}, {
    sort: sort && Object.keys(sort).length > 0 ? sort : undefined,
    limit: 1,
    hint: readHint(body),
    deadline,
  });
}

function removeOne(call: CommandCall): Doc {
  const { engine, body } = call;
  const query = oneQuery(call);
  compileMatch(query.filter);
  sortFields(query.sort);
  const show = projector(body, query.filter);
  const collection = existingCollection(call);
  const match = collection && allMatches(engine, collection, query)[0];
  if (!collection || !match) return { lastErrorObject: { n: 0 }, value: null };
  const doc = match.doc ?? decode(match.raw);
  const value = show(doc);
  engine.writer.remove(collection, match.record, doc, match.raw.length);
  return { lastErrorObject: { n: 1 }, value };
}

function updateOne(call: CommandCall): Doc {
  const { engine, body } = call;
  const query = oneQuery(call);
  if (!isDoc(body.update) && !Array.isArray(body.update)) {
    throw new MongoError(9, 'FailedToParse', 'Update argument must be either an object or an array');
  }
  const change = readChange(body.update, body);
  compileMatch(query.filter);
  sortFields(query.sort);
  const show = projector(body, query.filter);
  const returnsNew = readBoolean(body, 'new', false);
  const collection = existingCollection(call);
  if (returnsNew && (collection || readBoolean(body, 'upsert', false))) refusePositional(body);
  const match = collection && allMatches(engine, collection, query)[0];
  if (collection && match) {
    const { old, raw } = inPlanExecutor('findAndModify', () =>
      applyUpdate(engine, collection, match, query.filter, change, new Date()),
    );
    return { lastErrorObject: { n: 1, updatedExisting: true }, value: show(decode(returnsNew ? raw : old)) };
  }
  if (!readBoolean(body, 'upsert', false)) {
    return { lastErrorObject: { n: 0, updatedExisting: false }, value: null };
  }
  const { doc, raw } = inPlanExecutor('findAndModify', () =>
    upsert(engine, ensuredCollection(call), query.filter, change),
  );
  const value = returnsNew ? show(decode(raw)) : null;
  return { lastErrorObject: { n: 1, updatedExisting: false, upserted: doc._id }, value };
}

/** What the filter matched in the old document says nothing about the new one. */
function refusePositional(body: Doc): void {
  if (!Object.keys(readDoc(body, 'fields') ?? {}).some((path) => path.endsWith('.$'))) return;
  throw new MongoError(2, 'BadValue', 'cannot use a positional projection and return the new document');
}

function projector(body: Doc, filter: Doc): (doc: Doc) => Doc {
  const fields = readDoc(body, 'fields');
  return fields && Object.keys(fields).length > 0 ? compileProjection(fields, filter) : (doc) => doc;
}
