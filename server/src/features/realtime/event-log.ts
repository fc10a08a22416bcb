import { duplicateFields } from '../../database/duplicate.ts';
import { madeBefore } from '../../database/has-come.ts';
import { refusedOf } from '../../database/refused.ts';
import { newUuid, randomLetters } from '../../platform/ids.ts';
import { partsOf } from '../../platform/parts.ts';
import type { EventIds, OpenedId } from './event-ids.ts';
import {
  EMPTIED,
  type EventLogEntry,
  type EventLogEntryModel,
  type EventLogHead,
  type EventLogHeadModel,
  OUTLAST_ERASURE,
} from './event-log.model.ts';
import { EventLogReader } from './event-log-reader.ts';

/** An event on its way into the log. */
export type NewEntry = Omit<EventLogEntry, '_id'>;

const HEAD = { _id: 'head' } as const;

/** A place is filled milliseconds after it was taken, or never; clocks may be seconds apart. */
const SETTLED_AFTER_MS = 60_000;

/** How often a process that is alone writes down how far its counter is: often enough that the log still knows it. */
const SAVED_EVERY_MS = 60_000;

/** How many places one round takes. */
const MAX_BATCH = 100;

/** How many empty places are filled at a time: a disk with room for a little has some for these. */
const FILLED_AT_ONCE = 50;

interface Waiting {
  entries: readonly NewEntry[];
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * The recent events, in one order over all processes, without a clock: a writer takes places from a counter (in memory, where
 * it is the only process) and fills them. A reader waits for an empty place, and fills it with a void entry where its writer
 * died; places are unique, so the slower of both is refused, and a slow writer takes new ones.
 */
export class EventLog {
  readonly read: EventLogReader;
  readonly #entries: EventLogEntryModel;
  readonly #head: EventLogHeadModel;
  readonly #ids: EventIds;
  readonly #onStored: (entries: EventLogEntry[]) => void;
  readonly #queue: Waiting[] = [];
  #writing: Promise<void> | undefined;
  readonly #isOnlyProcess: boolean;
  #epoch = '';
  /** Only of a process that is alone: the last place that was taken, and when it was written down. */
  #last = 0;
  #savedAt = 0;

  /**
   * @param onStored learns of this process's own entries before any other process can
   * @param isOnlyProcess no other server process writes to this database
   */
  constructor(
    entries: EventLogEntryModel,
    head: EventLogHeadModel,
    ids: EventIds,
    onStored: (entries: EventLogEntry[]) => void,
    isOnlyProcess = false,
  ) {
    this.read = new EventLogReader(entries);
    this.#entries = entries;
    this.#head = head;
    this.#ids = ids;
    this.#onStored = onStored;
    this.#isOnlyProcess = isOnlyProcess;
  }

  /**
   * Makes the counter where there is none.
   * @returns the last place that was taken, and one up to which nothing is being written any more
   */
  async open(): Promise<{ head: number; settled: number }> {
    const now = Date.now();
    const first: EventLogHead = { ...HEAD, last: 0, at: new Date(now), epoch: randomLetters(8) };
    const found = await this.#head.findOne(HEAD).lean<EventLogHead>();
    if (!found) {
      await this.#head.insertOne(first).catch((error) => {
        if (!duplicateFields(error)) throw error;
      });
    }
    const head = found ?? (await this.#head.findOne(HEAD).lean<EventLogHead>()) ?? first;
    const newest = await this.#newest();
    const last = await this.#lastOf(head, newest);
    // Who counts alone writes its counter down now and then: where no entry tells how far it went, no place of before is known.
    this.#epoch = found && !newest && this.#isOnlyProcess ? await this.#beginAnew() : head.epoch;
    this.#last = Math.max(this.#last, last);
    const before = new Date(now - SETTLED_AFTER_MS);
    if (head.at < before) return { head: last, settled: last };
    const [old] = await this.#entries
      .find({ at: { $lt: before } })
      .sort({ at: -1 })
      .limit(1)
      .lean<EventLogEntry[]>();
    return { head: last, settled: old?._id ?? 0 };
  }

