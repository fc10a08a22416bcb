import type { RateLimit } from '../../http/rate-limit.ts';
import { throttled } from '../../platform/errors.ts';
import type { KnownAddresses } from './known-addresses.ts';

type Limit = Pick<RateLimit, 'take' | 'giveBack'>;

/**
 * How many wrong passwords are taken: few for a name from one address, and more for a name from all addresses that
 * it has never signed in from, so that neither one guesser nor many lock the owner out at home. Where that is used up, a
 * browser that the owner has signed in with has as many tries of its own.
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
   * @param device tells the browser by which the owner has signed in before; undefined for any other
   * @returns what to call when the password was the right one
   * @throws ParlorError `throttled`
   */
  async take(
    username: string,
    address: string,
    device: () => Promise<string | undefined> = async () => undefined,
  ): Promise<(account: string) => Promise<void>> {
    const counted: [Limit | undefined, string][] = [];
    const count = async (limit: Limit | undefined, key: string): Promise<void> => {
      await take(limit, key);
      counted.push([limit, key]);
    };
    const countDevice = async (known: string) => count(this.#byNameAndAddress, `${username} device ${known}`);

    const both = `${username} ${address}`;
    const guess = await this.#byNameAndAddress?.take(both);
    if (guess && !guess.isAllowed) {
      const known = await device();
      if (known === undefined) throw throttled(guess.resetsIn);
      await countDevice(known);
    } else {
      counted.push([this.#byNameAndAddress, both]);
      if (!(await this.#known.has(username, address))) {
        const known = await device();
        // From whatever address it comes: to change it must not bring more tries.
        await (known === undefined ? count(this.#byName, username) : countDevice(known));
      }
    }
    return async (account) => {
      for (const [limit, key] of counted) await limit?.giveBack(key);
      await this.#known.remember(account, username, address);
    };
  }
}

const take = async (limit: Limit | undefined, key: string): Promise<void> => {
  const guess = await limit?.take(key);
  if (guess && !guess.isAllowed) throw throttled(guess.resetsIn);
};
