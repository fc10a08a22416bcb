import { insertOnce } from '../../database/insert.ts';
import { inTurnOf } from '../../events/change.ts';
import { type OutboxEvent, roomOf } from '../../events/events.ts';
import type { EventConsumer, Relay } from '../../events/relay.ts';
import type { Member } from '../members/member.ts';
import type { MemberStore } from '../members/member-store.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import type { ConversationModel, StoredConversation } from './conversation.model.ts';
import { isComplete, readSaid, type SaidBy, saidIn } from './said.ts';
import { changeOf } from './state.ts';
import { isFromVisitor, unreadAfter } from './unread.ts';
import { type Heard, isSaidAfter, NOTHING_HEARD, settledIn, type Taken, take, waitingOf } from './waiting.ts';
import { everybodyWhoSees, firstThere, type Members } from './who-sees.ts';

/** What of a room stands in its conversation, too. */
export const FROM_ROOM = {
  account: 1,
  label: 1,
  widget: 1,
  rating: 1,
  is_bot_use: 1,
  created_at: 1,
} as const;
export type RoomFields = Pick<StoredRoom, '_id' | keyof typeof FROM_ROOM>;

interface Parts {
  conversations: ConversationModel;
  rooms: RoomModel;
  messages: MessageModel;
  members: Pick<MemberStore, 'of'>;
  relay: Pick<Relay, 'announce'>;
}

type FromRoom = ReturnType<typeof fromRoom>;

const fromRoom = ({ label, widget = '', rating, is_bot_use }: RoomFields) => ({
  label,
  widget,
  rating,
  is_bot_use,
});

const newConversation = (room: RoomFields): StoredConversation => ({
  _id: room._id,
  account: room.account,
  ...fromRoom(room),
  status: 'open',
  snoozed_until: null,
  status_at: room.created_at,
  waiting_on: null,
  waiting_since: null,
  first_response_at: null,
  assignee: null,
  assignee_at: room.created_at,
  tags: [],
  unread: [],
  heard: NOTHING_HEARD,
  introduced_in: '',
  created_at: room.created_at,
  updated_at: room.created_at,
  rank: room.created_at,
  version: 1,
});

/**
 * Keeps conversations as what is said leaves them: who waits for whom, who takes them, who has yet to read them. It
 * follows the relay, and everything can be done again.
 */
export class ConversationFollower {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly consume: EventConsumer = async (events) => {
    const said = new Map<string, SaidBy[]>();
    for (const event of events) {
      const room = isFollowed(event) ? roomOf(event) : undefined;
      if (room === undefined) continue;
      const list = said.get(room) ?? [];
      if (event.name === 'message.added') list.push(saidIn(event));
      said.set(room, list);
    }
    if (said.size > 0) await this.follow(said);
  };

  /** Takes in what was said in some rooms of one account, and what their rooms say now. */
  async follow(said: ReadonlyMap<string, readonly SaidBy[]>): Promise<void> {
    for (let rooms = [...said.keys()]; rooms.length > 0; ) rooms = await this.#round(rooms, said);
  }

  /** @returns the rooms whose conversation somebody else has changed meanwhile, or that have none yet */
  async #round(ids: readonly string[], said: ReadonlyMap<string, readonly SaidBy[]>): Promise<string[]> {
    const { conversations, relay } = this.#parts;
    const these = { _id: { $in: ids as never[] } };
    const known = await conversations.collection.find(these, { projection: { events: 0 } }).toArray();
    const byId = new Map((known as unknown as StoredConversation[]).map((one) => [one._id, one]));
    // After the conversations: whoever writes between has seen no newer room than this.
    const rooms = await this.#parts.rooms.collection.find(these, { projection: FROM_ROOM }).toArray();
    let asked: Promise<Member[]> | undefined;
    const changed: { current: StoredConversation; change: NonNullable<ReturnType<typeof changeOf>> }[] = [];
    const again: string[] = [];
    for (const room of rooms as unknown as RoomFields[]) {
      const everybody = () => (asked ??= this.#parts.members.of(room.account));
      const current = byId.get(room._id);
      if (!current) {
        await this.begin(room, { isTold: true, members: everybody });
        again.push(room._id);
        continue;
      }
      const taken = await this.taken(current, said.get(room._id) ?? [], fromRoom(room), everybody);
      const change = changeOf(current, taken);
      if (change) changed.push({ current, change });
    }
    if (changed.length === 0) return again;
    const writes = changed.map(({ current: { _id, version }, change: { set, events } }) => ({
      updateOne: {
        filter: { _id, version },
        update: {
          $set: set,
          $inc: { version: 1 },
          ...(events.length > 0 && { $push: { events: { $each: events } } }),
        },
      },
    }));
    const { matchedCount } = await conversations.collection.bulkWrite(writes as never, { ordered: false });
    // Who was overtaken is not known: all are looked at again, and those that are right stay as they are.
    if (matchedCount < changed.length) return [...again, ...changed.map(({ current }) => current._id)];
    for (const { current, change } of changed) {
      if (change.events.length > 0) relay.announce(conversations, { ...current, events: change.events });
    }
    return again;
  }

