import { duplicateFields } from '../../database/duplicate.ts';
import { ParlorError } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { personFields } from '../accounts/person.ts';
import { type ActiveMember, activeOf, type Member } from './member.ts';
import {
  type Changed,
  type MemberModels,
  type MemberStore,
  memberPlace,
  SEALED_FIELDS,
} from './member-store.ts';

/**
 * Owners who stop being owners: another one has to be there, who takes the place in the account's document where the
 * founding member leaves it. Each step leaves everybody in one place at least; whoever stands in both counts by the
 * account's. Its caller sees to it that no two do this for one account at once.
 */
export class OwnerSuccession {
  readonly #models: MemberModels;
  readonly #store: MemberStore;
  readonly #secrets: Secrets;

  constructor(models: MemberModels, store: MemberStore, secrets: Secrets) {
    this.#models = models;
    this.#store = store;
    this.#secrets = secrets;
  }

  /** Gives an owner what `set` says, another role among it. @throws ParlorError `conflict` for the only one */
  async demote(owner: Member, set: Changed): Promise<void> {
    const { account, _id, isFounder } = owner;
    const heir = await this.#heirOf(owner);
    if (!isFounder) {
      await this.#store.change(account, _id, () => set);
      return;
    }
    const { isFounder: _, ...person } = this.#resealed(owner as ActiveMember, false);
    await this.#models.members.updateOne({ _id }, { $set: { ...person, ...set } } as never, { upsert: true });
    await this.#succeed(owner, heir as ActiveMember);
  }

  /** Removes an owner. @throws ParlorError `conflict` for the only one */
  async remove(owner: Member): Promise<void> {
    const { account, _id, isFounder } = owner;
    const heir = await this.#heirOf(owner);
    if (isFounder) await this.#succeed(owner, heir as ActiveMember);
    // A crash may have left the founding member here, too.
    await this.#models.members.deleteOne({ _id, account });
  }

  /** The one who has been an owner for the longest time; undefined where an invitation is taken back. */
  async #heirOf(leaving: Member): Promise<ActiveMember | undefined> {
    const owners = (await this.#store.of(leaving.account)).filter(({ role }) => role === 'owner');
    const heir = owners.findLast((one) => one._id !== leaving._id && activeOf(one));
    if (activeOf(leaving) && !heir) {
      throw new ParlorError('conflict', 'An account has at least one owner.');
    }
    return activeOf(heir);
  }

  async #succeed({ account, _id }: Member, heir: ActiveMember): Promise<void> {
    const {
      _id: founder,
      account: _a,
      role: _r,
      widgets: _w,
      isFounder: _f,
      invitation_hash: _h,
      ...person
    } = this.#resealed(heir, true);
    const set: Partial<Account> = { ...person, founder, email_confirmed_at: null };
    // What the one before had and the heir has not, such as a second factor, is not the heir's.
    const unset = Object.keys(personFields).filter((field) => !Object.hasOwn(person, field));
    const before = { _id: account, founder: _id === account ? null : _id };
    const gone = Object.fromEntries(unset.map((field) => [field, 1 as const]));
    await this.#models.accounts
      .updateOne(before as never, { $set: set, $unset: gone } as never)
      .catch((error) => {
        // An older process beside this one has registered an account of that name.
        if (!duplicateFields(error)) throw error;
        throw new ParlorError('conflict', 'Another account has the username or e-mail of the other owner.');
      });
    await this.#models.members.deleteOne({ _id: founder, account });
  }

  /** The member as it is stored in the other place, to which its sealed fields are bound. */
  #resealed(member: ActiveMember, isFounder: boolean): ActiveMember {
    const moved = { ...member, isFounder };
    for (const field of SEALED_FIELDS) {
      const text = member[field];
      if (text === undefined) continue;
      const opened = this.#secrets.decrypt(text, memberPlace(member, field));
      moved[field] = this.#secrets.encrypt(opened, memberPlace(moved, field));
    }
    return moved;
  }
}
