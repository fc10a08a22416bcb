import type { AccountModel } from '../accounts/accounts.model.ts';
import type { AuditModel } from './audit.model.ts';

/**
 * Removes the entries of accounts that are gone. Called after entries were written: the deletion of an account removes its
 * entries after the account, so that one of the two sees what the other has done.
 */
export const removeOfGone = async (
  { audit, accounts }: { audit: AuditModel; accounts: AccountModel },
  written: readonly string[],
): Promise<void> => {
  const found = await accounts.find({ _id: { $in: written }, emptied_at: null }, { _id: 1 }).lean();
  const gone = written.filter((account) => !found.some(({ _id }) => _id === account));
  if (gone.length > 0) await audit.deleteMany({ account: { $in: gone } });
};
