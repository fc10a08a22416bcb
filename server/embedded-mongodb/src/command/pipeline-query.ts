/** The part of a pipeline that a query plan can take over. */

import type { Doc } from '../bson/document.ts';
import { type Query, queryFor } from '../query/query.ts';
import { isDoc } from './fields.ts';

/** Splits the stages that a query plan can take over from those that run after it. */
export function splitPipeline(pipeline: readonly Doc[], hint: unknown): { query: Query; rest: Doc[] } {
  const query = queryFor({}, { hint });
  let at = 0;
  const filters: Doc[] = [];
  for (; at < pipeline.length; at++) {
    const stage = pipeline[at] as Doc;
    if (Object.keys(stage).length !== 1 || !isDoc(stage.$match)) break;
    filters.push(stage.$match);
  }
  if (filters.length === 1) query.filter = filters[0] as Doc;
  else if (filters.length > 1) query.filter = { $and: filters };
  const sort = pipeline[at];
  if (sort && Object.keys(sort).length === 1 && isDoc(sort.$sort) && Object.keys(sort.$sort).length > 0) {
    query.sort = sort.$sort;
    at++;
  }
  return { query, rest: pipeline.slice(at) };
}
