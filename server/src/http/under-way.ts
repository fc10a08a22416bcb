import { throttled } from '../platform/errors.ts';
import { FairShares } from '../platform/fair-shares.ts';

/** What of one account waits or is worked on at most: each holds a connection, and those are everybody's. */
const MAX_OF_ACCOUNT = 1_000;

const RETRY_AFTER_MS = 5_000;

/** The requests of accounts that are under way, which their callers share. */
export class UnderWay {
  readonly #accounts = new Map<string, FairShares>();

  /** @throws ParlorError `throttled` where the caller has as many as it may, and what `task` throws */
  async run<T>(account: string, caller: string, task: () => Promise<T>): Promise<T> {
    const own = this.#accounts.get(account) ?? new FairShares(MAX_OF_ACCOUNT);
    if (!own.hasRoomFor(caller)) throw throttled(RETRY_AFTER_MS);
    this.#accounts.set(account, own);
    own.take(caller);
    try {
      return await task();
    } finally {
      own.leave(caller);
      if (own.sum === 0) this.#accounts.delete(account);
    }
  }
}
