import { duplicateFields } from '../../database/duplicate.ts';
import { type Action, auditEvent, ofDeletion } from '../../events/audit.ts';
import { deleteDocument, deleteDocuments } from '../../events/delete.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { Tombstones } from '../../events/tombstones.ts';
import { ignoreMissing, ParlorError } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { Tries } from '../../platform/tries.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { memberFields } from '../accounts/member-fields.ts';
import { type ActiveMember, activeOf, type Member, type StoredMember } from './member.ts';
import { asAudited, type Changed, changeEvents } from './member-audit.ts';
import {
  founderAt,
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
  readonly #tombstones: Tombstones;
  readonly #store: MemberStore;
  readonly #secrets: Secrets;

  constructor(models: MemberModels, tombstones: Tombstones, store: MemberStore, secrets: Secrets) {
    this.#models = models;
    this.#tombstones = tombstones;
    this.#store = store;
    this.#secrets = secrets;
  }

  /** Gives an owner what `set` says, another role among it. @throws ParlorError `conflict` for the only one */
  async demote(owner: Member, set: Changed, action?: Action): Promise<void> {
    const { account, _id } = owner;
    // Again where the owner has changed something itself meanwhile, such as its token.
    const tries = new Tries('the demotion of an owner');
    for (let current = owner; ; current = await this.#store.get(account, _id)) {
      tries.next();
      const turn = await this.#turnOf(account);
      const heir = await this.#heirOf(current);
      if (!current.isFounder) {
        if (!(await this.#takeTurn(account, turn))) continue;
        await this.#store.change(account, _id, () => set, action);
        return;
      }
      const { isFounder: _, ...fields } = this.#resealed(current as ActiveMember, false);
      // Newer than what it is a copy of: who changes itself meanwhile discards older ones.
      const version = (current.version ?? 0) + 1;
      const copy = { $set: { ...fields, ...set, version } } as never;
      await this.#models.members.updateOne({ _id }, copy, { upsert: true });
      const unchanged = { ...turn, version: current.version ?? null };
      const events = changeEvents(action, current, set);
      if (await this.#succeed(current, heir as ActiveMember, events, unchanged)) return;
    }
  }

  /** Removes an owner. @throws ParlorError `conflict` for the only one */
  async remove(owner: Member, action?: Action): Promise<void> {
    const { account, _id } = owner;
    const tries = new Tries('the removal of an owner');
    for (let current = owner; ; current = await this.#store.get(account, _id)) {
      tries.next();
      const turn = await this.#turnOf(account);
      const heir = await this.#heirOf(current);
      if (!current.isFounder) {
        if (!(await this.#takeTurn(account, turn))) continue;
        return this.#store.remove(current, action);
      }
      const events = action ? [ofDeletion(auditEvent(action, account, asAudited(current)))] : [];
      if (!(await this.#succeed(current, heir as ActiveMember, events, turn))) continue;
      // A crash may have left the founding member here, too.
      await deleteDocuments(this.#models.members, { _id, account }, this.#tombstones);
      return;
    }
  }

  /**
   * Which of the account's changes of owners this is, to be read before anything that one rests on. Whoever was stopped for
   * longer than its lease finds that there was another one since, and begins again: nobody who was removed becomes an heir.
   */
  async #turnOf(account: string): Promise<{ owner_turn: number | null }> {
    const found = await this.#models.accounts.findOne({ _id: account }, { owner_turn: 1 }).lean();
    return { owner_turn: found?.owner_turn ?? null };
  }

  /** @returns false where another one was first */
  async #takeTurn(account: string, turn: { owner_turn: number | null }): Promise<boolean> {
    const unchanged = { _id: account, ...turn } as never;
    const { matchedCount } = await this.#models.accounts.updateOne(unchanged, { $inc: { owner_turn: 1 } });
    return matchedCount === 1;
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

  /** @returns false where the account is not `unchanged` */
  async #succeed(
    leaving: Member,
    heir: ActiveMember,
    events: OutboxEvent[],
    unchanged: object,
  ): Promise<boolean> {
    const before = { ...founderAt(leaving), ...unchanged };
    const pushed = events.length > 0 && { $push: { events: { $each: events } } };
    const { matchedCount } = await this.#models.accounts
      .updateOne(before as never, { ...this.#asFounder(heir), $inc: { owner_turn: 1 }, ...pushed } as never)
      .catch((error) => {
        // An older process beside this one has registered an account of that name.
        if (!duplicateFields(error)) throw error;
        throw new ParlorError('conflict', 'Another account has the username or e-mail of the other owner.');
      });
    if (matchedCount === 0) return false;
    this.#store.announce(leaving, events);
    await this.#leaveOldPlace(heir);
    return true;
  }

  /** What makes an account's document its founding member's. */
  #asFounder(heir: ActiveMember) {
    const {
      _id: founder,
      account: _a,
      role: _r,
      widgets: _w,
      isFounder: _f,
      invitation_hash: _h,
      invited_by: _i,
      ...fields
    } = this.#resealed(heir, true);
    const set: Partial<Account> = { ...fields, founder, email_confirmed_at: null };
    // What the one before had and the heir has not, such as a second factor, is not the heir's.
    const unset = Object.keys(memberFields).filter((field) => !Object.hasOwn(fields, field));
    return { $set: set, $unset: Object.fromEntries(unset.map((field) => [field, 1 as const])) };
  }

  /** Takes along what the heir has changed since it was read, such as its token. */
  async #leaveOldPlace({ _id, account, version }: ActiveMember): Promise<void> {
    const { accounts, members } = this.#models;
    const tries = new Tries('the change of place of an owner');
    for (let copied = version; ; ) {
      tries.next();
      // null stands for a document that was never changed.
      const unchanged = { version: copied ?? null };
      const old = { _id, account, ...unchanged };
      const left = await deleteDocument(members, old, this.#tombstones).catch(ignoreMissing);
      const newer = left ? null : await members.findOne({ _id, account }).lean<StoredMember>();
      if (!newer) return;
      const { events, ...fields } = newer;
      const heir = { ...fields, isFounder: false } as ActiveMember;
      await accounts.updateOne({ ...founderAt(heir), ...unchanged } as never, this.#asFounder(heir) as never);
      copied = newer.version;
    }
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
