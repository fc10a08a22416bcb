import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Budgets } from '../../database/budgets.ts';
import type { NotificationModel } from './keywords.model.ts';

const DAY_MS = 86_400_000;

/** How many notifications a conversation raises in a UTC day, once half of the account's are used up (docs/limits.md). */
export const MAX_OF_CONVERSATION = 20;

/**
 * Beyond the cap the first notification of each conversation is raised still, out of a reserve as large: whoever floods
 * keeps back no customer who writes for the first time that day.
 */
const WITH_RESERVE = 2;

/** How many conversations that raise no more today are remembered. */
const MAX_SILENT = 10_000;

/** How long a day is counted: longer than it lasts for whichever process. */
const KEPT_MS = 2 * DAY_MS;

/** A notification that is to be raised. */
export interface WantedNotification {
  uuid: string;
  room: string;
}

interface Parts {
  notifications: NotificationModel;
  budgets: Pick<Budgets, 'add' | 'used'>;
}

/** Under what it is counted what an account, or one of its conversations, has raised on a day. */
const counterOf = (account: string, day: number, room?: string): string =>
  [account, 'keyword notifications', new Date(day).toISOString().slice(0, 10), ...(room ? [room] : [])].join(
    ' ',
  );

const countEach = (rooms: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const room of rooms) counts.set(room, (counts.get(room) ?? 0) + 1);
  return counts;
};

const dayOf = (at: Date): number => at.getTime() - (at.getTime() % DAY_MS);

/**
 * How many notifications an account and each of its conversations get in a UTC day, counted in the database by what they got:
 * by what is there, and by a count that outlives its erasure. Those that have had theirs are remembered until the day is over.
 */
export class DailyCap {
  readonly #parts: Parts;
  readonly #perDay: number;
  readonly #log: Logger;
  #day = 0;
  /** Accounts that get no more, not for conversations either that have had none. */
  readonly #full = new Set<string>();
  readonly #silent = new LRUCache<string, true>({ max: MAX_SILENT });
  readonly #logged = new Set<string>();

  /** @param perDay 0 for any number */
  constructor(parts: Parts, perDay: number, log: Logger) {
    this.#parts = parts;
    this.#perDay = perDay;
    this.#log = log;
  }

  /** Those of `wanted` that the account may still get today, and has not got. */
  async allowed<T extends WantedNotification>(
    account: string,
    all: readonly T[],
    now = new Date(),
  ): Promise<readonly T[]> {
    if (this.#perDay === 0 || all.length === 0) return all;
    const day = dayOf(now);
    if (day !== this.#day) for (const known of [this.#full, this.#silent, this.#logged]) known.clear();
    this.#day = day;
    if (this.#full.has(account)) return [];
    const wanted = all.filter(({ room }) => !this.#silent.has(room));
    if (wanted.length === 0) return [];
    const limit = this.#limitFor(0);
    const { had, ofRooms } = await this.#count(account, day, wanted);
    for (const [room, count] of ofRooms) {
      if (had >= this.#limitFor(count)) this.#silent.set(room, true);
    }
    if (had >= limit) this.#full.add(account);
    // What is told again, as after a crash, has been counted.
    const ids = { _id: { $in: wanted.map(({ uuid }) => uuid) }, account };
    const got = new Set((await this.#parts.notifications.find(ids, { _id: 1 }).lean()).map(({ _id }) => _id));
    const allowed: T[] = [];
    for (const one of wanted) {
      const count = ofRooms.get(one.room) ?? 0;
      if (got.has(one.uuid)) continue;
      const total = had + allowed.length;
      if (total >= this.#perDay) this.#tell(account);
      if (total >= this.#limitFor(count)) continue;
      ofRooms.set(one.room, count + 1);
      allowed.push(one);
    }
    return allowed;
  }

  /**
   * These were raised. They count from then on, whatever becomes of them: who has its messages erased and begins again is told
   * of no more often than others.
   */
  async raised(account: string, rooms: readonly string[], at: Date): Promise<void> {
    if (this.#perDay === 0 || rooms.length === 0) return;
    const day = dayOf(at);
    const expires_at = new Date(day + KEPT_MS);
    const add = (_id: string, count: number) => this.#parts.budgets.add({ _id, expires_at }, count);
    await Promise.all([
      add(counterOf(account, day), rooms.length),
      ...[...countEach(rooms)].map(([room, count]) => add(counterOf(account, day, room), count)),
    ]);
  }

  /** Up to which number of its account a conversation raises another one. @param count how many it has raised today */
  #limitFor(count: number): number {
    if (count === 0) return this.#perDay * WITH_RESERVE;
    return count < MAX_OF_CONVERSATION ? this.#perDay : this.#perDay / 2;
  }

  /** What the account and the rooms of `wanted` have raised on a day. */
  async #count(
    account: string,
    day: number,
    wanted: readonly WantedNotification[],
  ): Promise<{ had: number; ofRooms: Map<string, number> }> {
    const { notifications, budgets } = this.#parts;
    const today = { account, created_at: { $gte: new Date(day), $lt: new Date(day + DAY_MS) } };
    const rooms = [...new Set(wanted.map(({ room }) => room))];
    const [there, found, counted] = await Promise.all([
      notifications.countDocuments(today, { limit: this.#limitFor(0) }),
      notifications.find({ ...today, room: { $in: rooms } }, { room: 1 }).lean(),
      budgets.used([counterOf(account, day), ...rooms.map((room) => counterOf(account, day, room))]),
    ]);
    const ofRooms = countEach(found.map(({ room }) => room));
    for (const room of rooms) {
      const count = counted.get(counterOf(account, day, room)) ?? 0;
      ofRooms.set(room, Math.max(ofRooms.get(room) ?? 0, count));
    }
    return { had: Math.max(there, counted.get(counterOf(account, day)) ?? 0), ofRooms };
  }

  #tell(account: string): void {
    if (this.#logged.has(account)) return;
    this.#logged.add(account);
    this.#log.warn(
      { account, limit: this.#perDay },
      'an account has had its keyword notifications of today: of each conversation the first one is raised still, as many again (KEYWORD_NOTIFICATIONS_PER_DAY)',
    );
  }
}
