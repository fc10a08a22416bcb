import type { Duration } from '../../platform/duration.ts';
import { ParlorError } from '../../platform/errors.ts';
import { type AccountLeases, type KeptLease, wholeAccountLease } from './account-leases.ts';
import { ImportError } from './import-lines.ts';

/** Another import, or a deletion, has this account in hand: what is here of it is the other one's. */
export class ConcurrentImport extends ImportError {
  constructor(message = 'the account is read in by another import, or being deleted, at the same time') {
    super(message);
  }
}

/** What this one has stored is not there any more: the rest alone would be no account. */
export class DiscardedImport extends ConcurrentImport {
  constructor() {
    super(
      'what was read in has been discarded, by another import or since nothing came for an hour: give it again',
    );
  }
}

const lost = (error: unknown): never => {
  throw error instanceof ParlorError && error.code === 'unavailable' ? new ConcurrentImport() : error;
};

/**
 * Keeps an account for one import, for as long as that takes.
 * @param stopped aborted, it waits no longer for another one
 * @throws ConcurrentImport where another one has it, and from `renew` and `check` where it was, or may be, lost to another one
 */
export const leaseForImport = async (
  leases: Pick<AccountLeases, 'keep'>,
  account: string,
  stopped: AbortSignal,
): Promise<KeptLease> => {
  const lease = await leases.keep(wholeAccountLease(account), { stopped }).catch(lost);
  const check = (needed: Duration): void => {
    try {
      lease.check(needed);
    } catch (error) {
      lost(error);
    }
  };
  return { ...lease, renew: () => lease.renew().catch(lost), check };
};
