import { randomInt } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import type { Action } from '../../events/audit.ts';
import { invalid, ParlorError } from '../../platform/errors.ts';
import { secretHash } from '../../platform/random-secret.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { RECOVERY_CODES, TOTP_SECRET } from '../accounts/member-fields.ts';
import type { ActiveMember, Member } from './member.ts';
import { type MemberStore, memberPlace } from './member-store.ts';

/** As RFC 4226, 4 recommends: 160 bits. */
const SECRET_BYTES = 20;

/** A code of the time step before or after is taken, too (RFC 6238, 5.2). */
const TIME_STEPS = 1;

/** How long a set-up may take from its secret to the code that confirms it. */
const SET_UP_MS = 10 * 60_000;

/** What a member has where no set-up is under way. */
export const noSetUp = { totp_pending_sealed: undefined, totp_pending_at: undefined } as const;

/** Without those that look like others: 16 of them are 79 bits. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz23456789';

const wrongCode = (): ParlorError => invalid({ code: ['This code is not good.'] });

/** What is said to whoever shows no code where one is asked for. */
export const codeRequired = (): ParlorError => invalid({ code: ['A code is required.'] });

const tookTooLong = (): ParlorError =>
  invalid({ code: ['Setting it up took longer than 10 minutes. Begin again.'] });

const isOnAlready = (): ParlorError =>
  invalid({ code: ['It is on already. Set it up anew for recovery codes.'] });

/** What a member shows beside its password: codes of an authenticator app (RFC 6238), or recovery codes. */
export class SecondFactor {
  readonly #store: MemberStore;
  readonly #secrets: Secrets;

  constructor(store: MemberStore, secrets: Secrets) {
    this.#store = store;
    this.#secrets = secrets;
  }

  /**
   * Makes a secret, which counts once a code of it has been shown: within 10 minutes, and under the same password.
   * @param check sees the member as it stands at the write
   * @throws ParlorError whatever `check` throws
   */
  async begin(
    member: ActiveMember,
    check: (current: Member) => void,
  ): Promise<{ secret: string; uri: string }> {
    const totp = totpOf(new Secret({ size: SECRET_BYTES }), member.username);
    const secret = totp.secret.base32;
    await this.#store.change(member.account, member._id, (current) => {
      check(current);
      return {
        totp_pending_sealed: this.#secrets.encrypt(secret, memberPlace(current, 'totp_pending_sealed')),
        totp_pending_at: new Date(),
      };
    });
    return { secret, uri: totp.toString() };
  }

  /**
   * From now on sign-in asks for a code.
   * @returns the recovery codes, which are kept nowhere
   * @throws ParlorError `invalid` for a wrong code, when no secret was made before or it was too long ago, and when it is on
   *   already
   */
  async confirm(member: ActiveMember, code: string, action?: Action): Promise<string[]> {
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode);
    const decide = (current: Member) => {
      const sealed = current.totp_pending_sealed;
      // Whoever did not get the answer sends it again.
      if (sealed === undefined) throw current.totp_sealed === undefined ? wrongCode() : isOnAlready();
      // One that an older process has made says no time, and ends with the update.
      const age = Date.now() - (current.totp_pending_at?.getTime() ?? 0);
      if (age > SET_UP_MS) throw tookTooLong();
      const secret = this.#secrets.decrypt(sealed, memberPlace(current, 'totp_pending_sealed'));
      const step = stepOf(secret, code);
      if (step === undefined) throw wrongCode();
      return {
        totp_sealed: this.#secrets.encrypt(secret, memberPlace(current, 'totp_sealed')),
        ...noSetUp,
        totp_step: step,
        recovery_hashes: codes.map(hashOf),
      };
    };
    await this.#store.change(member.account, member._id, decide, action);
    return codes;
  }

  /**
   * Sign-in asks for no code any more.
   * @param check sees the member as it stands at the write
   * @throws ParlorError whatever `check` throws
   */
  async disable(
    { account, _id }: Pick<Member, 'account' | '_id'>,
    action?: Action,
    check?: (current: Member) => void,
  ): Promise<void> {
    const nothing = { totp_sealed: undefined, ...noSetUp, totp_step: undefined, recovery_hashes: undefined };
    const decide = (current: Member) => {
      check?.(current);
      return nothing;
    };
    await this.#store.change(account, _id, decide, action);
  }

  /**
   * Takes a code, which is then used up. Of two who show the same one at once one is too late.
   * @throws ParlorError `invalid` where the member has a second factor and the code is missing or wrong
   */
  async check(member: ActiveMember, code: string): Promise<void> {
    if (member.totp_sealed === undefined) return;
    if (code === '') throw codeRequired();
    await this.#store.change(member.account, member._id, (current) => {
      const { totp_sealed: sealed, totp_step = 0, recovery_hashes = [] } = current;
      // It was disabled meanwhile.
      if (sealed === undefined) return undefined;
      const recovery = hashOf(code);
      if (recovery_hashes.includes(recovery)) {
        return { recovery_hashes: recovery_hashes.filter((hash) => hash !== recovery) };
      }
      const step = stepOf(this.#secrets.decrypt(sealed, memberPlace(current, 'totp_sealed')), code);
      if (step === undefined || step <= totp_step) throw wrongCode();
      return { totp_step: step };
    });
  }
}

/** Whether the account asks for a second factor which the member has not got. */
export const lacksSecondFactor = (
  { requires_totp }: Pick<Account, 'requires_totp'>,
  { totp_sealed }: Member,
): boolean => requires_totp === true && totp_sealed === undefined;

/** What is said to a member who lacks it. */
export const secondFactorFirst = (): ParlorError =>
  new ParlorError('forbidden', 'Your account asks for a second factor: set it up first, in a session.');

const totpOf = (secret: Secret, label = ''): TOTP => new TOTP({ issuer: 'Parlor', label, secret });

/** The time step of a code that is good now; undefined for any other one. */
const stepOf = (base32: string, code: string): number | undefined => {
  const token = code.replaceAll(' ', '');
  if (!/^\d{6}$/.test(token)) return undefined;
  // What an older version has read in may be none.
  if (!TOTP_SECRET.test(base32)) return undefined;
  const totp = totpOf(Secret.fromBase32(base32));
  const delta = totp.validate({ token, window: TIME_STEPS });
  return delta === null ? undefined : totp.counter() + delta;
};

const newRecoveryCode = (): string =>
  Array.from({ length: 4 }, () =>
    Array.from({ length: 4 }, () => LETTERS[randomInt(LETTERS.length)]).join(''),
  ).join('-');

/** However it is typed: with or without dashes and spaces, in whatever case. */
const hashOf = (code: string): string => secretHash(code.toLowerCase().replace(/[\s-]/g, ''));