  /**
   * Makes the conversation of a room that has none, from all that was said in it.
   * @param isTold whether conversation.updated tells what follows from that; of rooms of before nothing is news
   */
  async begin(
    room: RoomFields,
    {
      isTold,
      members = () => this.#parts.members.of(room.account),
    }: {
      isTold: boolean;
      members?: Members;
    },
  ): Promise<void> {
    const { conversations, relay } = this.#parts;
    const fresh = newConversation(room);
    const all = { ...(await this.#readAnew(room._id)), tooOld: [] };
    const wanted = await this.#after(fresh, all, fromRoom(room), members);
    // Who has read what was said before is not known; what has been answered has been.
    const made = Object.assign({}, fresh, wanted);
    const isWaiting = !made.is_bot_use && waitingOf(made.heard).sender === 'visitor';
    wanted.unread = isWaiting ? everybodyWhoSees(made, await members()) : [];
    const { set, events = [] } = changeOf(fresh, wanted) ?? {};
    const isNews = isTold && events.length > 0;
    const begun: StoredConversation = Object.assign(fresh, set, isNews && { events });
    const { isNew } = await insertOnce(conversations, begun);
    if (isNew && isNews) relay.announce(conversations, begun);
    if (room.widget === undefined) await this.takeWidget(room._id);
  }

  /**
   * Makes the conversation of a room whose beginning the relay has yet to tell; of several who ask at once, one does it.
   * @returns whether there is such a room
   */
  beginOf(account: string, _id: string): Promise<boolean> {
    return inTurnOf(`conversation ${_id}`, async () => {
      const { conversations, rooms } = this.#parts;
      const room = await rooms.findOne({ _id, account }, FROM_ROOM).lean<RoomFields>();
      if (room && !(await conversations.exists({ _id }))) await this.begin(room, { isTold: true });
      return room !== null;
    });
  }

  /** Takes the widget of a room that has learned it since it was read (access/room-widgets.ts). */
  async takeWidget(_id: string): Promise<void> {
    const room = await this.#parts.rooms.findOne({ _id }, { widget: 1 }).lean<{ widget?: string }>();
    const { widget } = room ?? {};
    if (widget) await this.#parts.conversations.updateOne({ _id, widget: '' }, { $set: { widget } });
  }

  /** What a conversation is once some messages are taken in. @param room what its room says now */
  async taken(
    current: StoredConversation,
    said: readonly SaidBy[],
    room: Partial<FromRoom> = {},
    members: Members = () => this.#parts.members.of(current.account),
  ): Promise<Partial<StoredConversation>> {
    // Of two who have answered, the first may be told of last, and takes it all the same.
    const isAnswered = current.assignee === null && said.some(({ author }) => author !== undefined);
    return this.#taken(
      current,
      isAnswered ? [...said, ...(await this.#since(current))] : said,
      room,
      members,
    );
  }

  async #taken(
    current: StoredConversation,
    said: readonly SaidBy[],
    room: Partial<FromRoom>,
    members?: Members,
  ): Promise<Partial<StoredConversation>> {
    const taken = take(current.heard, said);
    // What is read anew may hold more than has been told of.
    if (taken.tooOld.length > 0 && !(await isComplete(this.#parts.messages, current._id, current.heard)))
      Object.assign(taken, await this.#readAnew(current._id, current.heard));
    return this.#after(current, taken, room, members);
  }

  /**
   * The same with all that has been said, and what its room says now: for whoever changes it. What other processes stored is
   * there in no certain order, so all that is kept one by one is read again.
   */
  async upToDate(current: StoredConversation): Promise<Partial<StoredConversation>> {
    const { _id } = current;
    const [room, said] = await Promise.all([
      this.#parts.rooms.findOne({ _id }, FROM_ROOM).lean<RoomFields>(),
      this.#since(current),
    ]);
    return this.#taken(current, said, room ? fromRoom(room) : {});
  }

  /** What was said since what is settled. */
  async #since({ _id, heard }: StoredConversation): Promise<SaidBy[]> {
    const said: SaidBy[] = [];
    for await (const step of readSaid(this.#parts.messages, _id, settledIn(heard))) said.push(...step);
    return said;
  }

  /** @param known what had been taken in; undefined: nothing, and of the rest only what matters then is added */
  async #readAnew(room: string, known?: Heard): Promise<Pick<Taken<SaidBy>, 'heard' | 'added'>> {
    let heard = NOTHING_HEARD;
    const added: SaidBy[] = [];
    for await (const step of readSaid(this.#parts.messages, room)) {
      heard = take(heard, step).heard;
      // It is enough to know the first author, and the last to say who the visitor is.
      const isKept = ({ author, isIntroduction }: SaidBy) => author !== undefined || isIntroduction;
      added.push(...(known ? take(known, step).added : step.filter(isKept)));
    }
    return { heard, added };
  }

  async #after(
    current: StoredConversation,
    { heard, added, tooOld }: Taken<SaidBy>,
    room: Partial<FromRoom>,
    members: Members = () => this.#parts.members.of(current.account),
  ): Promise<Partial<StoredConversation>> {
    const next: Partial<StoredConversation> = { ...room, heard };
    const now = new Date();
    // One that comes so late may have been taken in before: what was set after it stays.
    const comingAfter = (time: Date) => [...tooOld.filter(({ at }) => at > time), ...added];
    if (current.status !== 'open' && comingAfter(current.status_at).some(isFromVisitor)) {
      Object.assign(next, { status: 'open', snoozed_until: null, status_at: now });
    }
    const introduction = added.findLast(({ isIntroduction }) => isIntroduction);
    const isOutdated =
      introduction && isSaidAfter(heard, introduction, ({ id }) => id === current.introduced_in);
    if (introduction && !isOutdated) next.introduced_in = introduction.id;
    const authors = comingAfter(current.assignee_at).flatMap(({ author }) => author ?? []);
    if (authors.length > 0 && current.assignee === null) {
      const taker = await firstThere(authors, current, members);
      if (taker !== undefined) Object.assign(next, { assignee: taker, assignee_at: now });
    }
    const isBot = room.is_bot_use ?? current.is_bot_use;
    const isHandedOver = current.is_bot_use && !isBot && waitingOf(current.heard).sender === 'visitor';
    let { unread } = current;
    let anew: string[] = [];
    if (isHandedOver || (!isBot && added.some(isFromVisitor))) {
      const everybody = await members();
      anew = everybodyWhoSees(current, everybody);
      // Whoever was to read or to take it may have been removed since.
      const isMember = (uuid: string | null) => everybody.some(({ _id }) => _id === uuid);
      unread = unread.filter(isMember);
      const isTaken = current.assignee === null || isMember(current.assignee);
      if (!isTaken) Object.assign(next, { assignee: null, assignee_at: now });
    }
    next.unread = unreadAfter(unread, { heard, added }, { members: anew, isForAll: isHandedOver });
    return next;
  }
}

const FOLLOWED: ReadonlySet<string> = new Set(['chat.added', 'message.added', 'room.updated']);
const isFollowed = ({ name }: OutboxEvent): boolean => FOLLOWED.has(name);
