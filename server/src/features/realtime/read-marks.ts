import { MAX_UNREAD, type ReadMark } from '@parlor/shared';
import { isoDatetime } from '../../database/document.ts';
import { duplicateFields } from '../../database/duplicate.ts';
import { newEvent } from '../../events/events.ts';
import type { Relay } from '../../events/relay.ts';
import { Tries } from '../../platform/tries.ts';
import type { MessageOutline, MessagesService } from '../messages/messages.service.ts';
import type { RoomPlace } from '../rooms/rooms.service.ts';
import type { ReadMarkModel, StoredReadMark } from './read-marks.model.ts';

type Side = StoredReadMark['sender'];

type Place = Pick<StoredReadMark, 'message' | 'sent_at'>;

const presentMark = ({ sender, message, sent_at }: StoredReadMark): ReadMark => ({
  sender,
  message,
  sent_at: isoDatetime(sent_at),
});

/** Whether `a` stands before `b` in a conversation: by time, then by uuid (docs/contract.md#live-channel). */
const isBefore = (a: Place, b: Place): boolean =>
  a.sent_at < b.sent_at || (a.sent_at.getTime() === b.sent_at.getTime() && a.message < b.message);

/** How many of the latest messages are looked at, before more are. */
const LOOKED_AT_FIRST = 8;

/**
 * How many of these messages of the other side come after what one side has read or written itself.
 * @param latest newest first
 * @returns also whether they go back as far as that
 */
const countUnread = (
  latest: readonly MessageOutline[],
  sender: Side,
  mark: Place | undefined,
): { count: number; isWhole: boolean } => {
  let count = 0;
  for (const { _id, sent_at, is_support_sender, is_bot } of latest) {
    if (mark && !isBefore(mark, { message: _id, sent_at })) return { count, isWhole: true };
    const isOwn = sender === 'visitor' ? !is_support_sender : is_support_sender && !is_bot;
    if (isOwn) return { count, isWhole: true };
    if (is_support_sender === (sender === 'visitor')) count++;
  }
  return { count, isWhole: false };
};

/** How far each side of a conversation has read; a mark only moves forward. */
export class ReadMarks {
  readonly #marks: ReadMarkModel;
  readonly #messages: Pick<MessagesService, 'placeOf' | 'outlineOf'>;
  readonly #relay: Pick<Relay, 'announce'>;

  constructor(
    marks: ReadMarkModel,
    messages: Pick<MessagesService, 'placeOf' | 'outlineOf'>,
    relay: Pick<Relay, 'announce'>,
  ) {
    this.#marks = marks;
    this.#messages = messages;
    this.#relay = relay;
  }

  /**
   * One side has read up to and with a message; the other learns of it by a `read` event, in the same write.
   * What is no message of the room changes nothing.
   */
  async move({ _id: room, account, widget }: RoomPlace, sender: Side, uuid: string): Promise<void> {
    const message = await this.#messages.placeOf(account, uuid);
    if (message?.room !== room) return;
    const { sent_at } = message;
    const _id = `${room}:${sender}`;
    const mark: StoredReadMark = { _id, account, room, sender, message: uuid, sent_at };
    const events = [newEvent('read', account, new Date(), presentMark(mark), { room, widget })];
    for (const tries = new Tries('a read mark'); ; ) {
      tries.next();
      const current = await this.#marks.findOne({ _id }).lean<StoredReadMark>();
      if (current && !isBefore(current, mark)) return;
      if (await this.#write(current, mark, events)) break;
    }
    this.#relay.announce(this.#marks, { ...mark, events });
  }

  /** What one side has not read of each of some rooms, and how far both have read. */
  async states(
    rooms: readonly string[],
    sender: Side,
  ): Promise<{ room: string; unread: number; marks: ReadMark[] }[]> {
    const found = await this.#marks.find({ room: { $in: rooms as string[] } }).lean<StoredReadMark[]>();
    const states = [];
    for (const room of rooms) {
      const marks = found.filter((mark) => mark.room === room);
      const own = marks.find((mark) => mark.sender === sender);
      const unread = await this.#unread(room, sender, own);
      states.push({ room, unread, marks: marks.map(presentMark) });
    }
    return states;
  }

  /**
   * How many messages of the other side one side has not read, of the latest `MAX_UNREAD`. Who writes has read what stands
   * above; a bot that answers has not read for the people behind it.
   */
  async #unread(room: string, sender: Side, mark: StoredReadMark | undefined): Promise<number> {
    // Most often one of the first tells: a whole message is read for each.
    const latest = await this.#messages.outlineOf(room, LOOKED_AT_FIRST);
    const first = countUnread(latest, sender, mark);
    if (first.isWhole || latest.length < LOOKED_AT_FIRST) return first.count;
    return countUnread(await this.#messages.outlineOf(room, MAX_UNREAD), sender, mark).count;
  }

  /** @returns false when another writer came between */
  async #write(
    current: StoredReadMark | null,
    mark: StoredReadMark,
    events: NonNullable<StoredReadMark['events']>,
  ): Promise<boolean> {
    const { _id, message, sent_at } = mark;
    if (current) {
      const { matchedCount } = await this.#marks.updateOne(
        { _id, message: current.message },
        { $set: { message, sent_at }, $push: { events: { $each: events } } },
      );
      return matchedCount === 1;
    }
    try {
      await this.#marks.insertOne({ ...mark, events });
      return true;
    } catch (error) {
      if (duplicateFields(error)) return false;
      throw error;
    }
  }
}
