import { isUuid, MAX_PAGE_SIZE } from '@parlor/shared';
import type { Days, Page, Steps } from '../database/pages.ts';
import { invalid } from '../platform/errors.ts';
import type { Context } from './context.ts';
import { type Caller, inTurn } from './turns.ts';

/** Page sizes (docs/contract.md#lists). */
export const DEFAULT_LIMIT = 100;

/** Characters; longer ones were not handed out here. */
export const MAX_CURSOR = 200;

const DAY_MS = 86_400_000;

/** What has been read of requests' queries. */
const readOf = new WeakMap<Pick<Context, 'query'>, Map<string, string>>();

/** One value of a query parameter; a repeated one is an error rather than a guess. */
export const queryValue = (ctx: Pick<Context, 'query'>, name: string): string | undefined => {
  const value = ctx.query[name];
  if (Array.isArray(value)) throw invalid({ [name]: ['This parameter may be given only once.'] });
  if (value !== undefined) {
    const read = readOf.get(ctx) ?? new Map<string, string>();
    readOf.set(ctx, read.set(name, value));
  }
  return value;
};

/**
 * What `Link` says of another page of the same list. It repeats the parameters that were read, whose lengths are bounded:
 * headers of some KiB are more than proxies take.
 */
export const linkTo = (ctx: Context, rel: string, cursor: string, baseUrl: string): string => {
  const query = new URLSearchParams([...(readOf.get(ctx) ?? [])]);
  // A cursor goes on from where that has led to.
  query.delete('around');
  query.set('cursor', cursor);
  return `<${baseUrl}${ctx.path}?${query}>; rel="${rel}"`;
};

/** @throws ParlorError `invalid` unless the parameter is a whole number from `min` to `max`. */
export const queryInteger = (
  ctx: Pick<Context, 'query'>,
  name: string,
  { min, max, fallback }: { min: number; max: number; fallback: number },
): number => {
  const text = queryValue(ctx, name);
  if (text === undefined) return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= min && value <= max) return value;
  throw invalid({ [name]: [`A whole number from ${min} to ${max} is required.`] });
};

/** @throws ParlorError `invalid` unless the parameter is one of these. */
export const queryChoice = <const T extends string>(
  ctx: Pick<Context, 'query'>,
  name: string,
  choices: readonly T[],
): T | undefined => {
  const value = queryValue(ctx, name);
  if (value === undefined) return undefined;
  const choice = choices.find((known) => known === value);
  if (choice === undefined) throw invalid({ [name]: [`One of ${choices.join(', ')} is required.`] });
  return choice;
};

/** In lower case. @throws ParlorError `invalid` unless the parameter is a UUID. */
export const queryUuid = (ctx: Pick<Context, 'query'>, name: string): string | undefined => {
  const value = queryValue(ctx, name);
  if (value !== undefined && !isUuid(value)) throw invalid({ [name]: ['Must be a valid UUID.'] });
  return value?.toLowerCase();
};

const queryDay = (ctx: Context, name: string): Date | undefined => {
  const text = queryValue(ctx, name);
  if (text === undefined) return undefined;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : undefined;
  if (day && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)) return day;
  throw invalid({ [name]: ['Date has wrong format. Use one of these formats instead: YYYY-MM-DD.'] });
};

/** `start_date` and `end_date`: UTC days, both inclusive, each alone or together. */
export const queryDays = (ctx: Context): Days => {
  const from = queryDay(ctx, 'start_date');
  const last = queryDay(ctx, 'end_date');
  if (from && last && from > last) throw invalid({ start_date: ['start_date may not be after end_date.'] });
  return { from, until: last && new Date(last.getTime() + DAY_MS) };
};

/** @param more what tells cursors apart that lead elsewhere than those of lists do */
export const encodeCursor = (time: Date, id: string, ...more: string[]): string =>
  Buffer.from(JSON.stringify([time.getTime(), id, ...more])).toString('base64url');

/** @throws ParlorError `invalid` unless it was encoded with the same `more` */
export const decodeCursor = (text: string, ...more: string[]): { time: Date; id: string } => {
  try {
    if (text.length > MAX_CURSOR) throw new Error('too long');
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    if (Array.isArray(value) && value.length === 2 + more.length) {
      const [time, id, ...rest] = value;
      if (more.some((one, at) => one !== rest[at])) throw new Error('of another kind');
      if (Number.isSafeInteger(time) && Math.abs(time) <= 8.64e15 && typeof id === 'string') {
        return { time: new Date(time), id };
      }
    }
  } catch {
    // Not JSON, or of another kind: not a cursor that was handed out here.
  }
  throw invalid({ cursor: ['Invalid cursor.'] });
};

