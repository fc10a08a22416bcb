import type { StoredSighting } from './sightings.model.ts';

/** The sites of a widget (docs/limits.md). */
export const MAX_ORIGINS = 20;

/** So many of them are those that were seen last, however short a time: a new site is listed also beside many old ones. */
const LATEST = 5;

export type RankedSite = Pick<StoredSighting, '_id' | 'origin' | 'first_seen_at' | 'last_seen_at'>;

const lastSeen = ({ last_seen_at }: RankedSite): number => last_seen_at.getTime();
const seenFor = (site: RankedSite): number => lastSeen(site) - site.first_seen_at.getTime();

/**
 * Those of a widget's sites that are beyond what it may have. The ones stay that were seen over the longest time, so that none
 * that somebody makes up takes the place of a real one, and of the others those that were seen last.
 */
export const sitesBeyond = <T extends RankedSite>(all: readonly T[]): T[] =>
  [...all]
    .sort((a, b) => seenFor(b) - seenFor(a) || lastSeen(b) - lastSeen(a))
    .slice(MAX_ORIGINS - LATEST)
    .sort((a, b) => lastSeen(b) - lastSeen(a))
    .slice(LATEST);
