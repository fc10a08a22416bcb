import type { Duration } from '../../platform/duration.ts';
import { ParlorError } from '../../platform/errors.ts';
import { type AccountLeases, type KeptLease, wholeAccountLease } from './account-leases.ts';

/** How long a write of a deletion takes in the database at most (milliseconds): none outlives the lease. */
export const WRITE_MS = 10_000;

/** With what the driver may wait for a connection before (milliseconds). */
export const NEEDED_MS = 15_000;

/**
 * Asked right before each write of a deletion.
 * @throws Error where the account may be another one by now, as one that was read in since under the same uuid
 */
export type Fence = () => Promise<void>;

/** @param isStill whether what was to be deleted is there as yet */
export const fenceOf =
  (lease: KeptLease, isStill: () => Promise<boolean>): Fence =>
  async () => {
    await lease.renew();
    // The lease may have been somebody else's meanwhile, who has finished it.
    if (!(await isStill())) throw new Error('another process has gone on with this deletion');
    lease.check(NEEDED_MS);
  };

/**
 * Does something to an account while nobody else deletes it or reads it in.
 * @param patience milliseconds that are waited for whoever does: as a rule for as long as a process that died keeps its lease
 * @returns false where another one has it in hand
 */
export const alone = async (
  leases: Pick<AccountLeases, 'keep'>,
  account: string,
  task: (lease: KeptLease) => Promise<void>,
  patience?: Duration,
): Promise<boolean> => {
  const lease = await leases.keep(wholeAccountLease(account), { patience }).catch((error) => {
    if (error instanceof ParlorError && error.code === 'unavailable') return undefined;
    throw error;
  });
  if (!lease) return false;
  try {
    await task(lease);
    return true;
  } finally {
    // It is done all the same, and the lease runs out.
    await lease.giveBack().catch(() => undefined);
  }
};
