import type { Place } from './row-window.ts';

/** What of a page is left and come back to. */
export interface Left {
  /** The list, such as `leads`. */
  list: string;
  /** What it shows, such as a view or a filter: another one begins at its beginning. */
  of: string;
  /** Whether the rows are still those that were left. */
  isThere: boolean;
}

const places = new Map<string, { of: string; place: Place }>();

/** Where a list was left; undefined where it begins anew. */
export const placeOf = ({ list, of, isThere }: Left): Place | undefined => {
  const left = places.get(list);
  return isThere && left?.of === of ? left.place : undefined;
};

/** Keeps where a list is left, for whoever comes back from another page. */
export const leave = ({ list, of }: Left, place: Place): void => {
  places.set(list, { of, place });
};
