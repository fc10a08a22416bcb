import type { Conversation, ConversationState, MessageAdded, ServerFrame } from '@parlor/shared';
import { batch, computed, signal } from '@preact/signals';
import { ApiError, ask, askPage } from '../api/client.ts';
import { me } from '../session/session.ts';
import { countAnew, takeCounts } from './counts.ts';
import { forgetDraft } from './drafts.ts';
import { change, isMissed, known, miss, putRead, readingAlong, remove, returned } from './known.ts';
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

/** How many conversations a page has. */
const PAGE = 50;

/** So many are read anew at once, where they stood in the list: whoever has scrolled that far stays there. */
const MOST_ANEW = 200;

const firstPageOf = (view: View, limit = PAGE): string => `conversations/?${view.query}&limit=${limit}`;

const begin = async (view: View): Promise<void> => {
  shown.value = { view, state: 'loading', last: undefined, next: undefined };
  // What other views and searches have read would only pile up.
  await read(view, firstPageOf(view), true);
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

const readPage = async (view: View, path: string, isAnew: boolean): Promise<void> => {
  const before = known.value;
  try {
    const { items, next } = await askPage<Conversation>(path);
    batch(() => {
      if (isAnew) {
        const isKept = ([uuid, one]: [string, Conversation]) => uuid === opened || one !== before.get(uuid);
        known.value = new Map([...known.value].filter(isKept));
        added = 0;
      }
      putRead(items);
      for (const one of items) if (isMissed(one)) isStale(one.uuid);
      if (shown.value?.view !== view) return;
      shown.value = { view, state: 'ready', last: next ? items.at(-1) : undefined, next };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (shown.value?.view === view) shown.value = { ...shown.value, state: 'failed' };
  }
};

/** Reads everything anew that is shown, since it can't be told any more what has changed. */
export const readAnew = async (): Promise<void> => {
  void countAnew();
  if (opened !== undefined) isStale(opened);
  const view = shown.value?.view;
  const limit = Math.min(MOST_ANEW, Math.max(PAGE, list.value.length));
  if (view) await read(view, firstPageOf(view, limit), true);
};

/** Reads one conversation. @throws ApiError, 404 where there is none */
export const readOne = async (uuid: string): Promise<void> => {
  try {
    await readingAlong(async () => putRead([await ask<Conversation>('GET', `conversations/${uuid}/`)]));
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

const stale = new Set<string>();
let isGathering = false;
let added = 0;

/** A conversation has changed in a way that only the server can tell. */
export const isStale = (uuid: string): void => {
  stale.add(uuid);
  if (isGathering) return;
  isGathering = true;
  setTimeout(readStale, GATHER_MS);
};

const readStale = async (): Promise<void> => {
  const uuids = [...stale];
  stale.clear();
  added += uuids.filter((uuid) => !known.value.has(uuid)).length;
  if (uuids.length > MAX_ONE_BY_ONE || added > MAX_ADDED) await readAnew();
  // What can't be read now is read with the next change, or when the channel is back.
  else await Promise.allSettled(uuids.map(readOne));
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
const isFurtherDown = (uuid: string, state?: ConversationState): boolean => {
  const { view, last } = shown.value ?? {};
  if (!view || !last || uuid === opened || known.value.has(uuid)) return false;
  return state ? !view.has(state) || compare(state, last) > 0 : isWaiting(last);
};

/** Later than everything: of what does not tell when it happened. */
const LATEST = '9999';

/** A conversation that is not known, or not all of what changed, is read, unless it stands further down. */
const learnOf = (uuid: string, at = LATEST, state?: ConversationState): void => {
  if (isFurtherDown(uuid, state)) miss(uuid, at);
  else isStale(uuid);
};

/** Takes in what was said, as far as a message tells it. */
const takeMessage = ({ room, is_bot = false, author, ...said }: MessageAdded): void => {
  const current = known.value.get(room.uuid);
  if (!current) {
    learnOf(room.uuid, said.sent_at);
    return;
  }
  const { last_message: last, visitor } = current;
  if (last && (said.sent_at < last.sent_at || said.uuid === last.uuid)) return;
  const isOwn = author !== undefined && author.uuid === me.value?.uuid;
  const isNew = !said.is_support_sender && !current.is_bot_use;
  change(room.uuid, {
    last_message: { phone_number: '', is_bot, ...(author && { author }), ...said },
    updated_at: said.sent_at > current.updated_at ? said.sent_at : current.updated_at,
    is_unread: isNew || (current.is_unread && !isOwn),
  });
  // Who the visitor says it is may stand in a lead, too.
  const isKnown = said.nickname === visitor.name && said.email === visitor.email;
  if (!said.is_support_sender && !isKnown && said.nickname + said.email !== '') isStale(room.uuid);
};

/** Takes in what the live channel tells. */
export const take = (frame: ServerFrame): void => {
  switch (frame.type) {
    case 'conversation.updated': {
      const { changed, previous, by, ...state } = frame.data;
      if (known.value.has(state.uuid)) change(state.uuid, state);
      else learnOf(state.uuid, state.updated_at, state);
      void countAnew();
      break;
    }
    case 'message.added':
      takeMessage(frame.data);
      void countAnew();
      break;
    case 'note.added':
      if (frame.room === undefined || !frame.data.mentioned.includes(me.value?.uuid ?? '')) break;
      change(frame.room, { is_unread: true });
      void countAnew();
      break;
    case 'room.deleted':
      remove(frame.data.uuid);
      // Not even what was typed in it is kept.
      forgetDraft(frame.data.uuid);
      void countAnew();
      break;
    case 'chat.added':
      // Its visitor has begun it anew.
      returned(frame.data.uuid);
      learnOf(frame.data.uuid);
      break;
    case 'room.updated':
      learnOf(frame.data.uuid);
      break;
    case 'counts':
      takeCounts(frame.data);
      break;
    case 'presence': {
      const visitor = frame.room === undefined ? undefined : known.value.get(frame.room)?.visitor;
      if (visitor && frame.room !== undefined && frame.data.sender === 'visitor') {
        change(frame.room, { visitor: { ...visitor, is_online: frame.data.online } });
      }
      break;
    }
  }
};
