import type { Conversation, ConversationState } from '@parlor/shared';
import { INBOX_PAGE, inboxList } from '@parlor/shared/inbox-views';
import { batch, computed, signal } from '@preact/signals';
import { ApiError, ask, askPage } from '../api/client.ts';
import { countAnew } from './counts.ts';
import { isAsked, isMissed, known, miss, putRead, readingAlong, remove } from './known.ts';
import { compare, isWaiting, type View } from './views.ts';

/** The view that is shown, and how far down it has been read. */
interface Loaded {
  view: View;
  state: 'loading' | 'ready' | 'failed';
  /** The last of what was read; what stands below it is not known as a whole. Undefined: everything was read. */
  last: Conversation | undefined;
  next: string | undefined;
}

export const shown = signal<Loaded | undefined>(undefined);

/** The conversations of the view, in its order. */
export const list = computed<readonly Conversation[]>(() => {
  const { view, last } = shown.value ?? {};
  if (!view) return [];
  const all = [...known.value.values()].filter((one) => view.has(one) && (!last || compare(one, last) <= 0));
  return all.sort(compare);
});

/** Forgets everything: whoever signs in next may be somebody else. */
export const clear = (): void => {
  known.value = new Map();
  shown.value = undefined;
  ahead = undefined;
  stale.clear();
};

/** So many are read anew at once, where they stood in the list: whoever has scrolled that far stays there. */
const MOST_ANEW = 200;

const begin = async (view: View): Promise<void> => {
  shown.value = { view, state: 'loading', last: undefined, next: undefined };
  // What other views and searches have read would only pile up.
  await read(view, inboxList(view.query), true);
};

/** The view that was begun before its page was drawn, by name. */
let ahead: string | undefined;

/** Begins with the view that the console is opened with, while the server is still asked who is signed in. */
export const showAhead = async (view: View): Promise<void> => {
  ahead = view.name;
  await begin(view);
  // Perhaps nobody is signed in: the page asks again then.
  if (shown.value?.state === 'failed') ahead = undefined;
};

/** Shows a view: as it stands where it was shown last, since the live channel keeps that right on other pages, too. */
export const show = async (view: View): Promise<void> => {
  const isBegun = ahead === view.name;
  ahead = undefined;
  const isShown = shown.value?.view.name === view.name && shown.value.state !== 'failed';
  if (!isBegun && !isShown) await begin(view);
};

/** Reads on, where there is more. */
export const showMore = async (): Promise<void> => {
  const current = shown.value;
  if (!current?.next || current.state !== 'ready') return;
  shown.value = { ...current, state: 'loading' };
  await read(current.view, current.next);
};

/** The conversation that is open: it may stand in no list that is known. */
let opened: string | undefined;

/** Keeps a conversation known while it is open. @returns what closes it */
export const open = (uuid: string): (() => void) => {
  opened = uuid;
  return () => {
    if (opened === uuid) opened = undefined;
  };
};

/** @param isAnew what was known before counts no more, but for what has come since and what is open */
const read = (view: View, path: string, isAnew = false): Promise<void> =>
  readingAlong(() => readPage(view, path, isAnew));

/** How many times a list was begun anew, and which of these was taken in last: answers may overtake one another. */
let begun = 0;
let taken = 0;

/** Forgets what was known before, but for what is kept: an answer that is under way may have it as it was earlier. */
const forget = (isKept: (one: Conversation) => boolean): void => {
  const kept = new Map<string, Conversation>();
  for (const [uuid, one] of known.value) {
    if (isKept(one)) kept.set(uuid, one);
    else miss(uuid, one.updated_at);
  }
  known.value = kept;
  added = 0;
};

const takeIn = (conversations: readonly Conversation[]): void => {
  putRead(conversations);
  for (const one of conversations) if (isMissed(one)) isStale(one.uuid);
};

