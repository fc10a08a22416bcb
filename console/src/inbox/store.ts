import type { Conversation, ConversationCounts, ConversationPatch, ServerFrame } from '@parlor/shared';
import { batch, computed, signal } from '@preact/signals';
import { ApiError, ask, askPage } from '../api/client.ts';
import { compare, type View } from './views.ts';

/** Every conversation that is known, by uuid. It is never changed: another one takes its place. */
const known = signal<ReadonlyMap<string, Conversation>>(new Map());

/** The view that is shown, and how far down it has been read. */
interface Loaded {
  view: View;
  state: 'loading' | 'ready' | 'failed';
  /** The last of what was read; what stands below it is not known as a whole. Undefined: everything was read. */
  last: Conversation | undefined;
  next: string | undefined;
}

export const shown = signal<Loaded | undefined>(undefined);

export const counts = signal<ConversationCounts | undefined>(undefined);

/** The conversations of the view, in its order. */
export const list = computed<readonly Conversation[]>(() => {
  const { view, last } = shown.value ?? {};
  if (!view) return [];
  const all = [...known.value.values()].filter((one) => view.has(one) && (!last || compare(one, last) <= 0));
  return all.sort(compare);
});

export const conversationOf = (uuid: string): Conversation | undefined => known.value.get(uuid);

const put = (conversations: readonly Conversation[]): void => {
  const next = new Map(known.value);
  for (const one of conversations) next.set(one.uuid, one);
  known.value = next;
};

const change = (uuid: string, fields: Partial<Conversation>): void => {
  const current = known.value.get(uuid);
  if (current) put([{ ...current, ...fields }]);
};

const remove = (uuid: string): void => {
  const next = new Map(known.value);
  if (next.delete(uuid)) known.value = next;
};

/** How many conversations a page has. */
const PAGE = 50;

const firstPageOf = (view: View): string => `conversations/?${view.query}&limit=${PAGE}`;

/** Shows a view, from its top. */
export const show = async (view: View): Promise<void> => {
  shown.value = { view, state: 'loading', last: undefined, next: undefined };
  await read(view, firstPageOf(view));
};

/** Reads on, where there is more. */
export const showMore = async (): Promise<void> => {
  const current = shown.value;
  if (!current?.next || current.state !== 'ready') return;
  shown.value = { ...current, state: 'loading' };
  await read(current.view, current.next);
};

/** @param isAnew what was known before counts no more */
const read = async (view: View, path: string, isAnew = false): Promise<void> => {
  try {
    const { items, next } = await askPage<Conversation>(path);
    batch(() => {
      if (isAnew) known.value = new Map();
      put(items);
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
  const view = shown.value?.view;
  if (view) await read(view, firstPageOf(view), true);
};

/** How long what has changed is gathered before it is read (milliseconds). */
const GATHER_MS = 150;

const stale = new Set<string>();

/** A conversation has changed in a way that only the server can tell. */
const isStale = (uuid: string): void => {
  stale.add(uuid);
  if (stale.size > 1) return;
  setTimeout(() => {
    const uuids = [...stale];
    stale.clear();
    void Promise.all(uuids.map(readOne));
  }, GATHER_MS);
};

/** Reads one conversation. @returns undefined where there is none, or it can't be read now */
export const readOne = async (uuid: string): Promise<Conversation | undefined> => {
  try {
    const one = await ask<Conversation>('GET', `conversations/${uuid}/`);
    put([one]);
    return one;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) remove(uuid);
    return undefined;
  }
};

const COUNT_EVERY_MS = 1_000;
let counting: number | undefined;
let isCountStale = false;

const readCounts = async (): Promise<void> => {
  isCountStale = false;
  try {
    counts.value = await ask<ConversationCounts>('GET', 'conversations/counts/');
  } catch {
    // The next change asks again.
  }
};

/** Counts now, and at most once a second. */
export const countAnew = async (): Promise<void> => {
  if (counting !== undefined) {
    isCountStale = true;
    return;
  }
  counting = setTimeout(() => {
    counting = undefined;
    if (isCountStale) void countAnew();
  }, COUNT_EVERY_MS);
  await readCounts();
};

/** Takes in what the live channel tells. */
export const take = (frame: ServerFrame): void => {
  switch (frame.type) {
    case 'conversation.updated': {
      const { changed, previous, by, ...state } = frame.data;
      if (known.value.has(state.uuid)) change(state.uuid, state);
      else isStale(state.uuid);
      void countAnew();
      break;
    }
    case 'message.added':
      isStale(frame.data.room.uuid);
      void countAnew();
      break;
    case 'chat.added':
    case 'room.updated':
      isStale(frame.data.uuid);
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

/** What may be set, and shows at once. */
export type Wanted = Partial<ConversationPatch>;

/** Changes a conversation: on the screen at once, and back again where the server refuses. @throws ApiError */
export const set = async (uuid: string, wanted: Wanted): Promise<void> => {
  const before = known.value.get(uuid);
  if (before) put([{ ...before, ...wanted }]);
  try {
    put([await ask<Conversation>('PATCH', `conversations/${uuid}/`, wanted)]);
    void countAnew();
  } catch (error) {
    if (before) put([before]);
    isStale(uuid);
    throw error;
  }
};
