import type { Logger } from 'pino';
import type { EventLogEntry } from './event-log.model.ts';
import type { EventLog } from './event-log.ts';

/** How often the log is asked for what other processes wrote. */
const POLL_EVERY_MS = 100;
/**
 * When nothing was found for a while; still within what docs/contract.md#live-channel promises across
 * processes.
 */
const POLL_QUIET_EVERY_MS = 200;
const QUIET_AFTER_MS = 5_000;
/** When nobody listens, or no other process writes. */
const POLL_IDLE_EVERY_MS = 1_000;

/** A place that stays empty this long while later ones are filled was left by a writer that died. */
const GIVE_UP_AFTER_MS = 300;

/** How far back a starting process reads at most: beyond all places that another one may still be filling. */
const LOOK_BACK = 1_000;

const READ_AT_ONCE = 500;

/**
 * Follows the log: gives every entry once, in the order of the places, without a gap. Entries may become visible
 * in any order; one is given only when all before it have been.
 */
export class Tail {
  readonly #log: EventLog;
  readonly #onEntry: (entry: EventLogEntry) => void;
  readonly #isNeeded: () => boolean;
  readonly #logger: Logger;
  readonly #early = new Map<number, EventLogEntry>();
  #position = 0;
  /** The event at that place; empty where nothing is known of it any more. */
  #event = '';
  #gap: { place: number; since: number } | undefined;
  #polling: Promise<void> | undefined;
  #pollAgain = false;
  #timer: NodeJS.Timeout | undefined;
  /** A process that runs one command writes into the log and follows nothing: its database is closed at once. */
  #isFollowing = false;
  #polledAt = 0;
  #foundAt = 0;
  #isFailing = false;

  /** @param isNeeded whether others may write what somebody here wants to know at once */
  constructor(
    log: EventLog,
    onEntry: (entry: EventLogEntry) => void,
    isNeeded: () => boolean,
    logger: Logger,
  ) {
    this.#log = log;
    this.#onEntry = onEntry;
    this.#isNeeded = isNeeded;
    this.#logger = logger;
  }

  /** The last place that was given. */
  get position(): number {
    return this.#position;
  }

  /** The last entry that was given, as ids are made of it. */
  get last(): Pick<EventLogEntry, '_id' | 'event'> {
    return { _id: this.#position, event: this.#event };
  }

  /** Reads up to the present. Entries that were written before are given, too: they are what is recent. */
  async start(): Promise<void> {
    this.#isFollowing = true;
    const { head, settled } = await this.#log.open();
    this.#position = Math.max(settled, head - LOOK_BACK);
    this.#event = (await this.#log.read.at(this.#position))?.event ?? '';
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (this.#position < head) {
      await this.#poll();
      if (this.#position >= head) break;
      if (performance.now() >= deadline) await this.#log.fill(this.#missing(head));
      else await new Promise((resolve) => setTimeout(resolve, 20));
    }
    this.#timer = setInterval(() => this.#tick(), POLL_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#isFollowing = false;
    clearInterval(this.#timer);
    await this.#polling;
  }

  /** Takes entries that this process has just written, or read. */
  offer(entries: readonly EventLogEntry[]): void {
    if (!this.#isFollowing) return;
    for (const entry of entries) {
      if (entry._id > this.#position) this.#early.set(entry._id, entry);
    }
    this.#advance();
    // A hole before them is most likely what another process wrote a moment ago.
    if (this.#early.size > 0) this.wake();
  }

  /** Reads the log now. */
  wake(): void {
    if (this.#polling) this.#pollAgain = true;
    else void this.#startPoll();
  }

  #tick(): void {
    if (this.#polling) return;
    const now = performance.now();
    const isQuiet = now - this.#foundAt > QUIET_AFTER_MS;
    const every =
      this.#early.size > 0
        ? POLL_EVERY_MS
        : !this.#isNeeded()
          ? POLL_IDLE_EVERY_MS
          : isQuiet
            ? POLL_QUIET_EVERY_MS
            : POLL_EVERY_MS;
    // A little early is on time: timers are not exact.
    if (now - this.#polledAt >= every - POLL_EVERY_MS / 2) void this.#startPoll();
  }

  #startPoll(): Promise<void> {
    this.#polling = this.#poll()
      .then(() => {
        if (this.#isFailing) this.#logger.info('the log of recent events can be read again');
        this.#isFailing = false;
      })
      .catch((error) => {
        if (!this.#isFailing) this.#logger.warn({ err: error }, 'reading the log of recent events failed');
        this.#isFailing = true;
        this.#pollAgain = false;
      })
      .finally(() => {
        this.#polling = undefined;
        if (!this.#pollAgain) return;
        this.#pollAgain = false;
        void this.#startPoll();
      });
    return this.#polling;
  }

  async #poll(): Promise<void> {
    for (;;) {
      this.#polledAt = performance.now();
      const found = await this.#log.read.after(this.#position, READ_AT_ONCE);
      if (found.length > 0) this.#foundAt = this.#polledAt;
      for (const entry of found) this.#early.set(entry._id, entry);
      const before = this.#position;
      this.#advance();
      if (found.length < READ_AT_ONCE || this.#position === before) break;
    }
    await this.#closeGap();
  }

  #advance(): void {
    for (let next = this.#early.get(this.#position + 1); next; next = this.#early.get(this.#position + 1)) {
      this.#early.delete(next._id);
      this.#position = next._id;
      this.#event = next.event;
      if (next.name !== 'void') this.#onEntry(next);
    }
    // Entries that a poll brought, and that had been given while it was under way.
    if (this.#early.size > 0) {
      for (const place of this.#early.keys()) if (place <= this.#position) this.#early.delete(place);
    }
  }

  async #closeGap(): Promise<void> {
    if (this.#early.size === 0) {
      this.#gap = undefined;
      return;
    }
    const place = this.#position + 1;
    if (this.#gap?.place !== place) {
      this.#gap = { place, since: performance.now() };
    } else if (performance.now() - this.#gap.since > GIVE_UP_AFTER_MS) {
      let first = Number.POSITIVE_INFINITY;
      for (const early of this.#early.keys()) first = Math.min(first, early);
      const places = this.#missing(first - 1);
      this.#logger.warn(
        { places: places.length },
        'a writer of the log is slow or has died; closing the gap it left',
      );
      await this.#log.fill(places);
      this.#pollAgain = true;
    }
  }

  /** The places up to `until` that nothing was seen of. */
  #missing(until: number): number[] {
    const places: number[] = [];
    for (let place = this.#position + 1; place <= until; place++) {
      if (!this.#early.has(place)) places.push(place);
    }
    return places;
  }
}
