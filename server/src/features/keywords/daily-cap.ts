import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Budgets } from '../../database/budgets.ts';
import { type AskedFrom, NETWORK_SHARE } from '../../http/asked-from.ts';
import type { NotificationModel } from './keywords.model.ts';

const DAY_MS = 86_400_000;

/** How many notifications a conversation raises in a UTC day, once half of the account's are used up (docs/limits.md). */
export const MAX_OF_CONVERSATION = 20;

/**
 * Beyond the cap the first notification of each conversation is raised still, out of a reserve as large: whoever floods
 * keeps back no customer who writes for the first time that day.
 */
const WITH_RESERVE = 2;

/**
 * The share of a client address, once half of the account's are used up: whoever opens many conversations uses up neither what is
 * left nor the reserve.
 */
const SHARE_OF_ADDRESS = 0.1;

/** How many conversations and addresses that raise no more today are remembered. */
const MAX_SILENT = 10_000;

/** How long a day is counted: longer than it lasts for whichever process. */
const KEPT_MS = 2 * DAY_MS;

/** A notification that is to be raised. */
export interface WantedNotification extends Cause {
  uuid: string;
}

/** What raises a notification: somebody who writes in a conversation. */
export interface Cause {
  room: string;
  /** Nothing for what comes with a credential of the account. */
  askedFrom: AskedFrom;
}

interface Parts {
  notifications: NotificationModel;
  budgets: Pick<Budgets, 'add' | 'used'>;
}

/** Under what it is counted what an account, or one of its conversations or of the addresses that write there, has raised on a day. */
const counterOf = (account: string, day: number, by?: string): string =>
  [account, 'keyword notifications', new Date(day).toISOString().slice(0, 10), ...(by ? [by] : [])].join(' ');

const countEach = (all: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
};

const dayOf = (at: Date): number => at.getTime() - (at.getTime() % DAY_MS);

/**
 * How many notifications an account, each of its conversations and each client address get in a UTC day, counted in the database by
 * what they got: by what is there, and by a count that outlives its erasure. Those that have had theirs are remembered until the day
 * is over.
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
    const isSilent = (by: string) => this.#silent.has(`${account} ${by}`);
    const wanted = all.filter(({ room, askedFrom }) => !isSilent(room) && !askedFrom.some(isSilent));
    if (wanted.length === 0) return [];
    const { had, counts } = await this.#count(account, day, wanted);
    const limitOf = ({ room, askedFrom }: Cause) => {
      const limits = askedFrom.map((one, at) => this.#limitForAddress(counts.get(one) ?? 0, at));
      return Math.min(this.#limitFor(counts.get(room) ?? 0), ...limits);
    };
    const silence = (by: string, limit: number) => {
      if (had >= limit) this.#silent.set(`${account} ${by}`, true);
    };
    for (const { room, askedFrom } of wanted) {
      silence(room, limitOf({ room, askedFrom: [] }));
      for (const [at, one] of askedFrom.entries()) {
        silence(one, this.#limitForAddress(counts.get(one) ?? 0, at));
      }
    }
    if (had >= this.#limitFor(0)) this.#full.add(account);
    // What is told again, as after a crash, has been counted.
    const ids = { _id: { $in: wanted.map(({ uuid }) => uuid) }, account };
    const got = new Set((await this.#parts.notifications.find(ids, { _id: 1 }).lean()).map(({ _id }) => _id));
    const allowed: T[] = [];
    for (const one of wanted) {
      if (got.has(one.uuid)) continue;
      const total = had + allowed.length;
      if (total >= this.#perDay) this.#tell(account);
      if (total >= limitOf(one)) continue;
      for (const by of [one.room, ...one.askedFrom]) counts.set(by, (counts.get(by) ?? 0) + 1);
      allowed.push(one);
    }
    return allowed;
  }

  /**
   * These were raised. They count from then on, whatever becomes of them: who has its messages erased and begins again is told
   * of no more often than others.
   */
  async raised(account: string, causes: readonly Cause[], at: Date): Promise<void> {
    if (this.#perDay === 0 || causes.length === 0) return;
    const day = dayOf(at);
    const expires_at = new Date(day + KEPT_MS);
    const add = (_id: string, count: number) => this.#parts.budgets.add({ _id, expires_at }, count);
    const ofEach = countEach(causes.flatMap(({ room, askedFrom }) => [room, ...askedFrom]));
    await Promise.all([
      add(counterOf(account, day), causes.length),
      ...[...ofEach].map(([by, count]) => add(counterOf(account, day, by), count)),
    ]);
  }

  /** Up to which number of its account a conversation raises another one. @param count how many it has raised today */
  #limitFor(count: number): number {
    if (count === 0) return this.#perDay * WITH_RESERVE;
    return count < MAX_OF_CONVERSATION ? this.#perDay : this.#perDay / 2;
  }

  /**
   * Up to which number of its account an address raises another one.
   * @param count how many it has raised today
   * @param at 0 for an address, 1 for the network that it is in
   */
  #limitForAddress(count: number, at: number): number {
    const share = this.#perDay * SHARE_OF_ADDRESS * (at === 0 ? 1 : NETWORK_SHARE);
    return count < share ? this.#perDay * WITH_RESERVE : this.#perDay / 2;
  }

  /** What the account has raised on a day, and what the rooms of `wanted` and whoever writes there. */
  async #count(
    account: string,
    day: number,
    wanted: readonly WantedNotification[],
  ): Promise<{ had: number; counts: Map<string, number> }> {
    const { notifications, budgets } = this.#parts;
    const today = { account, created_at: { $gte: new Date(day), $lt: new Date(day + DAY_MS) } };
    const rooms = [...new Set(wanted.map(({ room }) => room))];
    const each = [...new Set(wanted.flatMap(({ room, askedFrom }) => [room, ...askedFrom]))];
    const [there, found, counted] = await Promise.all([
      notifications.countDocuments(today, { limit: this.#limitFor(0) }),
      notifications.find({ ...today, room: { $in: rooms } }, { room: 1 }).lean(),
      budgets.used([counterOf(account, day), ...each.map((by) => counterOf(account, day, by))]),
    ]);
    const counts = countEach(found.map(({ room }) => room));
    for (const by of each) {
      const count = counted.get(counterOf(account, day, by)) ?? 0;
      counts.set(by, Math.max(counts.get(by) ?? 0, count));
    }
    return { had: Math.max(there, counted.get(counterOf(account, day)) ?? 0), counts };
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
