import { type NewRoom, Room, type RoomReference } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { findBy } from '../../database/find-by.ts';
import { insertOnce } from '../../database/insert.ts';
import { type Page, readPages } from '../../database/pages.ts';
import { changeDocument, differences } from '../../events/change.ts';
import { newEvent, type OutboxEvent } from '../../events/events.ts';
import type { Relay } from '../../events/relay.ts';
import { invalid, notFound } from '../../platform/errors.ts';
import { newRoomLabel, newUuid } from '../../platform/ids.ts';
import { inView, isInView, type View, wholeAccount } from '../members/view.ts';
import type { Visitor } from '../visitors/sessions.service.ts';
import type { BotState } from './bot-state.ts';
import { type PlainRoom, type RoomModel, type StoredRoom, WITHOUT_BOT } from './rooms.model.ts';
import { wholeRoomTurns } from './whole-rooms.ts';

const LABEL_STAYS = 'Only members who see all widgets may change it.';

const isLabelTaken = (error: unknown): boolean => duplicateFields(error)?.includes('label') === true;

const labelTaken = (error: unknown): never => {
  throw isLabelTaken(error) ? invalid({ label: ['This field must be unique.'] }) : error;
};

/** The event of a change of a room. */
export const roomUpdated = (current: StoredRoom, set: Partial<StoredRoom>): OutboxEvent => {
  const room = present<Room>(Room, { ...current, ...set }, { messages: [] });
  const data = { ...room, changed: Object.keys(set) };
  return newEvent('room.updated', current.account, new Date(), data, { widget: current.widget });
};

/** What looks after the bots of rooms (docs/contract.md#agent-api). */
export interface RoomBots {
  /** The bot of a room that is being made; undefined when the account has none. */
  greet(room: Pick<StoredRoom, '_id' | 'label' | 'account' | 'widget'>): Promise<BotState | undefined>;
  /** Puts what a bot has said among the messages. */
  publish(room: StoredRoom): Promise<void>;
}

/** Whose a room is. */
export type RoomPlace = Pick<StoredRoom, '_id' | 'account' | 'widget'>;

/** Rooms: the conversations of an account (docs/contract.md#room). */
export class RoomsService {
  readonly #rooms: RoomModel;
  readonly #byId: (uuid: string) => Promise<PlainRoom | undefined>;
  readonly #byIdWithEvents: (uuid: string) => Promise<Omit<StoredRoom, 'bot'> | undefined>;
  readonly #relay: Pick<Relay, 'announce'>;
  #bots: RoomBots | undefined;

  constructor(rooms: RoomModel, relay: Pick<Relay, 'announce'>) {
    this.#rooms = rooms;
    this.#byId = findBy(rooms, '_id', WITHOUT_BOT);
    this.#byIdWithEvents = findBy(rooms, '_id', { bot: 0 });
    this.#relay = relay;
  }

  /** From now on these look after the bots of rooms. */
  useBots(bots: RoomBots): void {
    this.#bots = bots;
  }

  /**
   * Makes a room, with its chat.added event and its bot's greeting in the same write.
   * @param made `bot`: the one that has begun already; else the account's own is asked. `widget`: the one that its
   *   visitor came through
   * @throws ParlorError `invalid` when the account has a room of that label.
   */
  async create(
    account: string,
    input: NewRoom,
    uuid = newUuid(),
    made: { bot?: BotState; widget?: string } = {},
  ): Promise<StoredRoom> {
    return this.#insert(account, input, uuid, made).catch(labelTaken);
  }

