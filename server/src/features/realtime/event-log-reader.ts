import { noteOf, type OutboxEvent } from '../../events/events.ts';
import { batched } from '../../platform/batch.ts';
import type { EventLogEntry, EventLogEntryModel } from './event-log.model.ts';

/** How many entries one query for several rooms gives at most; with more than that each room is asked for alone. */
const MAX_TOGETHER = 1_000;

/** Entries of a room between two places: after the first, up to and with the last. */
interface RoomRange {
  room: string;
  place: number;
  until: number;
  limit: number;
}

/** Reads the log of recent events. Places and their order are the log's own (event-log.ts). */
export class EventLogReader {
  readonly #entries: EventLogEntryModel;

  constructor(entries: EventLogEntryModel) {
    this.#entries = entries;
  }

  /** Up to `limit` entries after `place`, in order. */
  after(place: number, limit: number): Promise<EventLogEntry[]> {
    return this.#find({ _id: { $gt: place } }, limit);
  }

  /** The entry at a place. Those that are asked for at the same time are read together. */
  readonly at = batched(async (places: number[]): Promise<(EventLogEntry | undefined)[]> => {
    const found = await this.#find({ _id: { $in: [...new Set(places)] } }, places.length);
    const known = new Map(found.map((entry) => [entry._id, entry]));
    return places.map((place) => known.get(place));
  });

  /** As `after`, up to and with `until`, of one account only. */
  ofAccount(account: string, place: number, until: number, limit: number): Promise<EventLogEntry[]> {
    return this.#find({ account, _id: { $gt: place, $lte: until } }, limit);
  }

  /**
   * As `after`, up to and with `until`, of one room only. When thousands of visitors come back at once, their rooms
   * are read together.
   */
  readonly ofRoom = batched(async (asked: RoomRange[]) => {
    const alone = ({ room, place, until, limit }: RoomRange) =>
      this.#find({ room, _id: { $gt: place, $lte: until } }, limit);
    if (asked.length === 1) return asked.map(alone);
    const first = Math.min(...asked.map(({ place }) => place));
    const last = Math.max(...asked.map(({ until }) => until));
    const rooms = { $in: [...new Set(asked.map(({ room }) => room))] };
    const found = await this.#find({ room: rooms, _id: { $gt: first, $lte: last } }, MAX_TOGETHER + 1);
    if (found.length > MAX_TOGETHER) return asked.map(alone);
    const byRoom = new Map<string, EventLogEntry[]>();
    for (const entry of found) {
      const room = entry.room ?? '';
      byRoom.set(room, [...(byRoom.get(room) ?? []), entry]);
    }
    return asked.map(({ room, place, until, limit }) =>
      (byRoom.get(room) ?? []).filter(({ _id }) => _id > place && _id <= until).slice(0, limit),
    );
  });

  /** Which of the notes that these events tell of were deleted by what the log says. */
  async deletedOf(events: readonly Pick<OutboxEvent, 'room' | 'data'>[]): Promise<string[]> {
    const rooms = [...new Set(events.flatMap(({ room }) => room ?? []))];
    const notes = [...new Set(events.map(noteOf))];
    const gone = { room: { $in: rooms }, name: 'note.deleted', 'data.uuid': { $in: notes } };
    return (await this.#find(gone, notes.length)).map(({ data = {} }) => noteOf({ data }));
  }

  /** Past mongoose: every process asks several times a second what is new, also when nothing happens. */
  #find(filter: object, limit: number): Promise<EventLogEntry[]> {
    const options = { sort: { _id: 1 }, limit, batchSize: limit + 1 } as const;
    return this.#entries.collection.find(filter, options).toArray() as never;
  }
}
