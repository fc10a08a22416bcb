import type { Doc } from '../bson/document.ts';
import { compileNode, type Details } from './filter.ts';

/** What a match found out beside the fact. */
export interface MatchResult {
  /** The index of the array element that matched: what `$` in an update or a projection stands for. */
  position?: number;
  /** Several parts of the filter matched at different indexes, or an `$or` did: `$` cannot be told for sure. */
  isPositionUncertain?: boolean;
}

/** Tests one document. */
export type Matcher = (doc: Doc) => MatchResult | undefined;

/**
 * Compiles a query filter. Everything wrong in it is thrown here with MongoDB's code; what MongoDB has and this
 * database has not is refused by name.
 */
export function compileMatch(filter: Doc): Matcher {
  const node = compileNode(filter);
  return (doc) => {
    const details: Details = { position: undefined, uncertain: false };
    if (!node(doc, details)) return undefined;
    const result: MatchResult = {};
    if (details.position !== undefined) result.position = details.position;
    if (details.uncertain) result.isPositionUncertain = true;
    return result;
  };
}
