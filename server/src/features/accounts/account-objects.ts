import type { MappedCollection } from '../../database/collection-data.ts';
import { CLOCKS_DIFFER_MS } from '../../database/has-come.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { Tries } from '../../platform/tries.ts';
import { type AccountCollection, accountCollections, READ_AT_ONCE } from './account-data.ts';

type Stored = Record<string, unknown> & { _id: string };

/** An object of an account, and the name of its collection. */
export interface AccountObject {
  name: string;
  document: Stored;
}

/** The batch size of messages that came late, in documents: some MiB. */
const MESSAGES_AT_ONCE = 50;

/** How many labels are read at a time. */
const LABELS_AT_ONCE = 1_000;

/** Of these an account has few, and what is unique passes from one to another: they are read with one query. */
const READ_TOGETHER: Readonly<Record<string, number>> = {
  members: 1_000,
  workflows: 1_000,
  keywords: 10_000,
  replies: 1_000,
  webhooks: 1_000,
};

/** What follows from what was read before has to be there when these are read. */
const FOLLOWING: ReadonlySet<string> = new Set(['inbox', 'conversationEvents']);

/**
 * What is copied of an account, while others go on changing it. What was there at the beginning is in it whole, unless it is
 * deleted meanwhile; of conversations that come meanwhile there is nothing, and whatever comes in the others has all that
 * follows from it, and is there wherever a conversation counts it.
 * @param announce sees to it that what follows from everything until now is written; called now and then
 */
export async function* accountObjects(
  collections: readonly MappedCollection[],
  account: string,
  announce: () => Promise<void> = async () => undefined,
): AsyncGenerator<AccountObject> {
  const copied = await accountCollections(collections, account);
  const walk = new AccountWalk(collections, copied, await labelsOf(copied, account));
  for (const collection of copied) {
    if (FOLLOWING.has(collection.name)) await announce();
    yield* walk.objectsOf(collection);
  }
}

/** The fields of a collection's documents that name what they need, and the collection that has it. */
export const neededBy = ({ needs = {} }: MappedCollection['data']): [field: string, collection: string][] =>
  Object.entries(needs).flatMap(([field, collection]) => (collection ? [[field, collection]] : []));

class AccountWalk {
  readonly #messages: AccountCollection | undefined;
  readonly #rooms: AccountCollection | undefined;
  readonly #needs: ReadonlyMap<string, [field: string, collection: string][]>;
  /** What others need of what was read, by collection. */
  readonly #read: ReadonlyMap<string, Set<string>>;
  readonly #labels: ReadonlyMap<string, string>;
  /** Messages from here on may have come meanwhile; which of them were read. */
  readonly #since = Date.now() - CLOCKS_DIFFER_MS;
  readonly #recent = new Set<string>();
  /** By which deliveries tell of them. */
  readonly #newLeads = new Set<string>();