  async #newest(): Promise<EventLogEntry | undefined> {
    const [newest] = await this.#entries.find().sort({ _id: -1 }).limit(1).lean<EventLogEntry[]>();
    return newest;
  }

  /** The last place that was taken: a process that counted in memory may have left a counter that is behind. */
  async #lastOf(head: EventLogHead, newest: EventLogEntry | undefined): Promise<number> {
    if (!newest || newest._id <= head.last) return head.last;
    await this.#head.updateOne(HEAD, { $max: { last: newest._id } });
    return newest._id;
  }

  /** @returns the epoch from now on: whoever comes back with an id of before reads everything anew */
  async #beginAnew(): Promise<string> {
    const epoch = randomLetters(8);
    await this.#head.updateOne(HEAD, { $set: { epoch } });
    return epoch;
  }

  /** What clients know an entry of the log by. */
  idOf({ _id, event }: Pick<EventLogEntry, '_id' | 'event'>): string {
    return this.#ids.seal(this.#epoch, _id, event);
  }

  /** What an id stands for; undefined when it is none of this log. */
  openId(id: string): OpenedId | undefined {
    return this.#ids.open(this.#epoch, id);
  }

  /**
   * Appends entries in their order; those whose event is there already are left out. What is asked for while a
   * round is under way goes in the next one together.
   */
  append(entries: readonly NewEntry[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ entries, resolve, reject });
      this.#writing ??= this.#write();
    });
  }

  /** Resolves when nothing is on its way. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  /** Fills places that their writer has left empty; those that are taken by now stay as they are. */
  async fill(places: readonly number[]): Promise<void> {
    const at = new Date();
    for (const some of partsOf(places, () => 1, FILLED_AT_ONCE))
      await this.#insert(
        some.map((_id) => ({ _id, event: `void-${_id}-${newUuid()}`, name: 'void', account: '', at })),
      );
  }

  /**
   * Empties the entries of a room or lead that was erased, or of a note that was deleted, but for what tells of that; their places stay taken.
   * @param before only those of what happened before
   */
  async erase(subject: string, before?: Date): Promise<void> {
    const then = before && madeBefore('at', before);
    await this.#entries.updateMany({ room: subject, name: { $nin: OUTLAST_ERASURE }, ...then }, EMPTIED);
    await this.#entries.updateMany({ lead: subject, ...then }, EMPTIED);
    await this.#entries.updateMany({ note: subject, ...then }, EMPTIED);
  }

  async #write(): Promise<void> {
    while (this.#queue.length > 0) {
      const round: Waiting[] = [];
      let size = 0;
      while (this.#queue[0] && (size === 0 || size + this.#queue[0].entries.length <= MAX_BATCH)) {
        const waiting = this.#queue.shift() as Waiting;
        round.push(waiting);
        size += waiting.entries.length;
      }
      try {
        await this.#place(round.flatMap(({ entries }) => entries));
        for (const { resolve } of round) resolve();
      } catch (error) {
        for (const { reject } of round) reject(error);
      }
    }
    // In the same moment as the look at the queue: what is appended from now on begins anew.
    this.#writing = undefined;
  }

  async #place(entries: readonly NewEntry[]): Promise<void> {
    for (let waiting = entries; waiting.length > 0; ) {
      const last = await this.#take(waiting.length);
      const placed = waiting.map((entry, index) => ({ _id: last - waiting.length + 1 + index, ...entry }));
      const refused = await this.#insert(placed).catch((error) => {
        this.#giveBack(waiting.length);
        throw error;
      });
      this.#onStored(placed.filter(({ _id }) => !refused.has(_id)));
      if (refused.size === 0) return;
      const left = placed.filter(({ _id }) => refused.has(_id));
      // Either the event stands in the log, and its new place is not needed, or the place was given up.
      const events = { event: { $in: left.map(({ event }) => event) } };
      const known = new Set(
        (await this.#entries.find(events).lean<EventLogEntry[]>()).map(({ event }) => event),
      );
      await this.fill(left.filter(({ event }) => known.has(event)).map(({ _id }) => _id));
      waiting = left.filter(({ event }) => !known.has(event)).map(({ _id, ...entry }) => entry);
    }
  }

  /** Takes `count` places. @returns the last of them */
  async #take(count: number): Promise<number> {
    if (this.#epoch === '') await this.open();
    if (this.#isOnlyProcess) return this.#takeAlone(count);
    const head = await this.#head
      .findOneAndUpdate(
        HEAD,
        { $inc: { last: count }, $set: { at: new Date() } },
        { returnDocument: 'after' },
      )
      .lean<EventLogHead>();
    if (!head) throw new Error('the head of the realtime log is gone');
    return head.last;
  }

  async #takeAlone(count: number): Promise<number> {
    const last = this.#last + count;
    const now = Date.now();
    if (Math.abs(now - this.#savedAt) >= SAVED_EVERY_MS) {
      await this.#head.updateOne(HEAD, { $max: { last }, $set: { at: new Date(now) } });
      this.#savedAt = now;
    }
    this.#last = last;
    return last;
  }

  /**
   * Gives the last places back, of which it is not known that any was filled: while a disk is full, each try would leave a gap.
   * One that was filled all the same refuses who takes it again, as the entry of another.
   */
  #giveBack(count: number): void {
    if (this.#isOnlyProcess) this.#last -= count;
  }

  /** @returns the places of the entries that were refused as duplicates */
  async #insert(entries: readonly EventLogEntry[]): Promise<Set<number>> {
    if (entries.length === 0) return new Set();
    try {
      const options = { ordered: false, ignoreUndefined: true };
      await this.#entries.collection.insertMany(entries as never, options);
      return new Set();
    } catch (error) {
      const refused = refusedOf(error);
      if (!refused.every((one) => duplicateFields(one))) throw error;
      return new Set(refused.map(({ index }) => entries[index]?._id ?? 0));
    }
  }
}
