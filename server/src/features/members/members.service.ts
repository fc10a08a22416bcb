import {
  type Member as ApiMember,
  foldName,
  type MemberSettings,
  type NewMember,
  type Role,
} from '@parlor/shared';
import { insertOnce } from '../../database/insert.ts';
import { type Action, auditEvent, changesOf } from '../../events/audit.ts';
import { forbidden, invalid, missingObject } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { secretHash } from '../../platform/random-secret.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { AccountLeases, Lease } from '../accounts/account-leases.ts';
import type { Quotas } from '../accounts/quotas.ts';
import { takenErrors } from '../accounts/unique-names.ts';
import type { Credentials } from './credentials.ts';
import { invitationPath } from './invitation-acceptance.ts';
import {
  type ActiveMember,
  activeOf,
  type Member,
  mayTouch,
  presentMember,
  restrictionOf,
  type StoredMember,
  settingsOf,
} from './member.ts';
import { AUDITED_FIELDS, asAudited } from './member-audit.ts';
import { settingsFor } from './member-settings.ts';
import type { MemberModels, MemberStore } from './member-store.ts';
import type { OwnerSuccession } from './owner-succession.ts';
import { requireSendable, withdrawSent } from './sent-invitations.ts';
import { isSameRestriction, type View } from './view.ts';

/** How long an invitation can be accepted. */
const INVITATION_MS = 7 * 86_400_000;

/** A caller's condition on a member as it stands; it throws when the condition does not hold. */
export type MemberCheck = ((current: Omit<ApiMember, 'seen_at'>) => void) | undefined;

/** Who changes members: one of them, or without an id whoever runs the server, who may what an owner may. */
type Changer = Pick<Member, 'account'> & Partial<Pick<Member, '_id'>>;

/** The changer as it is when its turn has come. */
type Acting = Pick<Member, 'role'>;

/**
 * Looks again at whoever asks for a change, once it is its turn. It throws what a new request would be refused with: the
 * session or token that asked may have ended.
 */
type LookAgain = () => Promise<unknown>;

/** For whoever has no credential that could end. */
const noLook: LookAgain = async () => undefined;

/** Told which widgets a member sees from now on. */
type ViewListener = (member: Member, widgets: View['widgets']) => Promise<void>;

/** The widgets that members may be restricted to. */
export interface AccountWidgets {
  /** Those of them that the account has. */
  namesOf(account: string, uuids: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

interface Parts {
  models: MemberModels;
  store: MemberStore;
  credentials: Credentials;
  quotas: Pick<Quotas, 'within'>;
  leases: AccountLeases;
  succession: OwnerSuccession;
  widgets: AccountWidgets;
  secrets: Pick<Secrets, 'fingerprint' | 'fingerprints'>;
}

/** The members of accounts (docs/contract.md#members). */
export class MembersService {
  readonly #parts: Parts;
  readonly #viewListeners: ViewListener[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Calls `listener` when a member sees other widgets than before, before that is answered. */
  onViewChange(listener: ViewListener): void {
    this.#viewListeners.push(listener);
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
   * @param _id fixed for a request with an Idempotency-Key: a retry after a crash finds what was made
   * @returns the member, who has no username yet; `invited` has the link that accepts, of which the database has a hash
   * @throws ParlorError `forbidden` for a role above the inviter's, also where an open invitation has one, `invalid` when the
   * address is a member's
   */
  async invite(
    inviter: ActiveMember,
    { email, name, role, widgets }: NewMember,
    action?: Action,
    _id = newUuid(),
    whoNow = noLook,
  ): Promise<Member> {
    const { account } = inviter;
    const { models, quotas, secrets, store } = this.#parts;
    const token = tokenOf(secrets.fingerprint('member-invitation', _id));
    const member: StoredMember = {
      _id,
      account,
      role,
      ...(widgets && { widgets }),
      email,
      name,
      created_at: new Date(),
      invitation_hash: secretHash(token),
      invitation_key: foldName(email),
      invitation_expires_at: new Date(Date.now() + INVITATION_MS),
      invited_by: inviter._id,
    };
    const made = changesOf(AUDITED_FIELDS, {}, { role, ...(widgets && { widgets }) });
    const events = action ? [auditEvent(action, account, asAudited(member), made)] : [];
    const { stored, isNew } = await this.#alone(inviter, whoNow, async (acting, lease) => {
      mayGive(acting, role);
      await this.#mayRestrict(account, role, widgets);
      return quotas.within('members', account, _id, whoNow, async () => {
        const known = await store.ofAddress(account, email);
        if (known.some(activeOf)) throw invalid(takenErrors(['email_key']));
        for (const one of known) mayTouch(acting, one);
        lease.check();
        const made = await insertOnce(models.members, { ...member, ...(events.length > 0 && { events }) });
        // Invited again, the link before is no good any more; a crash here may have left several.
        for (const one of known) if (one._id !== _id) await store.withdraw(one, action);
        // Accepting takes no lease: what was open above may have been accepted before it could be withdrawn.
        const isAccepted = (await store.ofAddress(account, email)).some(
          (one) => one._id !== _id && activeOf(one),
        );
        if (!isAccepted) return made;
        await store.discard(member);
        throw invalid(takenErrors(['email_key']));
      });
    });
    const invited = { ...stored, isFounder: false };
    if (isNew) store.announce(invited, events);
    return invited;
  }

  /** Whose invitation is open, and the path of its link; undefined where it was accepted, withdrawn or has run out. */
  async invited(account: string, uuid: string): Promise<{ member: Member; path: string } | undefined> {
    const { secrets, store } = this.#parts;
    const member = (await store.of(account)).find(({ _id }) => _id === uuid);
    // Mails wait, as while their server is away.
    if (!member?.invitation_expires_at || member.invitation_expires_at <= new Date()) return undefined;
    const token = secrets
      .fingerprints('member-invitation', uuid)
      .map(tokenOf)
      .find((one) => secretHash(one) === member.invitation_hash);
    return token !== undefined ? { member, path: invitationPath(token) } : undefined;
  }

  /**
   * Changes what others may change of a member.
   * @throws ParlorError `not_found`, `forbidden`, `conflict` where the account would have no owner and as `requireSendable`, and
   *   what `check` throws
   */
  change(
    changer: Changer,
    uuid: string,
    wanted: Partial<MemberSettings>,
    check?: MemberCheck,
    action?: Action,
    whoNow = noLook,
  ): Promise<Member> {
    const { account } = changer;
    return this.#alone(changer, whoNow, async (acting, lease) => {
      const { store, succession } = this.#parts;
      const current = await store.get(account, uuid);
      check?.(settingsOf(presentMember(current)));
      mayTouch(acting, current);
      const set = settingsFor(current, wanted);
      if (set.role) mayGive(acting, set.role);
      if (set.role) await requireSendable(store, { ...current, role: set.role });
      await this.#mayRestrict(account, set.role ?? current.role, wanted.widgets);
      if (Object.keys(set).length === 0) return current;
      lease.check();
      if (set.role && current.role === 'owner') await succession.demote(current, set, action);
      else await store.change(account, uuid, () => set, action);
      const changed = await store.get(account, uuid);
      if (set.role) await withdrawSent(store, changed, changed.role, action);
      const widgets = restrictionOf(changed);
      if (!isSameRestriction(widgets, restrictionOf(current))) {
        for (const listener of this.#viewListeners) await listener(changed, widgets);
      }
      return changed;
    });
  }

