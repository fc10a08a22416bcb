/** insert. */
import { ObjectId } from 'bson';
import { type Doc, decode, encode } from '../bson/document.ts';
import { checkNewLevels } from '../bson/nesting.ts';
import { checkStorable, checkTimestamps } from '../bson/storable.ts';
import { checkId, checkIdFirst } from '../query/document-id.ts';
import { checkSize } from '../storage/document-writer.ts';
import type { Command } from './command.ts';
import { array, bool, flag, givenBool } from './field-types.ts';
import { readArray, wrongType } from './fields.ts';
import { collectionName, ensuredCollection } from './namespace.ts';
import { checkBatch } from './statements.ts';
import { runStatements, writeErrorsOf } from './write-batch.ts';

export const insert: Command = {
  fields: { documents: array, ordered: bool, bypassDocumentValidation: flag },
  refused: { bypassEmptyTsReplacement: givenBool },
  isWrite: true,
  async run(call) {
    const { body, engine } = call;
    collectionName(call);
    const documents = call.sequences.get('documents') ?? readArray(body, 'documents');
    checkBatch(call, 'documents', documents);
    for (const [i, document] of documents.entries()) {
      if (!(document instanceof Uint8Array)) throw wrongType(`insert.documents.${i}`, document, 'object');
    }
    const tally = await runStatements(call, {
      statements: documents as Uint8Array[],
      run(document, _index, made) {
        const { doc, raw } = prepareInsert(document);
        engine.writer.insert(ensuredCollection(call), doc, raw);
        made.n++;
        return true;
      },
    });
    return { n: tally.n, ...writeErrorsOf(tally) };
  },
};

/** Checks a new document, gives it an `_id` when it has none, and moves the `_id` to the front. */
export function prepareInsert(bytes: Uint8Array): { doc: Doc; raw: Buffer } {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const doc = decode(raw);
  checkStorable(doc, raw);
  checkTimestamps(doc, 'a new document');
  checkNewLevels(doc, raw);
  if (!Object.hasOwn(doc, '_id')) return withFirstId({ _id: new ObjectId(), ...doc });
  checkId(doc._id);
  if (Object.keys(doc)[0] === '_id') {
    checkSize(raw);
    return { doc, raw };
  }
  const { _id, ...rest } = doc;
  return withFirstId({ _id, ...rest });
}

function withFirstId(doc: Doc): { doc: Doc; raw: Buffer } {
  const raw = encode(doc);
  // Names like "7" come before `_id` in a JavaScript object, wherever it was put.
  checkStorable(doc, raw);
  checkIdFirst(doc);
  checkSize(raw);
  return { doc, raw };
}
