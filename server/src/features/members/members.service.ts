import { createHash, randomBytes } from 'node:crypto';
import {
  type Acceptance,
  type Member as ApiMember,
  foldName,
  type NewMember,
  type Role,
} from '@parlor/shared';
import { duplicateFields } from '../../database/duplicate.ts';
import { type FieldErrors, forbidden, invalid, ParlorError } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AccountLeases } from '../accounts/account-leases.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { chosenPasswordErrors, hashPassword } from '../accounts/passwords.ts';
import { type Person, personFields, takenByError, takenErrors } from '../accounts/person.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { newToken, sealedToken } from '../accounts/token.ts';
import type { Credentials } from './credentials.ts';
import { type ActiveMember, activeOf, type Member, presentMember, type StoredMember } from './member.ts';
import { type MemberModels, type MemberStore, memberPlace } from './member-store.ts';

/** How long an invitation can be accepted. */
const INVITATION_MS = 7 * 86_400_000;

type Check = ((current: ApiMember) => void) | undefined;

interface Parts {
  models: MemberModels;
  store: MemberStore;
  credentials: Credentials;
  quotas: Pick<Quotas, 'within'>;
  leases: AccountLeases;
  secrets: Secrets;
}

/** The members of accounts (docs/contract.md#members). */
export class MembersService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Newest first; an account has at most 101. */
  list(account: string): Promise<Member[]> {
    return this.#parts.store.of(account);
  }

  /** The member, of whichever account, that signs in by that username. */
  byUsername(username: string): Promise<ActiveMember | undefined> {
    return this.#parts.store.byKey({ username_key: foldName(username) });
  }

  /** @throws ParlorError `not_found`, also for another account's member */
  get(account: string, uuid: string): Promise<Member> {
    return this.#parts.store.get(account, uuid);
  }

  /**
   * Invites somebody by e-mail address.
   * @returns the member, who has no username yet, and the token that accepts, which is kept nowhere
   * @throws ParlorError `forbidden` for a role above the inviter's, `invalid` when the address is a member's
   */
  async invite(
    inviter: ActiveMember,
    { email, name, role }: NewMember,
  ): Promise<{ member: Member; token: string }> {
    mayGive(inviter, role);
    const { account } = inviter;
    const { models, quotas, store } = this.#parts;
    const token = randomBytes(32).toString('base64url');
    const member: StoredMember = {
      _id: newUuid(),
      account,
      role,
      email,
      name,
      created_at: new Date(),
      invitation_hash: hashOf(token),
      invitation_expires_at: new Date(Date.now() + INVITATION_MS),
    };
    await quotas.within('members', account, undefined, async () => {
      const known = (await store.of(account)).find((one) => foldName(one.email) === foldName(email));
      if (known && activeOf(known)) throw invalid(takenErrors(['email_key']));
      // Invited again, the link before is no good any more.
      if (known) await models.members.deleteOne({ _id: known._id });
      await models.members.insertOne(member as never);
    });
    return { member: { ...member, isFounder: false }, token };
  }

  /**
   * Accepts an invitation, once.
   * @throws ParlorError `invalid` for one that is no good, and as registering does
   */
  async accept({ token, username, password, password2 }: Acceptance): Promise<Member> {
    const { models, secrets, store } = this.#parts;
    const open = { invitation_hash: hashOf(token), invitation_expires_at: { $gt: new Date() } };
    const invited = await models.members.findOne(open).lean<StoredMember>();
    if (!invited) throw noInvitation();
    const { _id, account, email } = invited;
    refuse(chosenPasswordErrors({ password, password2 }, { username, email }));
    const keys = { username_key: foldName(username), email_key: foldName(email) };
    const set = {
      ...keys,
      username,
      password: await hashPassword(password),
      ...sealedToken(secrets, memberPlace({ ...invited, isFounder: false }), newToken()),
    };
    const unset = { invitation_hash: 1, invitation_expires_at: 1 } as const;
    const { modifiedCount } = await models.members
      .updateOne({ _id, ...open }, { $set: set, $unset: unset })
      .catch((error) => {
        if (!duplicateFields(error)) throw error;
        throw invalid(takenByError(error));
      });
    if (modifiedCount === 0) throw noInvitation();
    // Looked at afterwards, as registering does, too: of two who want one name at once both may fail.
    const taken = await this.takenByFounders(keys);
    if (taken.length > 0) {
      const back = {
        invitation_hash: invited.invitation_hash,
        invitation_expires_at: invited.invitation_expires_at,
      };
      const forgotten = Object.fromEntries(Object.keys(set).map((name) => [name, 1 as const]));
      await models.members.updateOne({ _id }, { $set: back, $unset: forgotten } as never);
      throw invalid(takenErrors(taken));
    }
    return store.get(account, _id);
  }

  /** Which of a name and an address a member beside the founding ones has. */
  async takenByMembers({ username_key, email_key }: Keys): Promise<string[]> {
    return this.#taken(this.#parts.models.members, { username_key, email_key });
  }

  /** Which of them the founding member of an account has. */
  async takenByFounders(keys: Keys): Promise<string[]> {
    return this.#taken(this.#parts.models.accounts, keys);
  }

  async #taken(model: { exists(filter: object): PromiseLike<unknown> }, keys: Keys): Promise<string[]> {
    const found = await Promise.all(
      Object.entries(keys).map(async ([key, value]) => ((await model.exists({ [key]: value })) ? key : '')),
    );
    return found.filter((key) => key !== '');
  }

  /**
   * Changes what others may change of a member.
   * @throws ParlorError `not_found`, `forbidden`, `conflict` where the account would have no owner, and what `check` throws
   */
  change(
    changer: ActiveMember,
    uuid: string,
    { role, name }: { role?: Role; name?: string },
    check?: Check,
  ): Promise<Member> {
    const { account } = changer;
    return this.#alone(account, async () => {
      const { store } = this.#parts;
      const current = await store.get(account, uuid);
      check?.(presentMember(current));
      mayTouch(changer, current);
      if (role !== undefined && role !== current.role) {
        mayGive(changer, role);
        if (current.role === 'owner') await this.#keepOwner(current, role);
        else await store.change(account, uuid, () => ({ role }));
      }
      if (name === undefined || name === current.name) return store.get(account, uuid);
      return store.change(account, uuid, () => ({ name }));
    });
  }

  /** Changes what a member may change of itself. @throws ParlorError whatever `check` throws */
  changeOwn(
    { account, _id }: ActiveMember,
    wanted: { name?: string; is_away?: boolean },
    check?: Check,
  ): Promise<Member> {
    return this.#parts.store.change(account, _id, (current) => {
      check?.(presentMember(current));
      return Object.keys(wanted).length > 0 ? wanted : undefined;
    });
  }

  /**
   * Removes a member; its token, password and sockets are dead at once.
   * @throws ParlorError as `change` does
   */
  remove(remover: ActiveMember, uuid: string, check?: Check): Promise<void> {
    const { account } = remover;
    return this.#alone(account, async () => {
      const { credentials, models, store } = this.#parts;
      const member = await store.get(account, uuid);
      check?.(presentMember(member));
      mayTouch(remover, member);
      if (member.role === 'owner') await this.#keepOwner(member, undefined);
      else await models.members.deleteOne({ _id: uuid, account });
      await credentials.ended(member);
    });
  }

  /** An owner stops being one; another one has to be there, who takes the place in the account's document. */
  async #keepOwner(leaving: Member, role: Exclude<Role, 'owner'> | Role | undefined): Promise<void> {
    const { models, store } = this.#parts;
    const { account, _id } = leaving;
    const owners = (await store.of(account)).filter((one) => one.role === 'owner' && activeOf(one));
    const heir = owners.findLast((one) => one._id !== _id);
    if (activeOf(leaving) && !heir) {
      throw new ParlorError('conflict', 'An account has at least one owner.');
    }
    const stays = role !== undefined;
    if (!leaving.isFounder) {
      if (stays) await store.change(account, _id, () => ({ role }));
      else await models.members.deleteOne({ _id, account });
      return;
    }
    // Each step leaves everybody in one place at least, and whoever stands in both in the account's.
    if (stays) {
      const { isFounder: _, ...person } = this.#resealed(leaving as ActiveMember, false);
      await models.members.updateOne({ _id }, { $set: { ...person, role } } as never, { upsert: true });
    }
    await this.#succeed(leaving, this.#resealed(heir as ActiveMember, true));
    // Of what a crash has left, too.
    await models.members.deleteMany({ _id: { $in: [heir?._id ?? '', ...(stays ? [] : [_id])] } });
  }

  async #succeed({ account, _id }: Member, heir: ActiveMember): Promise<void> {
    const { _id: founder, account: _a, role: _r, isFounder: _f, invitation_hash: _h, ...person } = heir;
    const set: Partial<Account> = { ...person, founder, email_confirmed_at: null };
    // What the one before had and the heir has not, such as a second factor, is not the heir's.
    const unset = Object.keys(personFields).filter((field) => !Object.hasOwn(person, field));
    const before = { _id: account, founder: _id === account ? null : _id };
    const gone = Object.fromEntries(unset.map((field) => [field, 1 as const]));
    await this.#parts.models.accounts.updateOne(before as never, { $set: set, $unset: gone } as never);
  }

  /** The member as it is stored in the other place, to which its sealed fields are bound. */
  #resealed(member: ActiveMember, isFounder: boolean): ActiveMember {
    const { secrets } = this.#parts;
    const moved = { ...member, isFounder };
    for (const field of ['token_sealed', 'totp_sealed', 'totp_pending_sealed'] as const) {
      const text = member[field];
      if (text === undefined) continue;
      moved[field] = secrets.encrypt(
        secrets.decrypt(text, memberPlace(member, field)),
        memberPlace(moved, field),
      );
    }
    return moved;
  }

  /** What changes who owns an account is done one after another. */
  #alone<T>(account: string, task: () => Promise<T>): Promise<T> {
    return this.#parts.leases.run(`members ${account}`, task);
  }
}

type Keys = Pick<Person, 'username_key' | 'email_key'>;

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

const noInvitation = (): ParlorError =>
  invalid({ token: ['This invitation is not good, has run out or was used.'] });

const refuse = (errors: FieldErrors): void => {
  if (Object.keys(errors).length > 0) throw invalid(errors);
};

/** Admins do everything but what is about owners. */
const mayTouch = ({ role }: ActiveMember, other: Pick<Member, 'role'>): void => {
  if (role !== 'owner' && other.role === 'owner') throw forbidden();
};

const mayGive = (giver: ActiveMember, role: Role): void => mayTouch(giver, { role });