  /** A widget has been deleted: nobody is restricted to it any more. Whoever had no other sees nothing. */
  async forgetWidget({ _id, account }: { _id: string; account: string }): Promise<void> {
    const { members } = this.#parts.models;
    await members.updateMany({ account, widgets: _id }, { $pull: { widgets: _id }, $inc: { version: 1 } });
  }

  /** @throws ParlorError `invalid` */
  async #mayRestrict(account: string, role: Role, widgets: View['widgets'] | null): Promise<void> {
    if (!widgets) return;
    if (role !== 'operator') throw invalid({ widgets: ['Owners and admins see all widgets.'] });
    const known = await this.#parts.widgets.namesOf(account, widgets);
    const missing = widgets.filter((uuid) => !known.has(uuid));
    if (missing.length > 0) throw invalid({ widgets: missing.map(missingObject) });
  }

  /** Changes what a member may change of itself. @throws ParlorError whatever `check` throws */
  changeOwn(
    { account, _id }: ActiveMember,
    wanted: { name?: string; is_away?: boolean },
    check?: MemberCheck,
    action?: Action,
  ): Promise<Member> {
    const decide = (current: Member) => {
      check?.(settingsOf(presentMember(current)));
      return Object.keys(wanted).length > 0 ? wanted : undefined;
    };
    return this.#parts.store.change(account, _id, decide, action);
  }

  /**
   * Removes a member; its token, password and sockets are dead at once, and so is every open invitation of its address, and
   * those that it has sent.
   * @throws ParlorError as `change` does
   */
  remove(
    remover: ActiveMember,
    uuid: string,
    check?: MemberCheck,
    action?: Action,
    whoNow = noLook,
  ): Promise<void> {
    const { account } = remover;
    return this.#alone(remover, whoNow, async (acting, lease) => {
      const { credentials, store, succession } = this.#parts;
      const member = await store.get(account, uuid);
      check?.(settingsOf(presentMember(member)));
      const others = (await store.ofAddress(account, member.email)).filter(
        (one) => one._id !== uuid && !activeOf(one),
      );
      for (const one of [member, ...others]) mayTouch(acting, one);
      lease.check();
      // Left by a crash in the middle of an invitation: nobody comes back by one.
      for (const one of others) await store.withdraw(one, action);
      if (member.role === 'owner') await succession.remove(member, action);
      else await store.remove(member, action);
      await withdrawSent(store, member, undefined, action);
      await credentials.ended(member);
    });
  }

  /**
   * Changes of who is in an account, and as what, are made one after another, each by somebody who may still make it then.
   * @param task asks `lease` before it writes: others may have begun meanwhile
   * @throws ParlorError what `whoNow` throws, `not_found` when `who` was removed meanwhile, `forbidden` when it is no admin any
   *   more
   */
  #alone<T>(
    { account, _id }: Changer,
    whoNow: LookAgain,
    task: (acting: Acting, lease: Lease) => Promise<T>,
  ): Promise<T> {
    const { leases, store } = this.#parts;
    return leases.run(`members ${account}`, async (lease) => {
      await whoNow();
      const acting: Acting = _id === undefined ? { role: 'owner' } : await store.get(account, _id);
      if (acting.role === 'operator') throw forbidden();
      return task(acting, lease);
    });
  }
}

/** What the link of an invitation holds: 256 bits, which nobody makes up without SECRET_KEY. */
const tokenOf = (fingerprint: string): string => Buffer.from(fingerprint, 'hex').toString('base64url');

const mayGive = (giver: Acting, role: Role): void => mayTouch(giver, { role });
