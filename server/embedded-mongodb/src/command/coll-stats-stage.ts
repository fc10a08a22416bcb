/** $collStats, which stands first in a pipeline and gives one document: what mongosh's stats() asks for. */
import { hostname } from 'node:os';
import type { Doc } from '../bson/document.ts';
import { MongoError, refused } from '../errors/mongo-error.ts';
import type { CommandCall } from './command.ts';
import { isDoc, readDoc, wrongType } from './fields.ts';
import { existingCollection } from './namespace.ts';
import { readScale, storageStats } from './stats.ts';

const REFUSED = new Set(['latencyStats', 'queryExecStats', 'operationStats']);

/** The document of a pipeline's first stage, when that is a $collStats. */
export function collStatsOf(call: CommandCall, pipeline: readonly Doc[]): Doc | undefined {
  const [first] = pipeline;
  if (!first || Object.keys(first).length !== 1 || !Object.hasOwn(first, '$collStats')) return undefined;
  const spec = first.$collStats;
  if (!isDoc(spec)) throw new MongoError(5447000, 'Location5447000', '$collStats must take a nested object');
  for (const [name, value] of Object.entries(spec)) {
    if (REFUSED.has(name)) {
      throw refused(`$collStats.${name}`);
    }
    if (name !== 'count' && name !== 'storageStats') {
      throw new MongoError(40415, 'IDLUnknownField', `BSON field '$collStats.${name}' is an unknown field.`);
    }
    if (value !== null && !isDoc(value)) throw wrongType(`$collStats.${name}`, value, 'object');
  }
  const collection = existingCollection(call);
  const ns = `${call.db}.${String(call.body.aggregate)}`;
  const [asked] = Object.keys(spec);
  if (!collection && asked) {
    const text = `Unable to retrieve ${asked} in $collStats stage :: caused by :: Collection [${ns}] not found.`;
    throw new MongoError(26, 'NamespaceNotFound', text);
  }
  const storage = readDoc(spec, 'storageStats');
  return {
    ns,
    host: hostname(),
    localTime: new Date(),
    ...(storage ? { storageStats: storageStats(call.engine, collection, readScale(storage)) } : {}),
    ...(spec.count ? { count: collection?.count ?? 0 } : {}),
  };
}
