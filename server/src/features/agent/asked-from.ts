import { addressKeys } from '../../http/client-address.ts';
import type { Secrets } from '../../platform/secrets.ts';

/**
 * Where a question comes from: keyed hashes of the client's address and, of one of IPv6, of its network. Budgets go by them, and
 * no address is stored.
 */
export type AskedFrom = readonly string[];

/** Hexadecimal characters of each: enough to tell addresses apart. */
const LENGTH = 32;

/** Says where a question comes from, by the client's address. */
export const askedFromBy =
  (secrets: Pick<Secrets, 'fingerprint'>) =>
  (client: string): AskedFrom => {
    const { address, network } = addressKeys(client);
    const keys = network === undefined ? [address] : [address, network];
    return keys.map((key) => secrets.fingerprint('asked-from', key).slice(0, LENGTH));
  };
