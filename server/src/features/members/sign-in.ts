import { foldName, type Credentials as SignInBody } from '@parlor/shared';
import type { ActionOfOne } from '../../events/audit.ts';
import { addressKeys } from '../../http/client-address.ts';
import { invalid, invalidTogether } from '../../platform/errors.ts';
import type { KnownDevices } from '../accounts/known-devices.ts';
import { hashPassword, isOutdated, isPassword } from '../accounts/passwords.ts';
import type { SignInLimits } from '../accounts/sign-in-limits.ts';
import { isSamePassword, wrongPassword } from './credentials.ts';
import type { ActiveMember, Member } from './member.ts';
import type { MemberSessions } from './member-sessions.ts';
import type { MemberStore } from './member-store.ts';
import { codeRequired, type SecondFactor } from './second-factor.ts';

/** Keeps record of who signed in. */
export interface SignInRecord {
  succeeded(member: ActiveMember, action: ActionOfOne): Promise<void>;
  /** Returns at once: how long a sign-in takes tells nothing of whether there is that member. */
  failed(member: ActiveMember, address: string): void;
}

const wrongCredentials = () => invalidTogether('Unable to log in with provided credentials.');

/**
 * A condition on what a sign-in writes: that what was shown would do at the write, too.
 * @param then the member as it signed in
 * @returns what throws ParlorError `invalid` where its password was replaced since, or a second factor turned on
 */
export const stillSignedIn =
  (then: Member) =>
  (current: Member): void => {
    if (!isSamePassword(current, then)) throw wrongCredentials();
    if (then.totp_sealed === undefined && current.totp_sealed !== undefined) throw codeRequired();
  };

/** Who somebody is, by username and password, and a code where there is a second factor. */
export class SignIn {
  readonly #store: MemberStore;
  readonly #limits: Pick<SignInLimits, 'take'>;
  readonly #devices: Pick<KnownDevices, 'issue' | 'read'>;
  readonly #secondFactor: Pick<SecondFactor, 'check'>;
  readonly #sessions: Pick<MemberSessions, 'isFresh'>;
  readonly #record: SignInRecord;

  constructor(
    store: MemberStore,
    limits: Pick<SignInLimits, 'take'>,
    devices: Pick<KnownDevices, 'issue' | 'read'>,
    secondFactor: Pick<SecondFactor, 'check'>,
    sessions: Pick<MemberSessions, 'isFresh'>,
    record: SignInRecord,
  ) {
    this.#store = store;
    this.#limits = limits;
    this.#devices = devices;
    this.#secondFactor = secondFactor;
    this.#sessions = sessions;
    this.#record = record;
  }

