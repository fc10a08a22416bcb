import { databaseAway } from '../../database/unavailable.ts';
import { noteOf, type OutboxEvent } from '../../events/events.ts';
import { batched } from '../../platform/batch.ts';
import { FairTurns, type TurnLimits } from '../../platform/fair-turns.ts';
import type { EventLogEntry, EventLogEntryModel } from './event-log.model.ts';

/** How many entries one query for several rooms gives at most; rooms that have more are asked for alone. */
const MAX_TOGETHER = 1_000;

/** What is read for those who come back holds up to 200 long events: accounts take turns, and visitors by their rooms. */
const TURNS: TurnLimits = { running: 4, runningOfOne: 1, waitingOfOne: 1_000 };

/** What says which event stands at a place: not what was said by it, which may be 40 kB. */
const PLACED_EVENT = { event: 1, at: 1 } as const;
type PlacedEvent = Pick<EventLogEntry, '_id' | keyof typeof PLACED_EVENT>;

/** Entries of a room between two places: after the first, up to and with the last. */
interface RoomRange {
  room: string;
  place: number;
  until: number;
  limit: number;
}

/** How many entries all that is asked for holds, if nothing of it is asked for twice. */
const limitOf = (asked: readonly RoomRange[]): number => {
  const byRoom = new Map<string, number>();
  for (const { room, limit } of asked) byRoom.set(room, Math.max(limit, byRoom.get(room) ?? 0));
  return [...byRoom.values()].reduce((sum, limit) => sum + limit, 0);
};

/** Reads the log of recent events. Places and their order are the log's own (event-log.ts). */
export class EventLogReader {
  readonly #entries: EventLogEntryModel;
  readonly #turns = new FairTurns(TURNS, databaseAway);

  constructor(entries: EventLogEntryModel) {
    this.#entries = entries;
  }

  /** Up to `limit` entries after `place`, in order. */
  after(place: number, limit: number): Promise<EventLogEntry[]> {
    return this.#find({ _id: { $gt: place } }, limit);
  }

  /** Which event stands at a place, and since when. Those that are asked for at the same time are read together. */
  readonly at = batched(async (places: number[]): Promise<(PlacedEvent | undefined)[]> => {
    const options = { projection: PLACED_EVENT, batchSize: places.length + 1 } as const;
    const placed = this.#entries.collection.find({ _id: { $in: [...new Set(places)] } as never }, options);
    const found = (await placed.toArray()) as unknown as PlacedEvent[];
    const known = new Map(found.map((entry) => [entry._id, entry]));
    return places.map((place) => known.get(place));
  });

  /** As `after`, up to and with `until`, of one account only. */
  ofAccount(account: string, place: number, until: number, limit: number): Promise<EventLogEntry[]> {
    return this.#turns.run(account, () => this.#find({ account, _id: { $gt: place, $lte: until } }, limit));
  }

  /**
   * As `after`, up to and with `until`, of one room only. When thousands of visitors come back at once, their rooms
   * are read together.
   */
  readonly ofRoom = batched(async (asked: RoomRange[]) => {
    const alone = ({ room, place, until, limit }: RoomRange) =>
      this.#turns.run(`visitor ${room}`, () => this.#find({ room, _id: { $gt: place, $lte: until } }, limit));
    if (asked.length === 1) return asked.map(alone);
    const first = Math.min(...asked.map(({ place }) => place));
    const last = Math.max(...asked.map(({ until }) => until));
    const rooms = { $in: [...new Set(asked.map(({ room }) => room))] };
    const most = Math.min(MAX_TOGETHER, limitOf(asked));
    const found = await this.#find({ room: rooms, _id: { $gt: first, $lte: last } }, most);
    // Of all rooms everything up to this place was found.
    const upTo = found.length < most ? last : (found.at(-1)?._id ?? last);
    const byRoom = new Map<string, EventLogEntry[]>();
    for (const { room = '' } of found) byRoom.set(room, []);
    for (const entry of found) byRoom.get(entry.room ?? '')?.push(entry);
    return asked.map((range) => {
      const { room, place, until, limit } = range;
      const own = (byRoom.get(room) ?? []).filter(({ _id }) => _id > place && _id <= until);
      return own.length >= limit || until <= upTo ? own.slice(0, limit) : alone(range);
    });
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
