import type { Registration } from '@parlor/shared';
import type { Logger } from 'pino';
import type { ActionOfOne } from '../../events/audit.ts';
import { type Config, isTrial } from '../../platform/config.ts';
import { invalid, isRefusal, ParlorError } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account } from './accounts.model.ts';
import type { AccountsService } from './accounts.service.ts';
import type { ConfirmationRequests } from './email-confirmations.ts';
import { readInvitation } from './invitations.ts';
import { FIRST_ACCOUNT, type RegistrationClaimModel, takeClaim } from './registration.model.ts';

/** While somebody makes the first account nobody else does: longer than a request takes. */
const FIRST_LEASE_MS = 60_000;

/** As long is an invitation kept for who registers by it: who dies in between has not used it up. */
const INVITED_LEASE_MS = 60_000;

/** The right to register once. */
interface Permit {
  /** Frees it again, where no account was made. */
  giveBack?: () => Promise<void>;
  /** Uses it up, once the account is there. */
  use?: () => Promise<unknown>;
  /** The uuid of the account that it is for. */
  _id?: string | undefined;
}

const noInvitation = (): ParlorError =>
  invalid({ invite: ['This invitation is not good, has run out or was used.'] });

const closed = (): ParlorError => new ParlorError('forbidden', 'Registration is closed.');

/** Who may register an account, by REGISTRATION. */
export class Registrations {
  readonly #accounts: Pick<AccountsService, 'create' | 'exists' | 'isEmpty'>;
  readonly #claims: RegistrationClaimModel;
  readonly #secrets: Secrets;
  readonly #confirmations: ConfirmationRequests;
  readonly #log: Logger;
  readonly #mode: 'open' | 'invite' | 'closed' | 'first';

  constructor({
    accounts,
    claims,
    confirmations,
    secrets,
    config,
    log,
  }: {
    accounts: Pick<AccountsService, 'create' | 'exists' | 'isEmpty'>;
    claims: RegistrationClaimModel;
    confirmations: ConfirmationRequests;
    secrets: Secrets;
    config: Config;
    log: Logger;
  }) {
    this.#accounts = accounts;
    this.#claims = claims;
    this.#confirmations = confirmations;
    this.#secrets = secrets;
    this.#log = log;
    this.#mode = config.REGISTRATION || (isTrial(config) ? 'open' : 'first');
  }

  /**
   * Makes an account for somebody who asks for one, and mails a link to its address, which nobody has confirmed.
   * @param baseUrl what that link begins with
   * @throws ParlorError `forbidden` where registration is closed or needs an invitation, `invalid` for one that is
   * not good, and what `AccountsService.create` throws.
   */
  async register(given: Registration, baseUrl: string, action?: ActionOfOne): Promise<Account> {
    const { giveBack, use, _id } = await this.#permit(given.invite);
    let account: Account;
    try {
      account = await this.#accounts.create(given, { _id, email_confirmed_at: null }, action);
    } catch (error) {
      const givenBack = giveBack?.().catch(() => undefined);
      // Nobody waits for a database that is away: then it runs out.
      if (isRefusal(error)) await givenBack;
      throw error;
    }
    // The account itself says so, too, for as long as it is there.
    await use?.().catch((error) => this.#log.warn({ err: error }, 'an invitation was not marked as used'));
    // The account is there, and can ask for the mail itself.
    await this.#confirmations
      .request(account, baseUrl)
      .catch((error) => this.#log.warn({ err: error }, 'a confirmation mail was not asked for'));
    return account;
  }

  async #permit(invite: string): Promise<Permit> {
    switch (this.#mode) {
      case 'open':
        return {};
      case 'closed':
        throw closed();
      case 'invite':
        return this.#permitInvited(invite);
      case 'first':
        return { giveBack: await this.#permitFirst() };
    }
  }

  async #permitInvited(invite: string): Promise<Permit> {
    if (invite === '') throw new ParlorError('forbidden', 'Registration needs an invitation.');
    const invitation = readInvitation(this.#secrets, invite);
    if (!invitation) throw noInvitation();
    const { id, expires } = invitation;
    const claim = `invite ${id}`;
    const giveBack = await takeClaim(this.#claims, claim, new Date(Date.now() + INVITED_LEASE_MS));
    if (!giveBack) throw noInvitation();
    const use = () =>
      this.#claims.updateOne({ _id: claim }, { $set: { expires_at: expires } }, { upsert: true });
    // The account may be there although making it was answered 503, after which the right was given back.
    if (!(await this.#accounts.exists(id))) return { giveBack, use, _id: id };
    throw noInvitation();
  }

  async #permitFirst(): Promise<() => Promise<void>> {
    if (!(await this.#accounts.isEmpty())) throw closed();
    const giveBack = await takeClaim(this.#claims, FIRST_ACCOUNT, new Date(Date.now() + FIRST_LEASE_MS));
    if (!giveBack) throw closed();
    // Somebody may have been through since the look before.
    if (await this.#accounts.isEmpty()) return giveBack;
    await giveBack();
    throw closed();
  }
}
