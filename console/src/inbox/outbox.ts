import type { CreatedMessage, Note, Reply, ServerFrame } from '@parlor/shared';
import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import { computed, effect, signal } from '@preact/signals';
import { ApiError, ask } from '../api/client.ts';
import { words } from '../locale/locale.ts';
import { me } from '../session/session.ts';
import { askToStay, hasLeft } from '../ui/leaving.ts';
import { toast } from '../ui/toast.tsx';
import { apply } from './acts.ts';
import { conversationOf } from './known.ts';
import { unmark } from './marked.ts';
import { asMessage, asNote } from './said.ts';
import { readOne } from './store.ts';
import type { Item } from './stretch.ts';
import { threads } from './threads.ts';

/** A message or note that is on its way, or could not be sent. */
export interface Outgoing {
  /** Also its Idempotency-Key: sent twice it is there once. */
  key: string;
  /** The uuid of the conversation, and what its visitor is called. */
  room: string;
  name: string;
  body: string;
  isNote: boolean;
  /** The channel may tell of it before the request is answered; until then it is `told`, and not shown twice. */
  state: 'sending' | 'told' | 'failed';
  /** The saved reply of which the rest is done once it has been sent. */
  reply?: Reply | undefined;
}

const NONE: readonly Outgoing[] = [];

/** What each member who has signed in in this tab has sent, and the server has not said to have. */
const waiting = signal<ReadonlyMap<string, readonly Outgoing[]>>(new Map());

const mine = computed(() => waiting.value.get(me.value?.uuid ?? '') ?? NONE);

/** What whoever is signed in has written and could not be sent. */
export const unsent = computed(() => {
  const failed = mine.value.filter(({ state }) => state === 'failed');
  return failed.length > 0 ? failed : NONE;
});

// What the tab keeps ends with it.
askToStay(() => unsent.value.length > 0, true);

/** What of whoever is signed in is on its way in a conversation, or could not be sent. */
export const outgoingIn = (room: string): readonly Outgoing[] =>
  mine.value.filter((one) => one.room === room && one.state !== 'told');

/** In this tab others may sign in, who see nothing of it. */
const keyOf = (member: string): string => `unsent ${member}`;

const keep = (member: string, items: readonly Outgoing[]): void => {
  waiting.value = new Map(waiting.value).set(member, items);
  // What is cut as the page is left may have arrived: the next page goes on with it as it stood.
  if (hasLeft()) return;
  try {
    if (items.length > 0) sessionStorage.setItem(keyOf(member), JSON.stringify(items));
    else sessionStorage.removeItem(keyOf(member));
  } catch {
    // The browser keeps nothing, or has no room for it: it stays until the page is left.
  }
};

const kept = (member: string): readonly Outgoing[] => {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(member)) ?? '[]');
  } catch {
    return NONE;
  }
};

const itemsOf = (member: string): readonly Outgoing[] => waiting.peek().get(member) ?? NONE;

const mark = (member: string, key: string, state: Outgoing['state']): void =>
  keep(
    member,
    itemsOf(member).map((one) => (one.key === key ? { ...one, state } : one)),
  );

const without = (member: string, key: string): void =>
  keep(
    member,
    itemsOf(member).filter((one) => one.key !== key),
  );

const post = async ({ key, room, body, isNote }: Outgoing): Promise<Item> => {
  const { uuid = '', name = '', avatar = null } = me.value ?? {};
  const options = { headers: { 'Idempotency-Key': key }, keepalive: true };
  if (isNote) return asNote(await ask<Note>('POST', `conversations/${room}/notes/`, { body }, options));
  const message = { body, is_support_sender: true, room: { uuid: room } };
  const sent = await ask<CreatedMessage>('POST', 'messages/', message, options);
  return asMessage({ author: { uuid, name, avatar }, ...sent });
};

/** Does what is to be done with what has been sent, also where its conversation is not known any more. */
const finish = async ({ room, reply }: Outgoing): Promise<void> => {
  if (!reply) return;
  if (!conversationOf(room)) await readOne(room);
  apply(room, reply);
};

/** When what this tab has sent was made, as its keys have it: 13 characters of each, until the page is left. */
const sentHere = new Set<string>();

/** The time in a key, which is that of what is made under it, too (docs/contract.md#idempotency-keys). */
const timeIn = (uuid: string): string => uuid.slice(0, 13);

