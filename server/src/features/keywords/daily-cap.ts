import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
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

/** A notification that is to be raised. */
export interface WantedNotification {
  uuid: string;
  room: string;
}

/**
 * How many notifications an account and each of its conversations get in a UTC day, counted in the database by what they got.
 * Those that have had theirs are remembered until the day is over.
 */
export class DailyCap {
  readonly #notifications: NotificationModel;
  readonly #perDay: number;
  readonly #log: Logger;
  #day = 0;
  /** Accounts that get no more, not for conversations either that have had none. */
  readonly #full = new Set<string>();
  readonly #silent = new LRUCache<string, true>({ max: MAX_SILENT });
  readonly #logged = new Set<string>();

  /** @param perDay 0 for any number */
  constructor(notifications: NotificationModel, perDay: number, log: Logger) {
    this.#notifications = notifications;
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
    const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    if (day !== this.#day) for (const known of [this.#full, this.#silent, this.#logged]) known.clear();
    this.#day = day;
    if (this.#full.has(account)) return [];
    const wanted = all.filter(({ room }) => !this.#silent.has(room));
    if (wanted.length === 0) return [];
    const today = { account, created_at: { $gte: new Date(day), $lt: new Date(day + DAY_MS) } };
    const limit = this.#limitFor(0);
    const [had, ofRooms] = await Promise.all([
      this.#notifications.countDocuments(today, { limit }),
      this.#countByRoom(today, wanted),
    ]);
    for (const [room, count] of ofRooms) {
      if (had >= this.#limitFor(count)) this.#silent.set(room, true);
    }
    if (had >= limit) this.#full.add(account);
    // What is told again, as after a crash, has been counted.
    const ids = { _id: { $in: wanted.map(({ uuid }) => uuid) }, account };
    const got = new Set((await this.#notifications.find(ids, { _id: 1 }).lean()).map(({ _id }) => _id));
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

  /** Up to which number of its account a conversation raises another one. @param count how many it has raised today */
  #limitFor(count: number): number {
    if (count === 0) return this.#perDay * WITH_RESERVE;
    return count < MAX_OF_CONVERSATION ? this.#perDay : this.#perDay / 2;
  }

  async #countByRoom(today: object, wanted: readonly WantedNotification[]): Promise<Map<string, number>> {
    const rooms = [...new Set(wanted.map(({ room }) => room))];
    const found = await this.#notifications.find({ ...today, room: { $in: rooms } }, { room: 1 }).lean();
    const counts = new Map<string, number>();
    for (const { room } of found) counts.set(room, (counts.get(room) ?? 0) + 1);
    return counts;
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
