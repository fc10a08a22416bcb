import { type AccountSettings, Account as ApiAccount, foldName, type Registration } from '@parlor/shared';
import { v5 } from 'uuid';
import { present } from '../../database/document.ts';
import { type Action, type ActionOfOne, auditEvent } from '../../events/audit.ts';
import type { Relay } from '../../events/relay.ts';
import { invalid, isRefusal, notFound, throwIfAny } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import { placeOf, type Secrets } from '../../platform/secrets.ts';
import { Tries } from '../../platform/tries.ts';
import type { Account, AccountModel } from './accounts.model.ts';
import { chosenPasswordErrors, hashPassword } from './passwords.ts';
import { newToken, sealedToken } from './token.ts';
import type { UniqueNames } from './unique-names.ts';

/** Makes the widget that every account begins with, and takes it away again where there is no account after all. */
interface FirstWidget {
  create(account: string, settings: object, uuid: string): Promise<unknown>;
  deleteAllOf(account: string): Promise<void>;
}

/** What of a new account somebody else decides. */
interface NewAccount extends Pick<Account, 'is_demo' | 'email_confirmed_at'> {
  _id?: string | undefined;
}

/** What the audit trail calls an account. */
export const asAudited = ({ _id, username }: Pick<Account, '_id' | 'username'>) =>
  ({ kind: 'account', uuid: _id, label: username }) as const;

/** Accounts (docs/contract.md#accounts). */
export class AccountsService {
  readonly #accounts: AccountModel;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #widgets: FirstWidget;
  readonly #secrets: Secrets;
  readonly #names: UniqueNames;
  readonly #listeners: ((account: string) => Promise<void>)[] = [];

  constructor(
    accounts: AccountModel,
    relay: Pick<Relay, 'announce'>,
    widgets: FirstWidget,
    secrets: Secrets,
    names: UniqueNames,
  ) {
    this.#accounts = accounts;
    this.#relay = relay;
    this.#widgets = widgets;
    this.#secrets = secrets;
    this.#names = names;
  }

  /** Calls `listener` when what holds for everybody in an account has changed, before that is answered. */
  onChange(listener: (account: string) => Promise<void>): void {
    this.#listeners.push(listener);
  }

  /**
   * Makes an account with its founding member and first widget; its e-mail address counts as confirmed unless `more`
   * says otherwise.
   * @throws ParlorError `invalid` for a weak or mistyped password, or a username or e-mail that is taken.
   */
  async create(
    { username, email, password, password2 }: Omit<Registration, 'invite'>,
    { _id = newUuid(), ...more }: NewAccount = {},
    action?: ActionOfOne,
  ): Promise<Account> {
    throwIfAny(chosenPasswordErrors({ password, password2 }, { username, email }));
    const account: Account = {
      _id,
      username,
      email,
      username_key: foldName(username),
      email_key: foldName(email),
      password: await hashPassword(password),
      ...sealedToken(this.#secrets, placeOf({ _id }, 'token_sealed'), newToken()),
      created_at: new Date(),
      email_confirmed_at: new Date(),
      ...more,
    };
    if (action) {
      const actor = { kind: 'member', uuid: _id, name: username, token: null } as const;
      account.events = [auditEvent({ actor, ...action }, _id, asAudited(account))];
    }
    // The widget first: a crash in between leaves a widget that nobody owns, rather than an owner without one. By the same
    // uuid, so that whoever comes again with an invitation finds it.
    await this.#widgets.create(_id, {}, v5('first widget', _id));
    try {
      await this.#names.take(account, () => this.#accounts.insertOne(account));
    } catch (error) {
      if (isRefusal(error)) await this.#widgets.deleteAllOf(_id);
      throw error;
    }
    this.#relay.announce(this.#accounts, account);
    return account;
  }

  /** @throws ParlorError `not_found` */
  async byId(_id: string): Promise<Account> {
    const account = await this.#accounts.findOne({ _id }).lean<Account>();
    if (!account) throw notFound();
    return account;
  }

  /**
   * Changes what holds for everybody in an account.
   * @param by the owner who does it
   * @throws ParlorError `invalid` when it asks for what the owner has not got, and whatever `check` throws
   */
  async change(
    { account: _id, totp_sealed }: { account: string; totp_sealed?: string | undefined },
    wanted: Partial<AccountSettings>,
    check?: (current: ApiAccount) => void,
    action?: Action,
  ): Promise<Account> {
    if (wanted.requires_totp && totp_sealed === undefined) {
      throw invalid({ requires_totp: ['Set up a second factor of your own first.'] });
    }
    for (const tries = new Tries('a change of an account'); ; ) {
      tries.next();
      const current = await this.byId(_id);
      check?.(presentAccount(current));
      const before = presentAccount(current).requires_totp;
      const { requires_totp = before } = wanted;
      const changes = [{ field: 'requires_totp', from: `${before}`, to: `${requires_totp}` }];
      const events =
        action && requires_totp !== before ? [auditEvent(action, _id, asAudited(current), changes)] : [];
      // null stands for one that nobody has changed.
      const unchanged = { _id, requires_totp: current.requires_totp ?? null } as object;
      const { matchedCount } = await this.#accounts.updateOne(unchanged, {
        $set: { requires_totp },
        ...(events.length > 0 && { $push: { events: { $each: events } } }),
      } as never);
      if (matchedCount === 0) continue;
      this.#relay.announce(this.#accounts, { ...current, events });
      for (const listener of this.#listeners) await listener(_id);
      return { ...current, requires_totp };
    }
  }

  /** Whether there is an account of this uuid, also one that is being deleted. */
  async exists(_id: string): Promise<boolean> {
    return (await this.#accounts.exists({ _id })) !== null;
  }

  /** The account whose founding member has that username. */
  async byUsername(username: string): Promise<Account | undefined> {
    return (await this.#accounts.findOne({ username_key: foldName(username) }).lean()) ?? undefined;
  }

  /** Whether there is no account but that of a trial. */
  async isEmpty(): Promise<boolean> {
    const [first, second] = await this.#accounts.find({ emptied_at: null }, { is_demo: 1 }).limit(2).lean();
    return !second && (!first || first.is_demo === true);
  }
}

/** The API's form of an account. */
export const presentAccount = (account: Account): ApiAccount =>
  present(ApiAccount, account, { requires_totp: account.requires_totp ?? false });
