import { VIEWING_ENDS_AFTER_MS, type Viewing as ViewingData } from '@parlor/shared';
import type { EventLogEntry } from './event-log.model.ts';

/** How many an account's newcomer is told of, and so how many are remembered: those who were heard of last. */
const MAX_KNOWN = 500;

interface Known {
  entry: EventLogEntry;
  at: number;
}

/** Also where the clock was put back: nobody is there because that has not come yet. */
const isThere = (at: number, now: number): boolean => Math.abs(now - at) < VIEWING_ENDS_AFTER_MS;

/** Which members view which rooms now, as every process hears it from the log. */
export class KnownViewers {
  readonly #byAccount = new Map<string, Map<string, Known>>();

  /** Takes in what clients are told. */
  hear(entry: EventLogEntry, now = Date.now()): void {
    const { account, room, data } = entry;
    const { member, is_viewing } = data as ViewingData;
    const known = this.#byAccount.get(account) ?? new Map<string, Known>();
    const key = `${member.uuid} ${room}`;
    // Behind the others, so that they stand in the order in which they were heard.
    known.delete(key);
    // A process that has just started hears what was told before.
    if (is_viewing && now - entry.at.getTime() < VIEWING_ENDS_AFTER_MS) known.set(key, { entry, at: now });
    const [oldest] = known.keys();
    if (known.size > MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    if (known.size > 0) this.#byAccount.set(account, known);
    else this.#byAccount.delete(account);
  }

  /** What was told of those who are there now, in the order in which it was. */
  of(account: string, now = Date.now()): EventLogEntry[] {
    const known = [...(this.#byAccount.get(account)?.values() ?? [])];
    return known.filter(({ at }) => isThere(at, now)).map(({ entry }) => entry);
  }

  /** Forgets who viewed a room that was deleted. */
  forget(room: string): void {
    for (const [account, known] of this.#byAccount) {
      for (const [key, { entry }] of known) {
        if (entry.room === room) known.delete(key);
      }
      if (known.size === 0) this.#byAccount.delete(account);
    }
  }

  /** Forgets those who are not there any more. */
  sweep(now = Date.now()): void {
    for (const [account, known] of this.#byAccount) {
      for (const [key, { at }] of known) {
        if (!isThere(at, now)) known.delete(key);
      }
      if (known.size === 0) this.#byAccount.delete(account);
    }
  }
}
