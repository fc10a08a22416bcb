import { Tries } from '../../platform/tries.ts';

interface Turned {
  _id: string;
  owner_turn?: number;
}

const turnsOf = (accounts: readonly Turned[]): string =>
  JSON.stringify(accounts.map(({ _id, owner_turn }) => [_id, owner_turn]).sort());

/**
 * What is read of accounts, in whose documents their founding members stand, and of the other members: again where
 * somebody has moved from the one to the other meanwhile, who might be found in neither (owner-succession.ts).
 */
export const readBothPlaces = async <A extends Turned, M>(
  readAccounts: () => PromiseLike<A[]>,
  readMembers: () => PromiseLike<M[]>,
): Promise<[accounts: A[], members: M[]]> => {
  const tries = new Tries('a look at members');
  for (let before = await readAccounts(); ; ) {
    tries.next();
    const members = await readMembers();
    const accounts = await readAccounts();
    if (turnsOf(accounts) === turnsOf(before)) return [accounts, members];
    before = accounts;
  }
};
