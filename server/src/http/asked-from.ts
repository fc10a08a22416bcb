import type { Secrets } from '../platform/secrets.ts';
import { addressKeys } from './client-address.ts';

/**
 * Where a visitor writes from: keyed hashes of the client's address and, of one of IPv6, of its network. Budgets of the language
 * model and of notifications go by them, and no address is stored.
 */
export type AskedFrom = readonly string[];

/** What an IPv6 /48 has of a budget, as a multiple of that of one of its 65 536 /64 networks: less than an account has. */
export const NETWORK_SHARE = 4;

/** Hexadecimal characters of each: enough to tell addresses apart. */
const LENGTH = 32;

/** Says where a visitor writes from, by the client's address. */
export const askedFromBy =
  (secrets: Pick<Secrets, 'fingerprint'>) =>
  (client: string): AskedFrom => {
    const { address, network } = addressKeys(client);
    const keys = network === undefined ? [address] : [address, network];
    return keys.map((key) => secrets.fingerprint('asked-from', key).slice(0, LENGTH));
  };
