import { tooLong } from '@parlor/shared';
import { invalid } from '../../../platform/errors.ts';

/** A slash, and then neither another one nor what browsers take for one: anything else may name another host. */
const PATH = /^\/(?![/\\])/;

/** As it stands in an address: browsers take cookies of 4 096 bytes, and it is sealed in one. */
const MAX_PATH = 2_000;

/**
 * A path of this server, as a browser reads it: with dots resolved, and white space gone.
 * @throws ParlorError `invalid` for anything else
 */
export const ownPath = (text: string): string => {
  const base = 'https://here.invalid';
  if (PATH.test(text) && URL.canParse(text, base)) {
    const { origin, pathname, search, hash } = new URL(text, base);
    const path = `${pathname}${search}${hash}`;
    if (path.length > MAX_PATH) throw invalid({ return_to: [tooLong(MAX_PATH)] });
    if (origin === base && PATH.test(path)) return path;
  }
  throw invalid({ return_to: ['Enter a path of this server, such as /console/.'] });
};
