/** The fields that every command may carry, and which of their values mean something that is not done here. */

import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import { anyValue, bool, type Fields, number, object, string } from './field-types.ts';
import { readBoolean, readDoc, readString, readWhole } from './fields.ts';

/** Checked below, or without effect on a server of one node that flushes each write. */
export const GENERIC_FIELDS: Fields = {
  $db: anyValue,
  $readPreference: anyValue,
  $clusterTime: anyValue,
  lsid: anyValue,
  comment: anyValue,
  readConcern: object,
  writeConcern: object,
  maxTimeMS: number,
  apiVersion: string,
  apiStrict: bool,
  apiDeprecationErrors: bool,
};

/** Refuses generic fields that ask for more than is done, of a command that writes or does not. Gives its deadline. */
export function checkGenericFields(body: Doc, isWrite: boolean): number {
  checkApiFields(body);
  const maxTime = readWhole(body, 'maxTimeMS', 0);
  if (maxTime < 0 || maxTime > MAX_TIME_MS) {
    const bound = maxTime < 0 ? '>= 0' : `<= ${MAX_TIME_MS}`;
    throw new MongoError(
      2,
      'BadValue',
      `BSON field 'maxTimeMS' value must be ${bound}, actual value '${maxTime}'`,
    );
  }
  const readConcern = readDoc(body, 'readConcern');
  if (readConcern) checkReadConcern(readConcern);
  const writeConcern = readDoc(body, 'writeConcern');
  if (writeConcern) checkWriteConcern(writeConcern, isWrite);
  return maxTime > 0 ? performance.now() + maxTime : Number.POSITIVE_INFINITY;
}

/** MongoDB's longest time: 2^31 - 1 ms. */
const MAX_TIME_MS = 2147483647;

function checkApiFields({ apiVersion, apiStrict, apiDeprecationErrors }: Doc): void {
  if ((apiVersion ?? undefined) === undefined) {
    if ((apiStrict ?? apiDeprecationErrors ?? undefined) === undefined) return;
    const text = 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion';
    throw new MongoError(4886600, 'Location4886600', text);
  }
  if (apiVersion !== '1') throw new MongoError(322, 'APIVersionError', 'API version must be "1"');
}

const READ_LEVELS = new Set(['local', 'available', 'majority']);

function checkReadConcern(concern: Doc): void {
  readString(concern, 'level');
  for (const [name, value] of Object.entries(concern)) {
    if (name === 'level' && value === null) continue;
    if (name === 'level' && READ_LEVELS.has(String(value))) continue;
    throw refused(`readConcern ${name}: ${String(value)}`);
  }
}

function checkWriteConcern(concern: Doc, isWrite: boolean): void {
  readBoolean(concern, 'j', false);
  if ((toNumber(concern.wtimeout) ?? 0) > MAX_TIME_MS) {
    throw new MongoError(9, 'FailedToParse', 'wtimeout must be a 32-bit integer');
  }
  for (const [name, value] of Object.entries(concern)) {
    if (name === 'w') {
      const nodes = Math.trunc(toNumber(value) ?? Number.NaN);
      if (value === 'majority' || nodes === 0 || nodes === 1) continue;
      if (value !== null && typeof value !== 'string' && !(nodes >= 0 && nodes <= MAX_NODES)) {
        throw new MongoError(9, 'FailedToParse', `w has to be a number from 0 to ${MAX_NODES} or a string`);
      }
      throw new MongoError(2, 'BadValue', "cannot use 'w' > 1 when a host is not replicated");
    }
    if (['j', 'journal', 'wtimeout', 'wtimeoutMS', 'fsync', 'provenance'].includes(name)) continue;
    throw new MongoError(40415, 'IDLUnknownField', `BSON field 'writeConcern.${name}' is an unknown field.`);
  }
  if (!isWrite) throw new MongoError(72, 'InvalidOptions', 'Command does not support writeConcern');
}

/** As many members as a replica set of MongoDB has at most. */
const MAX_NODES = 50;