const deliver = async (member: string, one: Outgoing): Promise<void> => {
  sentHere.add(timeIn(one.key));
  mark(member, one.key, 'sending');
  try {
    const item = await post(one);
    without(member, one.key);
    threads.tell(one.room, item);
  } catch (error) {
    if (itemsOf(member).some(({ key, state }) => key === one.key && state === 'told'))
      return arrive(member, one);
    mark(member, one.key, 'failed');
    if (!(error instanceof ApiError)) throw error;
    // Where it is seen, it says so itself.
    if (!threads.isAtEnd(one.room)) toast(words.value.inbox.notSentTo(one.name));
    return;
  }
  await finish(one).catch(() => toast(words.value.inbox.failed));
};

/** It has arrived, though its request has failed: it stands in the timeline by itself. */
const arrive = async (member: string, one: Outgoing): Promise<void> => {
  without(member, one.key);
  await finish(one).catch(() => toast(words.value.inbox.failed));
};

/** Sends an answer or a note. It is kept in this tab, by the member and over reloads, until it is sent or discarded. */
export const send = async (said: Omit<Outgoing, 'key' | 'state'>): Promise<void> => {
  const member = me.value?.uuid ?? '';
  const one: Outgoing = { ...said, key: newIdempotencyKey(Date.now()), state: 'sending' };
  keep(member, [...itemsOf(member), one]);
  unmark(one.room);
  await deliver(member, one);
};

/** Sends once more what could not be sent. */
export const retry = async (key: string): Promise<void> => {
  const one = unsent.value.find((other) => other.key === key);
  if (one && me.value) await deliver(me.value.uuid, one);
};

/** Takes away what could not be sent. @returns it */
export const discard = (key: string): Outgoing | undefined => {
  const one = unsent.value.find((other) => other.key === key);
  if (one && me.value) without(me.value.uuid, key);
  return one;
};

/** Forgets what was to be sent in a conversation that was deleted. */
export const forgetUnsent = (room: string): void => {
  if (me.value && mine.value.some((one) => one.room === room)) {
    keep(
      me.value.uuid,
      mine.value.filter((one) => one.room !== room),
    );
  }
};

/** Something that was said or noted, as far as it tells whether it is what was sent here. */
interface Arrived {
  kind: string;
  uuid: string;
  author?: { uuid: string } | null | undefined;
}

/** What of a conversation is there: of what was sent, the request may not be answered yet, or its response was lost. */
export const takeArrived = (room: string, arrived: readonly Arrived[]): void => {
  const member = me.value?.uuid;
  if (member === undefined) return;
  for (const one of mine.value) {
    const isIt = ({ kind, uuid, author }: Arrived): boolean =>
      kind === (one.isNote ? 'note' : 'message') &&
      author?.uuid === member &&
      timeIn(uuid) === timeIn(one.key);
    if (one.room !== room || !arrived.some(isIt)) continue;
    if (one.state === 'failed') void arrive(member, one);
    else if (one.state === 'sending') mark(member, one.key, 'told');
  }
};

/** What the channel tells that a member has said or noted. */
const saidIn = (frame: ServerFrame): (Arrived & { room: string; body: string }) | undefined => {
  if (frame.type === 'message.added') {
    const { uuid, author, body, room } = frame.data;
    return { kind: 'message', uuid, author, body, room: room.uuid };
  }
  if (frame.type !== 'note.added' || frame.room === undefined) return undefined;
  const { uuid, author, body } = frame.data;
  return { kind: 'note', uuid, author, body, room: frame.room };
};

/** The channel tells of what was sent, maybe before the request is answered. */
export const takeSent = (frame: ServerFrame): void => {
  const said = saidIn(frame);
  if (said) takeArrived(said.room, [said]);
};

/** What whoever is signed in has sent in another tab or browser; undefined: something else has happened. */
export const sentElsewhere = (
  frame: ServerFrame,
): { room: string; body: string; is_note: boolean } | undefined => {
  const said = saidIn(frame);
  if (!said || said.author?.uuid !== me.value?.uuid || sentHere.has(timeIn(said.uuid))) return undefined;
  return { room: said.room, body: said.body, is_note: said.kind === 'note' };
};

// What was on its way when the page was left goes on: the server may have it, and then has it once.
effect(() => {
  const member = me.value?.uuid;
  if (member === undefined || waiting.peek().has(member)) return;
  const items = kept(member);
  waiting.value = new Map(waiting.peek()).set(member, items);
  for (const one of items) if (one.state !== 'failed') void deliver(member, one);
});
