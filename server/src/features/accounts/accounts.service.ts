import { randomBytes } from 'node:crypto';
import { type Credentials, foldName, type Registration } from '@parlor/shared';
import { duplicateFields } from '../../database/duplicate.ts';
import { findBySecret } from '../../database/find-by-secret.ts';
import { type FieldErrors, invalid, invalidTogether } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import type { Account, AccountModel } from './accounts.model.ts';
import { hashPassword, isOutdated, isPassword, passwordErrors } from './passwords.ts';
import type { SignInLimits } from './sign-in-limits.ts';

const TAKEN: Record<string, [field: string, message: string]> = {
  username_key: ['username', 'A user with that username already exists.'],
  email_key: ['email', 'A user with that email already exists.'],
};

/** Makes the widget that every account begins with, and takes it away again where there is no account after all. */
interface FirstWidget {
  create(account: string, settings: object): Promise<unknown>;
  deleteAllOf(account: string): Promise<void>;
}

/** Accounts, their passwords and tokens (docs/contract.md#accounts). */
export class AccountsService {
  readonly #accounts: AccountModel;
  readonly #bySecret: (token: string) => Promise<Account | undefined>;
  readonly #widgets: FirstWidget;
  readonly #secrets: Secrets;
  readonly #signIns: Pick<SignInLimits, 'take'>;
  readonly #resetListeners: ((account: string, fingerprint: string) => Promise<void>)[] = [];

  constructor(
    accounts: AccountModel,
    widgets: FirstWidget,
    secrets: Secrets,
    signIns: Pick<SignInLimits, 'take'>,
  ) {
    this.#accounts = accounts;
    this.#bySecret = findBySecret<Account>(accounts, 'token_fingerprint', secrets);
    this.#widgets = widgets;
    this.#secrets = secrets;
    this.#signIns = signIns;
  }

  /** Calls `listener` when an account got a new token, with what that is found by, before that is answered. */
  onTokenReset(listener: (account: string, fingerprint: string) => Promise<void>): void {
    this.#resetListeners.push(listener);
  }

  /**
   * Makes an account with its token and first widget; its e-mail address counts as confirmed unless `more` says otherwise.
   * @throws ParlorError `invalid` for a weak or mistyped password, or a username or e-mail that is taken.
   */
  async create(
    { username, email, password, password2 }: Omit<Registration, 'invite'>,
    more: Pick<Account, 'is_demo' | 'email_confirmed_at'> = {},
  ): Promise<Account> {
    const errors: FieldErrors = {};
    const weak = passwordErrors(password, username, email);
    if (weak.length > 0) errors.password = weak;
    if (password !== password2) errors.password2 = ["The two password fields didn't match."];
    if (Object.keys(errors).length > 0) throw invalid(errors);

    const _id = newUuid();
    const account: Account = {
      _id,
      username,
      email,
      username_key: foldName(username),
      email_key: foldName(email),
      password: await hashPassword(password),
      ...this.#sealed(_id, newToken()),
      created_at: new Date(),
      email_confirmed_at: new Date(),
      ...more,
    };
    // The widget first: a crash in between leaves a widget that nobody owns, rather than an owner without one.
    await this.#widgets.create(account._id, {});
    try {
      await this.#accounts.insertOne(account);
    } catch (error) {
      await this.#widgets.deleteAllOf(account._id);
      const taken = duplicateFields(error)?.flatMap((field) => (TAKEN[field] ? [TAKEN[field]] : [])) ?? [];
      if (taken.length === 0) throw error;
      throw invalid(Object.fromEntries(taken.map(([field, message]) => [field, [message]])));
    }
    return account;
  }

  /**
   * The account's token; with `reset_token` a new one, and the old one is dead on every process at once.
   * @param address where it is asked for from, as limits count it
   * @throws ParlorError `invalid` for wrong credentials, `throttled` after too many of them for the username.
   */
  async token({ username, password, reset_token }: Credentials, address: string): Promise<string> {
    const username_key = foldName(username);
    const wasRight = await this.#signIns.take(username_key, address);
    const account = await this.#accounts.findOne({ username_key }).lean();
    if (!(await isPassword(account?.password, password)) || !account) {
      throw invalidTogether('Unable to log in with provided credentials.');
    }
    await wasRight(account._id);
    if (isOutdated(account.password)) {
      const stronger = await hashPassword(password);
      await this.#accounts.updateOne(
        { _id: account._id, password: account.password },
        { $set: { password: stronger } },
      );
    }
    return reset_token ? this.resetToken(account._id) : this.tokenOf(account);
  }

  async resetToken(accountId: string): Promise<string> {
    const token = newToken();
    const sealed = this.#sealed(accountId, token);
    await this.#accounts.updateOne({ _id: accountId }, { $set: sealed });
    for (const listener of this.#resetListeners) await listener(accountId, sealed.token_fingerprint);
    return token;
  }

  /** The account's token, to be shown to its owner. */
  tokenOf(account: Account): string {
    return this.#secrets.decrypt(account.token_sealed, placeOf(account, 'token_sealed'));
  }

  /**
   * Sets a new password; the token stays as it is.
   * @throws ParlorError `invalid` for a weak password.
   */
  async setPassword({ _id, username, email }: Account, password: string): Promise<void> {
    const weak = passwordErrors(password, username, email);
    if (weak.length > 0) throw invalid({ password: weak });
    await this.#accounts.updateOne({ _id }, { $set: { password: await hashPassword(password) } });
  }

  /** Makes its token and password useless, at once and everywhere. */
  async lock(accountId: string): Promise<void> {
    await this.resetToken(accountId);
    await this.#accounts.updateOne(
      { _id: accountId },
      { $set: { password: await hashPassword(newToken()) } },
    );
  }

  /** The account that a token opens, read from the database each time: a reset holds at once everywhere. */
  async byToken(token: string): Promise<Account | undefined> {
    return /^[0-9a-f]{40}$/.test(token) ? this.#bySecret(token) : undefined;
  }

  /** What an account's token is found by, now and once it is sealed by the other SECRET_KEY. */
  fingerprintsOf(account: Account): string[] {
    return this.#secrets.fingerprints('token-fingerprint', this.tokenOf(account));
  }

  /** What the present tokens of these accounts are found by. */
  async fingerprints(ids: readonly string[]): Promise<Map<string, string>> {
    const found = await this.#accounts
      .find({ _id: { $in: ids as string[] } }, { token_fingerprint: 1 })
      .lean();
    return new Map(found.map(({ _id, token_fingerprint }) => [_id, token_fingerprint]));
  }

  async byUsername(username: string): Promise<Account | undefined> {
    return (await this.#accounts.findOne({ username_key: foldName(username) }).lean()) ?? undefined;
  }

  /** Whether there is no account but that of a trial. */
  async isEmpty(): Promise<boolean> {
    const [first, second] = await this.#accounts.find({}, { is_demo: 1 }).limit(2).lean();
    return !second && (!first || first.is_demo === true);
  }

  #sealed(_id: string, token: string): Pick<Account, 'token_fingerprint' | 'token_sealed'> {
    return {
      token_fingerprint: this.#secrets.fingerprint('token-fingerprint', token),
      token_sealed: this.#secrets.encrypt(token, placeOf({ _id }, 'token_sealed')),
    };
  }
}

/** 40 hexadecimal characters (docs/contract.md#accounts). */
const newToken = (): string => randomBytes(20).toString('hex');
