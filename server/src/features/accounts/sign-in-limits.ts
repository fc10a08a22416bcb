import type { RateLimit } from '../../http/rate-limit.ts';
import { throttled } from '../../platform/errors.ts';
import type { KnownAddresses } from './known-addresses.ts';

type Limit = Pick<RateLimit, 'take' | 'giveBack'>;

/**
 * How many wrong passwords are taken: few for a name from one address, and more for a name from all addresses that
 * it has never signed in from, so that neither one guesser nor many lock the owner out at home.
 */
export class SignInLimits {
  readonly #byNameAndAddress: Limit | undefined;
  readonly #byName: Limit | undefined;
  readonly #known: KnownAddresses;

  constructor(
    limits: { byNameAndAddress: Limit | undefined; byName: Limit | undefined },
    known: KnownAddresses,
  ) {
    this.#byNameAndAddress = limits.byNameAndAddress;
    this.#byName = limits.byName;
    this.#known = known;
  }

  /**
   * Counts a password before it is tried, so that guesses at the same time can't be more than the limits.
   * @param username folded; whether there is such an account makes no difference
   * @returns what to call when the password was the right one
   * @throws ParlorError `throttled`
   */
  async take(username: string, address: string): Promise<(account: string) => Promise<void>> {
    const both = `${username} ${address}`;
    await take(this.#byNameAndAddress, both);
    const isKnown = await this.#known.has(username, address);
    if (!isKnown) await take(this.#byName, username);
    return async (account) => {
      await this.#byNameAndAddress?.giveBack(both);
      if (!isKnown) await this.#byName?.giveBack(username);
      await this.#known.remember(account, username, address);
    };
  }
}

const take = async (limit: Limit | undefined, key: string): Promise<void> => {
  const guess = await limit?.take(key);
  if (guess && !guess.isAllowed) throw throttled(guess.resetsIn);
};
