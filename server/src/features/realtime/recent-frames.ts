import { isBefore } from '../../database/has-come.ts';
import { type EventLogEntry, outlastsErasure } from './event-log.model.ts';

/** Bounds of what is kept, whichever comes first. */
const MAX_ENTRIES = 5_000;
const MAX_CHARACTERS = 4_000_000;

/** An event and the frame that tells it. */
export interface RecentFrame {
  entry: EventLogEntry;
  text: string;
}

/**
 * The last events in memory, so that clients that come back after a restart or a short gap, thousands of them at
 * once, cost no query each.
 */
export class RecentFrames {
  #kept: RecentFrame[] = [];
  #characters = 0;
  /** All events after this place are kept. */
  #since = Number.POSITIVE_INFINITY;

  /** From this place on everything comes by here, also what is not kept since nobody gets it later. */
  follow(place: number): void {
    this.#since = Math.min(this.#since, place - 1);
  }

  add(frame: RecentFrame): void {
    this.follow(frame.entry._id);
    this.#kept.push(frame);
    this.#characters += frame.text.length;
    // In large steps, since each moves the rest.
    if (this.#kept.length > 1.25 * MAX_ENTRIES || this.#characters > 1.25 * MAX_CHARACTERS) this.#forget();
  }

  /** The event at `place`, where it is kept. */
  at(place: number): EventLogEntry | undefined {
    const entry = this.#kept[this.#upTo(place) - 1]?.entry;
    return entry?._id === place ? entry : undefined;
  }

  /** The events after `place`; undefined when some of them are not kept any more. */
  after(place: number): RecentFrame[] | undefined {
    return place < this.#since ? undefined : this.#kept.slice(this.#upTo(place));
  }

  /** How many of what is kept are not after `place`. */
  #upTo(place: number): number {
    let low = 0;
    let high = this.#kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle]?.entry._id ?? 0) <= place) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Drops what was told in a room, of a lead or of a note that was erased, but for what tells of that. */
  erase(subject: string, before?: Date): void {
    const isLeft = ({ entry }: RecentFrame): boolean =>
      outlastsErasure(entry) ||
      (entry.room !== subject && entry.lead !== subject && entry.note !== subject) ||
      (before !== undefined && !isBefore(entry.at, before));
    this.#kept = this.#kept.filter(isLeft);
    this.#characters = this.#kept.reduce((sum, { text }) => sum + text.length, 0);
  }

  #forget(): void {
    let dropped = 0;
    let count = 0;
    while (this.#kept.length - count > MAX_ENTRIES || this.#characters - dropped > MAX_CHARACTERS) {
      dropped += this.#kept[count]?.text.length ?? 0;
      this.#since = this.#kept[count]?.entry._id ?? this.#since;
      count++;
    }
    this.#characters -= dropped;
    this.#kept.splice(0, count);
  }
}