const readPage = async (view: View, path: string, isAnew: boolean): Promise<void> => {
  const before = known.value;
  const turn = isAnew ? ++begun : begun;
  /** What was read anew meanwhile is later than this, and goes on from another place. */
  const isOvertaken = () => turn < taken || (!isAnew && shown.value?.next !== path);
  try {
    const { items, next } = await askPage<Conversation>(path);
    if (isOvertaken()) return;
    batch(() => {
      if (isAnew) {
        taken = turn;
        forget((one) => one.uuid === opened || one !== before.get(one.uuid));
      }
      takeIn(items);
      if (shown.value?.view !== view) return;
      // A page may be empty and yet lead on.
      const last = items.at(-1) ?? (isAnew ? undefined : shown.value.last);
      shown.value = { view, state: 'ready', last: next ? last : undefined, next };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (!isOvertaken() && shown.value?.view === view) shown.value = { ...shown.value, state: 'failed' };
  }
};

/** Reads everything anew that is shown, since it can't be told any more what has changed. */
export const readAnew = async (): Promise<void> => {
  void countAnew();
  if (opened !== undefined) isStale(opened);
  const view = shown.value?.view;
  const limit = Math.min(MOST_ANEW, Math.max(INBOX_PAGE, list.value.length));
  if (view) await read(view, inboxList(view.query, limit), true);
};

/** Reads one conversation. @throws ApiError, 404 where there is none */
export const readOne = async (uuid: string): Promise<void> => {
  isAsked(uuid);
  try {
    await readingAlong(async () => takeIn([await ask<Conversation>('GET', `conversations/${uuid}/`)]));
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) remove(uuid);
    throw error;
  }
};

/** How long conversations are gathered before they are read, and how much later the next ones are (milliseconds). */
const GATHER_MS = 150;
const GATHER_AGAIN_MS = 1_000;

/** Of more at once the first page is read. */
const MAX_ONE_BY_ONE = 10;

/** How many may come by the live channel beside those that were read; then the list begins anew with its first page. */
const MAX_ADDED = 500;

/** The longest pause before what could not be read is read again (milliseconds). */
const LONGEST_PAUSE_MS = 30_000;

const stale = new Set<string>();
let isGathering = false;
/** How many times in a row something could not be read. */
let failures = 0;
let added = 0;

/** A conversation has changed in a way that only the server can tell. */
export const isStale = (uuid: string): void => {
  stale.add(uuid);
  if (isGathering) return;
  isGathering = true;
  setTimeout(readStale, GATHER_MS);
};

/** Whether something that could not be read may be read later. */
const mayPass = (read: PromiseSettledResult<void> | undefined): boolean => {
  if (read?.status !== 'rejected') return false;
  const { status } = read.reason instanceof ApiError ? read.reason : { status: 0 };
  return status === 0 || status === 429 || status >= 500;
};

const readStale = async (): Promise<void> => {
  const uuids = [...stale];
  stale.clear();
  added += uuids.filter((uuid) => !known.value.has(uuid)).length;
  if (uuids.length > MAX_ONE_BY_ONE || added > MAX_ADDED) await readAnew();
  else {
    const read = await Promise.allSettled(uuids.map(readOne));
    const left = uuids.filter((_, at) => mayPass(read[at]));
    failures = left.length > 0 ? failures + 1 : 0;
    // A server that stops or is busy refuses also while the channel is there, which tells of it only once.
    if (left.length > 0)
      setTimeout(() => left.forEach(isStale), Math.min(GATHER_AGAIN_MS * 2 ** failures, LONGEST_PAUSE_MS));
  }
  setTimeout(() => {
    if (stale.size > 0) void readStale();
    else isGathering = false;
  }, GATHER_AGAIN_MS);
};

/**
 * Whether a conversation that is not known stands further down than was read: it comes with its page then. To read each
 * that is written in would keep a busy inbox from being scrolled.
 * @param state without it: something was said. Among what waits that moves nothing up, unless conversation.updated tells so.
 */
export const isFurtherDown = (uuid: string, state?: ConversationState): boolean => {
  const { view, last } = shown.value ?? {};
  if (!view || !last || uuid === opened || known.value.has(uuid)) return false;
  return state ? !view.has(state) || compare(state, last) > 0 : isWaiting(last);
};