  async #insert(
    account: string,
    input: NewRoom,
    uuid: string,
    { bot, widget = '' }: { bot?: BotState; widget?: string },
  ): Promise<StoredRoom> {
    const created_at = new Date();
    const label = input.label ?? newRoomLabel();
    const room: StoredRoom = { _id: uuid, ...input, label, created_at, account, widget, version: 1 };
    const data = present<Room>(Room, room, { messages: [] });
    room.events = [newEvent('chat.added', account, created_at, data, { widget })];
    const begun = bot ?? (input.is_bot_use ? await this.#bots?.greet(room) : undefined);
    if (begun) room.bot = begun;
    const { stored, isNew } = await insertOnce(this.#rooms, room);
    // Also what was stored before by a request that broke off: what follows it is not to overtake it.
    this.#relay.announce(this.#rooms, isNew ? room : stored);
    if (stored.bot) await this.#bots?.publish(stored);
    return stored;
  }

  /**
   * The room that a visitor's session reserved; the first thing that the visitor leaves makes it, with what is `wanted`
   * of it (docs/contract.md#visitors).
   */
  async ofVisitor({ session, widget }: Visitor, wanted: Partial<NewRoom> = {}): Promise<PlainRoom> {
    const { account, room, label } = session;
    const fields = { name: '', rating: null, is_bot_use: widget.is_bot_use, ...wanted };
    const known = await this.#byIdWithEvents(room);
    if (known && isInView(wholeAccount(account), known)) {
      this.#relay.announce(this.#rooms, known);
      return known;
    }
    const make = (label: string) => this.#insert(account, { ...fields, label }, room, { widget: widget._id });
    return make(label).catch((error: unknown) => {
      // Where another room has taken the label meanwhile, the visitor reaches its own by it all the same.
      if (isLabelTaken(error)) return make(newRoomLabel());
      throw error;
    });
  }

  list(view: View, page: Page): AsyncGenerator<PlainRoom[]> {
    return readPages(this.#rooms, inView(view), 'created_at', page, { without: { bot: 0 } });
  }

  /** @throws ParlorError `not_found`, also for a room out of view. */
  async byLabel(view: View, label: string): Promise<PlainRoom> {
    const room = await this.#rooms.findOne({ account: view.account, label }, WITHOUT_BOT).lean<PlainRoom>();
    if (!room || !isInView(view, room)) throw notFound();
    return room;
  }

  /**
   * Sets the fields of `wanted`. `check` sees the room as it stands, and throws when a caller's condition does
   * not hold.
   * @param viewNow says what is seen by whoever changes it, also once its turn has come
   * @throws ParlorError `not_found`, also for a room out of view; `invalid` when another room has that label, or when
   * whoever is restricted to some widgets changes it; and whatever `viewNow` and `check` throw.
   */
  async change(
    viewNow: () => Promise<View>,
    label: string,
    wanted: Partial<NewRoom>,
    check?: (current: StoredRoom) => Promise<void>,
  ): Promise<StoredRoom> {
    const { account } = await viewNow();
    const decide = async (current: StoredRoom, view: View) => {
      if (!isInView(view, current)) throw notFound();
      await check?.(current);
      const set = differences<NewRoom>(current as NewRoom, wanted) as Partial<StoredRoom> | undefined;
      // Whether a label is free would tell of rooms that are out of view.
      if (view.widgets && set?.label !== undefined) throw invalid({ label: [LABEL_STAYS] });
      return set && { set, events: [roomUpdated(current, set)] };
    };
    const changed = await changeDocument(this.#rooms, { account, label }, decide, viewNow).catch(labelTaken);
    this.#relay.announce(this.#rooms, changed);
    return changed;
  }

  /**
   * A member takes the conversation over: its bot answers no more.
   * @param stillMay is asked once its turn has come
   * @param gone the member waits no longer: it is not begun then
   * @throws ParlorError what `stillMay` throws, `throttled` when too many of the account wait; the reason of `gone`
   */
  async endBot(
    { account, _id }: Pick<StoredRoom, '_id' | 'account'>,
    stillMay: () => Promise<unknown>,
    gone?: AbortSignal,
  ): Promise<void> {
    const set = { is_bot_use: false };
    const decide = (current: StoredRoom) =>
      current.is_bot_use ? { set, events: [roomUpdated(current, set)] } : undefined;
    const end = () => changeDocument(this.#rooms, { _id, account }, decide, stillMay);
    this.#relay.announce(this.#rooms, await wholeRoomTurns.run(account, end, gone));
  }

  /** A lead is about to be deleted: the turn that made it, where that still waits in its room, makes it no more. */
  async dropPendingLead(room: string, lead: string): Promise<void> {
    const waiting = { _id: room, 'bot.pending.leads._id': lead };
    await this.#rooms.updateOne(waiting as never, { $pull: { 'bot.pending.leads': { _id: lead } } } as never);
  }

  /** Which of these rooms exist and are in view. */
  async existing(view: View, uuids: readonly string[]): Promise<RoomPlace[]> {
    const known = { _id: { $in: uuids as string[] }, account: view.account };
    const found = await this.#rooms.find(known, { account: 1, widget: 1 }).lean<RoomPlace[]>();
    return found.filter((room) => isInView(view, room));
  }

  /** What names these rooms, by uuid, with one query; a room that the account does not have is absent. */
  async references(account: string, uuids: Iterable<string>): Promise<Map<string, RoomReference>> {
    const wanted = [...new Set(uuids)];
    if (wanted.length === 0) return new Map();
    const found = await this.#rooms.find({ _id: { $in: wanted }, account }, { label: 1 }).lean();
    return new Map(found.map(({ _id, label }) => [_id, { uuid: _id, label }]));
  }

  /** The room, if it is in view. */
  async byUuid(view: View, uuid: string): Promise<PlainRoom | undefined> {
    const room = await this.#byId(uuid);
    return room && isInView(view, room) ? room : undefined;
  }
}
