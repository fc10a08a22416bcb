/** The pipeline that drivers send for countDocuments: a count needs no documents. */

import type { Doc } from '../bson/document.ts';
import { toNumber } from '../bson/numbers.ts';
import type { Query } from '../query/query.ts';
import { isDoc } from './fields.ts';
import { splitPipeline } from './pipeline-query.ts';

export interface CountOnly {
  query: Query;
  /** The constant that all are grouped by. */
  id: unknown;
  /** The field that the count goes to. */
  field: string;
}

/** Recognizes `[$match…, $skip?, $limit?, { $group: { _id: <constant>, <field>: { $sum: 1 } } }]`. */
export function countOnly(pipeline: readonly Doc[], hint: unknown): CountOnly | undefined {
  const { query, rest } = splitPipeline(pipeline, hint);
  if (query.sort) return undefined;
  const stages = [...rest];
  const skip = takeWhole(stages, '$skip', 0);
  const limit = takeWhole(stages, '$limit', 1);
  const group = stages[0]?.$group;
  if (stages.length !== 1 || !isDoc(group) || Object.keys(stages[0] as Doc).length !== 1) return undefined;
  const [first, second, ...more] = Object.entries(group);
  if (!first || !second || more.length > 0 || first[0] !== '_id') return undefined;
  if (first[1] !== null && toNumber(first[1]) === undefined) return undefined;
  const [field, sum] = second;
  if (field.includes('.') || !isDoc(sum) || Object.keys(sum).length !== 1 || !isIntegerOne(sum.$sum))
    return undefined;
  return { query: { ...query, skip: skip ?? 0, limit: limit ?? 0 }, id: first[1], field };
}

/** Takes a leading stage away when its value is a whole number of at least `least`. */
function takeWhole(stages: Doc[], name: string, least: number): number | undefined {
  const [stage] = stages;
  if (!stage || Object.keys(stage).length !== 1) return undefined;
  const value = toNumber(stage[name]);
  if (value === undefined || !Number.isSafeInteger(value) || value < least) return undefined;
  stages.shift();
  return value;
}

function isIntegerOne(value: unknown): boolean {
  return (value as { _bsontype?: string } | undefined)?._bsontype === 'Int32' && toNumber(value) === 1;
}
