import { LRUCache } from 'lru-cache';
import { addressKeys } from '../../http/client-address.ts';

const DAY_MS = 86_400_000;

/** How many sites an address adds to a widget in a day, by each process (docs/limits.md). */
export const MAX_NEW_OF_ADDRESS = 5;

/** Of how many addresses and widgets it is known, in memory alone. */
const MAX_KNOWN = 10_000;

/** One of the sites that an address may add; given back, once, where the site turns out to be there already. */
export interface Place {
  giveBack(): void;
}

/**
 * How many new sites each address has told of. Whoever reads a page has its widget's token, and may make up any number of sites:
 * one address does not crowd out those that a widget is on. IPv6 counts by its /48, of which anybody has one for the asking.
 */
export class Newcomers {
  readonly #told = new LRUCache<string, { sites: number }>({ max: MAX_KNOWN, ttl: DAY_MS });

  /** @returns undefined where the address has had its share of this widget */
  take(widget: string, client: string): Place | undefined {
    const { address, network = address } = addressKeys(client);
    const key = `${widget} ${network}`;
    const told = this.#told.get(key) ?? { sites: 0 };
    if (told.sites >= MAX_NEW_OF_ADDRESS) return undefined;
    if (told.sites === 0) this.#told.set(key, told);
    told.sites++;
    let isTaken = true;
    return {
      giveBack: () => {
        if (isTaken) told.sites--;
        isTaken = false;
      },
    };
  }
}
