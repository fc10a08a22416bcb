import type { Logger } from 'pino';
import type { NotificationModel } from './keywords.model.ts';

const DAY_MS = 86_400_000;

/**
 * How many notifications an account gets in a UTC day, counted in the database by what it got. Accounts that have
 * had theirs are remembered until the day is over.
 */
export class DailyCap {
  readonly #notifications: NotificationModel;
  readonly #perDay: number;
  readonly #log: Logger;
  #day = 0;
  readonly #full = new Set<string>();

  /** @param perDay 0 for any number */
  constructor(notifications: NotificationModel, perDay: number, log: Logger) {
    this.#notifications = notifications;
    this.#perDay = perDay;
    this.#log = log;
  }

  /**
   * The first of `wanted` that the account may still get today, and has not got.
   * @param idOf the uuid of a notification
   */
  async allowed<T>(
    account: string,
    wanted: readonly T[],
    idOf: (one: T) => string,
    now = new Date(),
  ): Promise<readonly T[]> {
    if (this.#perDay === 0 || wanted.length === 0) return wanted;
    const day = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
    if (day !== this.#day) this.#full.clear();
    this.#day = day;
    if (this.#full.has(account)) return [];
    const had = await this.#notifications.countDocuments(
      { account, created_at: { $gte: new Date(day), $lt: new Date(day + DAY_MS) } },
      { limit: this.#perDay },
    );
    const left = this.#perDay - had;
    if (left >= wanted.length) return wanted;
    // What is told again, as after a crash, has been counted.
    const ids = { _id: { $in: wanted.map(idOf) }, account };
    const got = new Set((await this.#notifications.find(ids, { _id: 1 }).lean()).map(({ _id }) => _id));
    const fresh = wanted.filter((one) => !got.has(idOf(one)));
    if (left >= fresh.length) return fresh;
    this.#full.add(account);
    this.#log.warn(
      { account, limit: this.#perDay },
      'an account has had its keyword notifications of today: no more are raised (KEYWORD_NOTIFICATIONS_PER_DAY)',
    );
    return fresh.slice(0, left);
  }
}
