import { throttled } from '../platform/errors.ts';

/** What of one account waits or is worked on at most: each holds a connection, and those are everybody's. */
const MAX_OF_ACCOUNT = 1_000;

const RETRY_AFTER_MS = 5_000;

interface OfAccount {
  all: number;
  byCaller: Map<string, number>;
}

/** How many requests of accounts are under way. A caller may have as many as are left to the account's others. */
export class UnderWay {
  readonly #accounts = new Map<string, OfAccount>();

  /** @throws ParlorError `throttled` where there is no room for one more, and what `task` throws */
  async run<T>(account: string, caller: string, task: () => Promise<T>): Promise<T> {
    const own = this.#accounts.get(account) ?? { all: 0, byCaller: new Map() };
    const count = own.byCaller.get(caller) ?? 0;
    if (count >= MAX_OF_ACCOUNT - own.all) throw throttled(RETRY_AFTER_MS);
    this.#accounts.set(account, own);
    own.byCaller.set(caller, count + 1);
    own.all++;
    try {
      return await task();
    } finally {
      const left = (own.byCaller.get(caller) ?? 0) - 1;
      if (left > 0) own.byCaller.set(caller, left);
      else own.byCaller.delete(caller);
      if (--own.all === 0) this.#accounts.delete(account);
    }
  }
}
