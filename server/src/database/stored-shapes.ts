import { isUuid, MAX_MESSAGE, MAX_USERNAME, text, uuid } from '@parlor/shared';
import { z } from 'zod';

/**
 * The bounds of what is stored, for the map of data (collection-data.ts): an import takes nothing that a route would have refused.
 * Where a route has a schema of a field, that one stands in the map.
 */

/** The longest id, in characters. Those that the server makes have 64 at most. */
export const MAX_ID = 100;

/** The most items of a list that no route bounds: ids of members, turns of a bot, keywords of an account. */
const MAX_ITEMS = 1_000;

/** An id, or another short text that the server makes. */
export const identifier = () => text({ max: MAX_ID });

/** A text that another server wrote. It stays as it came, with whatever it has in it. */
export const foreignText = (max: number) => z.string().max(max);

/** A text that servers alone make, in the form that they give it. */
export const made = (form: RegExp) => z.string().regex(form, { error: 'Not as a server makes it.' });

/**
 * What nearly every object is stored under: a UUID as the server spells it. Paths are read in either case, and name nothing else; what
 * follows from an object is named by it.
 */
export const ownUuid = () => z.string().refine((id) => isUuid(id) && id === id.toLowerCase());

/** Half of what can be counted to, so that it goes on from there. */
const MOST_COUNTED = 2 ** 52;

/** A count, or a version. */
export const count = () => z.int().min(0).max(MOST_COUNTED);

/** In milliseconds. */
export const duration = () => z.number().min(0).max(Number.MAX_SAFE_INTEGER);

/** At most `max` of something. */
export const listOf = <T extends z.ZodType>(item: T, max = MAX_ITEMS) => z.array(item).max(max);

const anyText = text({ max: MAX_MESSAGE });

const isWithinBounds = (value: unknown): boolean => {
  if (typeof value === 'string') return anyText.safeParse(value).success;
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (Array.isArray(value)) return value.every(isWithinBounds);
  if (typeof value !== 'object' || value === null || value instanceof Date) return true;
  return Object.entries(value).every((one) => isWithinBounds(one));
};

/** What an object holds beside what is known of it, as another version may have written it. */
export const ANYTHING = z.unknown().refine(isWithinBounds, { error: 'This value is out of bounds.' });

/** An object with at least these fields. */
export const open = <T extends z.core.$ZodLooseShape>(shape: T) => z.object(shape).catchall(ANYTHING);

/** A member as it was called when something was written or done: by its name, or by its username. */
export const memberThen = () => open({ uuid: uuid(), name: text({ max: MAX_USERNAME }) });