  constructor(
    collections: readonly MappedCollection[],
    copied: readonly AccountCollection[],
    labels: ReadonlyMap<string, string>,
  ) {
    this.#messages = copied.find(({ name }) => name === 'messages');
    this.#rooms = copied.find(({ name }) => name === 'rooms');
    this.#needs = new Map(collections.map(({ name, data }) => [name, neededBy(data)]));
    const needed = [...this.#needs.values()].flat().map(([, collection]) => collection);
    this.#read = new Map(needed.map((name) => [name, new Set()]));
    this.#labels = labels;
  }

  async *objectsOf({ name, model, filter, sort }: AccountCollection): AsyncGenerator<AccountObject> {
    const batchSize = READ_TOGETHER[name] ?? READ_AT_ONCE;
    for await (const document of model.find(filter).sort(sort).lean<Stored[]>().cursor({ batchSize })) {
      const object = this.#asCopied(name, document as Stored);
      if (!object || (await this.#isOfNewRoom(object))) continue;
      if (name === 'inbox') yield* this.#messagesCountedBy(object.document);
      yield object;
    }
  }

  /** @returns undefined for what came too late */
  #asCopied(name: string, document: Stored): AccountObject | undefined {
    const hasAll = (this.#needs.get(name) ?? []).every(([field, collection]) =>
      this.#read.get(collection)?.has(String(document[field])),
    );
    // A conversation has its room's uuid and label.
    const isLabelled = name === 'rooms' || name === 'inbox';
    const label = this.#labels.get(document._id);
    if (!hasAll || (isLabelled && label === undefined)) return undefined;
    this.#read.get(name)?.add(document._id);
    if (name === 'messages' && this.#isRecent(document.sent_at)) this.#recent.add(document._id);
    const whole = name === 'rooms' ? withoutAddresses(document) : document;
    return { name, document: isLabelled ? { ...whole, label } : whole };
  }

  /** Leads and deliveries outlive a room: where it is there, and was not read, they have come with it meanwhile. */
  async #isOfNewRoom({ name, document }: AccountObject): Promise<boolean> {
    const { _id, created_at } = document;
    const room = { leads: document.room, deliveries: document.subject }[name];
    if (typeof room !== 'string' || !this.#isRecent(created_at)) return false;
    if (this.#read.get('rooms')?.has(room)) return false;
    const isNew = this.#newLeads.has(room) || (await this.#rooms?.model.exists({ _id: room })) != null;
    if (isNew && name === 'leads') this.#newLeads.add(_id);
    return isNew;
  }

  /** Also of a clock that was ahead. */
  #isRecent(time: unknown): boolean {
    return !(time instanceof Date) || time.getTime() >= this.#since;
  }

  /** Messages that came after the others were read, and that a conversation has taken in since. */
  async *#messagesCountedBy({ _id: room, heard }: Stored): AsyncGenerator<AccountObject> {
    const { recent = [] } = (heard ?? {}) as { recent?: { id: string; at: Date }[] };
    const isLacking = recent.some(({ id, at }) => this.#isRecent(at) && !this.#recent.has(id));
    const last = recent.at(-1)?.at;
    if (!isLacking || !last || !this.#messages) return;
    const came = { room, sent_at: { $gte: new Date(this.#since), $lte: last } };
    const found = this.#messages.model.find(came).sort({ sent_at: -1 }).lean<Stored[]>();
    // Whoever downloads sets the pace, and much may have come meanwhile.
    for await (const document of found.cursor({ batchSize: MESSAGES_AT_ONCE })) {
      if (this.#recent.has(document._id)) continue;
      const object = this.#asCopied('messages', document);
      if (object) yield object;
    }
  }
}

/** A room without what the events of a turn that it still holds know of where it was written. */
const withoutAddresses = (room: Stored): Stored => {
  const bot = room.bot as { pending?: { messages: { events?: { asked_from?: string[] }[] }[] } } | undefined;
  if (!bot?.pending) return room;
  const messages = bot.pending.messages.map((message) => ({
    ...message,
    ...(message.events && { events: message.events.map(({ asked_from: _, ...event }) => event) }),
  }));
  return { ...room, bot: { ...bot, pending: { ...bot.pending, messages } } };
};

/**
 * The labels of an account's rooms by their uuids, as they stood at one time: two rooms never have the same, though one may
 * take another's while they are read.
 */
const labelsOf = async (
  copied: readonly AccountCollection[],
  account: string,
): Promise<ReadonlyMap<string, string>> => {
  const labels = new Map<string, string>();
  const rooms = copied.find(({ name }) => name === 'rooms');
  if (!rooms) return labels;
  const read = async (filter: object): Promise<void> => {
    // In an order that no change of a label moves any in.
    const found = rooms.model.find(filter, { label: 1 }).sort(rooms.sort).lean<Stored[]>();
    for await (const { _id, label } of found.cursor({ batchSize: LABELS_AT_ONCE })) {
      labels.set(String(_id), typeof label === 'string' ? label : '');
    }
  };
  await read(rooms.filter);
  for (const tries = new Tries('a look at the labels of rooms'); ; ) {
    const moved = await clashing(labels, account);
    if (moved.length === 0) return labels;
    tries.next();
    for (const id of moved) labels.delete(id);
    await read({ ...rooms.filter, _id: { $in: moved } });
  }
};

/** The rooms whose label another one has, too. */
const clashing = async (labels: ReadonlyMap<string, string>, account: string): Promise<string[]> => {
  const first = new Map<string, string>();
  const found = new Set<string>();
  const budget = new CpuBudget(account);
  for (const [id, label] of labels) {
    await budget.checkpoint();
    const other = first.get(label);
    if (other === undefined) first.set(label, id);
    else found.add(other).add(id);
  }
  return [...found];
};