/** How many items a list may hold. */
export const queryLimit = (ctx: Context): number =>
  queryInteger(ctx, 'limit', { min: 1, max: MAX_PAGE_SIZE, fallback: DEFAULT_LIMIT });

/** Where a page begins: behind the last object of the one before. */
export const queryCursor = (ctx: Context): Page['after'] => {
  const cursor = queryValue(ctx, 'cursor');
  return cursor === undefined ? undefined : decodeCursor(cursor);
};

/** Reads `limit`, `cursor`, `start_date` and `end_date`. */
export const readPage = (ctx: Context): Page => ({
  limit: queryLimit(ctx),
  after: queryCursor(ctx),
  ...queryDays(ctx),
});

/** A list ends its page here, whatever `limit` says; a single object that is larger is a page by itself. */
export const PAGE_BYTES = 2 * 1024 * 1024;

/** Documents that are presented together, where presenting them reads little. */
const PRESENTED_TOGETHER = 200;

/** A list: where its documents come from and how they are shown. */
export interface List<T> {
  /** The documents of the page, newest first, in steps. */
  steps: Steps<T>;
  timeField: keyof T & string;
  /** What is shown of each, in the same order; undefined leaves it out. */
  present(documents: T[]): readonly (object | undefined)[] | Promise<readonly (object | undefined)[]>;
  /** How many documents `present` gets at once. */
  together?: number;
}

/**
 * The texts of a page, and where there is a next page, the document behind which that begins.
 * @param before what stands before the first of them
 */
export const readTexts = async <T>(
  { steps, present, together = PRESENTED_TOGETHER }: Omit<List<T>, 'timeField'>,
  limit: number,
  most = PAGE_BYTES,
  before?: T,
): Promise<{ texts: string[]; next: T | undefined }> => {
  const texts: string[] = [];
  let bytes = '[]'.length;
  let count = 0;
  let last = before;
  let end: T | undefined;
  const read = async function* () {
    end = yield* steps;
  };
  for await (const step of read()) {
    for (let from = 0; from < step.length; from += together) {
      if (count === limit) return { texts, next: last };
      const documents = step.slice(from, from + together);
      const shown = await present(documents.slice(0, limit - count));
      for (const [index, document] of documents.entries()) {
        const text = JSON.stringify(shown[index]) as string | undefined;
        if (text !== undefined) bytes += Buffer.byteLength(text) + ','.length;
        if (count === limit || (bytes > most && texts.length > 0)) return { texts, next: last };
        if (text !== undefined) texts.push(text);
        last = document;
        count++;
      }
    }
  }
  return { texts, next: end };
};

/** The first of some objects, as many as fit into a response. */
export const fitting = <T extends object>(objects: readonly T[]): T[] => {
  let bytes = 0;
  const end = objects.findIndex((object) => {
    bytes += Buffer.byteLength(JSON.stringify(object)) + ','.length;
    return bytes > PAGE_BYTES;
  });
  return objects.slice(0, end === -1 ? objects.length : end);
};

/**
 * Answers with a bare array; the next page's address stands in `Link` (RFC 8288) only.
 * @param listFor what the caller sees when its turn has come: it begins to read no sooner
 */
export const sendPage = async <T extends { _id: string }>(
  ctx: Context,
  { limit }: Page,
  listFor: (now: Caller) => List<T> | Promise<List<T>>,
  baseUrl: string,
): Promise<void> => {
  const { texts, next, timeField } = await inTurn(ctx, async (now) => {
    const list = await listFor(now);
    return { ...(await readTexts(list, limit)), timeField: list.timeField };
  });
  const cursor = next && encodeCursor(next[timeField] as Date, next._id);
  sendTexts(ctx, texts, { next: cursor }, baseUrl);
};

/** Answers with the objects of a page. @param links by their `rel`, the cursors that lead on */
export const sendTexts = (
  ctx: Context,
  texts: readonly string[],
  links: Readonly<Record<string, string | undefined>>,
  baseUrl: string,
): void => {
  const addresses = Object.entries(links).flatMap(([rel, cursor]) => {
    return cursor === undefined ? [] : linkTo(ctx, rel, cursor, baseUrl);
  });
  if (addresses.length > 0) ctx.set('Link', addresses.join(', '));
  ctx.set('Cache-Control', 'no-cache');
  ctx.type = 'application/json';
  ctx.body = `[${texts.join(',')}]`;
};
