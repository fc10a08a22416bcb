import type { Order, Page } from '../../../database/pages.ts';
import type { Context } from '../../../http/context.ts';
import {
  decodeCursor,
  encodeCursor,
  type List,
  PAGE_BYTES,
  queryCursor,
  queryUuid,
  queryValue,
  readTexts,
  sendTexts,
} from '../../../http/lists.ts';
import { type Caller, inTurn } from '../../../http/turns.ts';
import { invalid } from '../../../platform/errors.ts';
import type { TimelineEntry } from './timeline.service.ts';

/** What a cursor has that leads on in time. */
const NEWER = 'newer';

/** Where in a timeline a page is: around an entry, or on from one in either direction. */
interface Place {
  around?: string | undefined;
  after: Page['after'];
  order: Order;
}

/** @throws ParlorError `invalid` */
export const queryPlace = (ctx: Context): Place => {
  const around = queryUuid(ctx, 'around');
  const cursor = queryValue(ctx, 'cursor');
  if (around !== undefined && cursor !== undefined) throw invalid({ around: ['Not together with cursor.'] });
  if (cursor === undefined) return { around, after: undefined, order: -1 };
  try {
    return { after: decodeCursor(cursor, NEWER), order: 1 };
  } catch {
    return { after: queryCursor(ctx), order: -1 };
  }
};

type Steps = AsyncGenerator<TimelineEntry[]>;

/** What is shown of each. */
type Present = List<TimelineEntry>['present'];

const cursorOf = (entry: TimelineEntry | undefined, ...more: string[]): string | undefined =>
  entry && encodeCursor(entry.at, entry._id, ...more);

/** A page that was reached in the direction of time: `steps` are oldest first. @param readFor as that of `sendPage` */
export const sendNewer = async (
  ctx: Context,
  limit: number,
  readFor: (now: Caller) => Promise<{ steps: Steps; present: Present }>,
  baseUrl: string,
): Promise<void> => {
  const { texts, next } = await inTurn(ctx, async (now) => readTexts(await readFor(now), limit));
  sendTexts(ctx, texts.reverse(), { prev: cursorOf(next, NEWER) }, baseUrl);
};

interface Around {
  entry: TimelineEntry;
  readOn(limit: number, order: Order): Steps;
  present: Present;
}

/** A page with as much of both sides as there is. @param readFor as that of `sendPage` */
export const sendAround = async (
  ctx: Context,
  limit: number,
  readFor: (now: Caller) => Promise<Around>,
  baseUrl: string,
): Promise<void> => {
  const most = PAGE_BYTES / 2;
  const [newer, older] = await inTurn(ctx, async (now) => {
    const { entry, readOn, present } = await readFor(now);
    const half = Math.floor((limit - 1) / 2);
    const newer = await readTexts({ steps: readOn(half, 1), present }, half, most, entry);
    const left = limit - newer.texts.length;
    const steps = startingWith(entry, readOn(left - 1, -1));
    return [newer, await readTexts({ steps, present }, left, most)] as const;
  });
  const links = { next: cursorOf(older.next), prev: cursorOf(newer.next, NEWER) };
  sendTexts(ctx, [...newer.texts.reverse(), ...older.texts], links, baseUrl);
};

async function* startingWith(entry: TimelineEntry, steps: Steps): Steps {
  yield [entry];
  yield* steps;
}
