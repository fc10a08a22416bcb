/** The fields that every command may carry, and which of their values mean something that is not done here. */

import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { isDoc, readCount } from './fields.ts';

/** Checked below, or without effect on a server of one node that flushes each write. */
export const GENERIC_FIELDS: ReadonlySet<string> = new Set([
  '$db',
  '$readPreference',
  '$clusterTime',
  'lsid',
  'comment',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
  'apiVersion',
  'apiStrict',
  'apiDeprecationErrors',
]);

/** Refuses generic fields that ask for more than is done. Gives the command's deadline. */
export function checkGenericFields(body: Doc): number {
  if (body.readConcern !== undefined) checkReadConcern(body.readConcern);
  if (body.writeConcern !== undefined) checkWriteConcern(body.writeConcern);
  if (body.apiVersion !== undefined && body.apiVersion !== '1') {
    throw new MongoError(322, 'APIVersionError', 'API version must be "1"');
  }
  const maxTime = readCount(body, 'maxTimeMS', 0);
  return maxTime > 0 ? performance.now() + maxTime : Number.POSITIVE_INFINITY;
}

const READ_LEVELS = new Set(['local', 'available', 'majority']);

function checkReadConcern(concern: unknown): void {
  if (!isDoc(concern)) throw new MongoError(14, 'TypeMismatch', 'readConcern must be an object');
  for (const [name, value] of Object.entries(concern)) {
    if (name === 'level' && READ_LEVELS.has(String(value))) continue;
    throw refused(`readConcern ${name}: ${String(value)}`);
  }
}

function checkWriteConcern(concern: unknown): void {
  if (!isDoc(concern)) throw new MongoError(14, 'TypeMismatch', 'writeConcern must be an object');
  for (const [name, value] of Object.entries(concern)) {
    if (name === 'w') {
      if (value === 'majority' || toNumber(value) === 0 || toNumber(value) === 1) continue;
      throw new MongoError(2, 'BadValue', "cannot use 'w' > 1 when a host is not replicated");
    }
    if (['j', 'journal', 'wtimeout', 'wtimeoutMS', 'fsync', 'provenance'].includes(name)) continue;
    throw new MongoError(40415, 'IDLUnknownField', `BSON field 'writeConcern.${name}' is an unknown field.`);
  }
}
