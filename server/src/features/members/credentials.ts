import type { Action } from '../../events/audit.ts';
import { invalid, notFound, type ParlorError, throwIfAny } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { chosenPasswordErrors, hashPassword, passwordErrors } from '../accounts/passwords.ts';
import { newToken, sealedToken } from '../accounts/token.ts';
import { type ActiveMember, activeOf, type Member } from './member.ts';
import type { MemberSessions } from './member-sessions.ts';
import { type MemberStore, memberPlace, type Standing } from './member-store.ts';
import { noSetUp } from './second-factor.ts';

type Whose = Pick<Member, '_id' | 'account'>;

/** Told when a member's token is another one, with what that is found by; an empty text when it has none any more. */
export type TokenListener = (member: Whose, fingerprint: string) => Promise<void>;

/** The tokens and passwords of members (docs/contract.md#accounts). */
export class Credentials {
  readonly #store: MemberStore;
  readonly #sessions: Pick<MemberSessions, 'endAll'>;
  readonly #secrets: Secrets;
  readonly #listeners: TokenListener[] = [];
  readonly #endListeners: ((member: Whose) => Promise<void>)[] = [];

  constructor(store: MemberStore, sessions: Pick<MemberSessions, 'endAll'>, secrets: Secrets) {
    this.#store = store;
    this.#sessions = sessions;
    this.#secrets = secrets;
  }

  /** Calls `listener` when a member's token has changed or is gone, before that is answered. */
  onTokenChange(listener: TokenListener): void {
    this.#listeners.push(listener);
  }

  /** Calls `listener` when a member has been removed. */
  onEnd(listener: (member: Whose) => Promise<void>): void {
    this.#endListeners.push(listener);
  }

  /** The member that a token opens. */
  byToken(token: string): Promise<ActiveMember | undefined> {
    return this.#store.byToken(token);
  }

  /** The member's token, to be shown to itself. */
  tokenOf(member: ActiveMember): string {
    return this.#secrets.decrypt(member.token_sealed, memberPlace(member));
  }

  /**
   * The token of a member as it stands now.
   * @param check sees it
   * @throws ParlorError whatever `check` throws; `not_found` where it was removed
   */
  async currentTokenOf(member: Whose, check: (current: Member) => void): Promise<string> {
    const found = await this.#store.active(member.account, member._id);
    if (!found) throw notFound();
    check(found.member);
    return this.tokenOf(found.member);
  }

  /** What a member's token is found by, now and once it is sealed by the other SECRET_KEY. */
  fingerprintsOf(member: ActiveMember): string[] {
    return this.#secrets.fingerprints('token-fingerprint', this.tokenOf(member));
  }

  /** What the sockets of these accounts' members rest on, by the members' uuids. */
  async standings(accounts: readonly string[]): Promise<Map<string, Standing>> {
    const members = await this.#store.standings(accounts);
    return new Map(members.map((member) => [member._id, member]));
  }

  /**
   * Makes a new token: the old one is dead on every process at once.
   * @param check sees the member as it stands at the write
   * @throws ParlorError whatever `check` throws
   */
  async resetToken(
    member: ActiveMember,
    action?: Action,
    check?: (current: Member) => void,
  ): Promise<string> {
    const token = newToken();
    let fingerprint = '';
    const decide = (current: Member) => {
      check?.(current);
      const sealed = sealedToken(this.#secrets, memberPlace(current), token);
      fingerprint = sealed.token_fingerprint;
      return sealed;
    };
    await this.#store.change(member.account, member._id, decide, action);
    await this.#tell(member, fingerprint);
    return token;
  }

  /** Makes the tokens and passwords of all members of an account useless, at once and everywhere. */
  async lock(account: string): Promise<void> {
    for (const member of await this.#store.of(account)) {
      const active = activeOf(member);
      if (!active) continue;
      await this.resetToken(active);
      await this.#setPassword(active, newToken());
      for (const listener of this.#endListeners) await listener(active);
    }
  }

  /** A member has been removed: its sessions and sockets end. */
  async ended(member: Whose): Promise<void> {
    await this.#sessions.endAll(member);
    await this.#tell(member, '');
    for (const listener of this.#endListeners) await listener(member);
  }

  async #tell(member: Whose, fingerprint: string): Promise<void> {
    for (const listener of this.#listeners) await listener(member, fingerprint);
  }

  /**
   * Sets the password that a member has chosen and typed twice.
   * @param member as it was when it showed the one before: where that has been replaced since, nothing is set
   * @param by `session`: the uuid of the one that goes on; `again` looks at the credential anew, right before the write
   * @returns the member with what is stored now
   * @throws ParlorError `invalid`, and whatever `again` throws
   */
  async choosePassword(
    member: ActiveMember,
    { password, password2 }: { password: string; password2: string },
    { session, again }: { session: string | undefined; again: () => Promise<unknown> },
    action?: Action,
  ): Promise<ActiveMember> {
    throwIfAny(chosenPasswordErrors({ password, password2 }, member));
    const isSame = samePassword(member, 'old_password');
    const check = async (current: Member) => {
      await again();
      isSame(current);
    };
    const stored = await this.#setPassword(member, password, { session, action, check });
    return { ...member, password: stored };
  }

  /**
   * Sets a new password; all sessions end, and the token stays as it is.
   * @param check sees the member as it stands at the write
   * @throws ParlorError `invalid` for a weak password, and whatever `check` throws
   */
  async setPassword(
    member: ActiveMember,
    password: string,
    action?: Action,
    check?: (current: Member) => void,
  ): Promise<void> {
    const weak = passwordErrors(password, member.username, member.email);
    if (weak.length > 0) throw invalid({ password: weak });
    await this.#setPassword(member, password, { action, check });
  }

  /**
   * A second factor that somebody who knew the one before has begun to set up is none of whoever has this one.
   * @returns the password as it is stored
   */
  async #setPassword(
    member: ActiveMember,
    password: string,
    {
      session,
      action,
      check,
    }: {
      session?: string | undefined;
      action?: Action | undefined;
      check?: ((current: Member) => void | Promise<void>) | undefined;
    } = {},
  ): Promise<string> {
    const hashed = await hashPassword(password);
    // With the password, so that no session of before goes on whatever happens next, nor one that begins at this moment.
    const decide = async (current: Member) => {
      await check?.(current);
      return {
        password: hashed,
        session_epoch: (current.session_epoch ?? 0) + 1,
        kept_session: session,
        ...noSetUp,
      };
    };
    await this.#store.change(member.account, member._id, decide, action);
    await this.#sessions.endAll(member, session);
    return hashed;
  }
}

/** Whether a member has had no other password since. */
export const isSamePassword = (
  { session_epoch: now = 0 }: Member,
  { session_epoch: then = 0 }: Member,
): boolean => now === then;

/**
 * A condition on what somebody writes who has shown its password.
 * @param then the member as it was by then
 * @param field the one that it was sent in
 * @returns what throws ParlorError `invalid` where the member has another one by now
 */
export const samePassword =
  (then: Member, field: string) =>
  (current: Member): void => {
    if (!isSamePassword(current, then)) throw wrongPassword(field);
  };

/** @param field the one that it was sent in */
export const wrongPassword = (field: string): ParlorError =>
  invalid({ [field]: ['This is not your password.'] });