  /**
   * Whether it is really the member who asks for something: by its password or, where it has none, by having signed in
   * at the provider just now.
   * @param shown `session` is the uuid of the one that asks, `device` what `deviceFor` gave the browser once
   * @param address where it is asked for from
   * @param again looks at it anew: passwords are looked at one after another, and meanwhile its session may have ended
   * @returns the member as it is by then
   * @throws ParlorError `invalid` when it is not sure, `throttled` after too many wrong passwords, and whatever `again` throws
   */
  async confirm(
    member: ActiveMember,
    { password, session, device }: { password: string; session: string | undefined; device: string },
    address: string,
    again: () => Promise<ActiveMember>,
    field = 'old_password',
  ): Promise<ActiveMember> {
    if (member.password === undefined) {
      if (await this.#sessions.isFresh(member, session)) return member;
      throw invalid({ [field]: ['Sign in again, and do this within 10 minutes.'] });
    }
    if (password === '') throw invalid({ [field]: ['This field is required.'] });
    const wasRight = await this.#take(member.username_key, address, device, async () => member);
    if (!(await isPassword(member.password, password))) {
      this.#record.failed(member, address);
      throw wrongPassword(field);
    }
    await wasRight(member.account);
    const current = await again();
    if (!isSamePassword(current, member)) throw wrongPassword(field);
    return current;
  }

  /**
   * Somebody has shown otherwise who it is: at a provider, or by the link of a start.
   * @param code of the second factor; undefined where the member needs none
   * @param action what the audit trail says of it
   * @param shown what `deviceFor` gave the browser once
   * @throws ParlorError `invalid` for a wrong code, `throttled` after too many of them
   */
  async byProvider(
    member: ActiveMember,
    code: string | undefined,
    action: ActionOfOne,
    shown = '',
  ): Promise<void> {
    if (code !== undefined) {
      const wasRight = await this.#take(member.username_key, action.address, shown, async () => member);
      await this.#checkCode(member, code, action);
      await wasRight(member.account);
    }
    await this.#record.succeeded(member, action);
  }

  /**
   * @param action what the audit trail says of it
   * @param shown what `deviceFor` gave the browser once
   * @throws ParlorError `invalid` for wrong credentials, `throttled` after too many of them for the username.
   */
  async member(
    { username, password, code }: Pick<SignInBody, 'username' | 'password' | 'code'>,
    action: ActionOfOne,
    shown = '',
  ): Promise<ActiveMember> {
    const username_key = foldName(username);
    const find = () => this.#store.byKey({ username_key });
    const wasRight = await this.#take(username_key, action.address, shown, find);
    const read = await find();
    const isRight = await isPassword(read?.password, password);
    // Passwords wait for each other: meanwhile there may be another one, or a second factor.
    const current = isRight && read ? await this.#store.active(read.account, read._id) : undefined;
    if (!read || !current || !isSamePassword(current.member, read)) {
      if (read) this.#record.failed(read, action.address);
      throw wrongCredentials();
    }
    const { member } = current;
    await this.#checkCode(member, code, action);
    await wasRight(member.account);
    const kept = isOutdated(member.password ?? '') ? await this.#hashAgain(member, password) : member;
    await this.#record.succeeded(member, action);
    return kept;
  }

  /** Counts a try, by the browser where it has shown that the member that `find` gives has signed in with it. */
  #take(
    username_key: string,
    address: string,
    shown: string,
    find: () => Promise<Pick<Member, 'password'> | undefined>,
  ): ReturnType<SignInLimits['take']> {
    return this.#limits.take(username_key, addressKeys(address).address, () =>
      this.knownDevice(username_key, shown, find),
    );
  }

  /**
   * What tells a browser that the member has signed in with, for as long as its password is the same.
   * @param shown what `deviceFor` gave it once
   * @param find how the member is found
   * @returns undefined for any other browser, and once that password has been replaced
   */
  async knownDevice(
    username_key: string,
    shown: string,
    find: () => Promise<Pick<Member, 'password'> | undefined> = () => this.#store.byKey({ username_key }),
  ): Promise<string | undefined> {
    const device = this.#devices.read(username_key, shown);
    return device?.isFor((await find())?.password) ? device.id : undefined;
  }

  /** Keeps a password at today's cost. @returns the member with what is stored now, as long as that is the same password */
  async #hashAgain(member: ActiveMember, password: string): Promise<ActiveMember> {
    const stronger = await hashPassword(password);
    const stored = await this.#store.change(member.account, member._id, (current) =>
      current.password === member.password ? { password: stronger } : undefined,
    );
    return stored.password === stronger ? { ...member, password: stronger } : member;
  }

  /**
   * By what a browser that the member has just signed in with is known from now on: what it has shown, as long as that is good.
   * @returns undefined for a member without a password
   */
  deviceFor({ username_key, password }: ActiveMember, shown: string): string | undefined {
    if (password === undefined) return undefined;
    const isGood = this.#devices.read(username_key, shown)?.isFor(password);
    return isGood ? shown : this.#devices.issue(username_key, password);
  }

  /** A wrong code counts as a wrong password. */
  async #checkCode(member: ActiveMember, code: string, { address }: ActionOfOne): Promise<void> {
    try {
      await this.#secondFactor.check(member, code);
    } catch (error) {
      if (code !== '') this.#record.failed(member, address);
      throw error;
    }
  }
}
