import type { Registration } from '@parlor/shared';
import { type Config, isTrial } from '../../platform/config.ts';
import { invalid, ParlorError } from '../../platform/errors.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account } from './accounts.model.ts';
import type { AccountsService } from './accounts.service.ts';
import { readInvitation } from './invitations.ts';
import { type RegistrationClaimModel, takeClaim } from './registration.model.ts';

/** While somebody makes the first account nobody else does: longer than a request takes. */
const FIRST_LEASE_MS = 60_000;

const closed = (): ParlorError => new ParlorError('forbidden', 'Registration is closed.');

/** Who may register an account, by REGISTRATION. */
export class Registrations {
  readonly #accounts: Pick<AccountsService, 'create' | 'isEmpty'>;
  readonly #claims: RegistrationClaimModel;
  readonly #secrets: Secrets;
  readonly #mode: 'open' | 'invite' | 'closed' | 'first';

  constructor(
    accounts: Pick<AccountsService, 'create' | 'isEmpty'>,
    claims: RegistrationClaimModel,
    secrets: Secrets,
    config: Config,
  ) {
    this.#accounts = accounts;
    this.#claims = claims;
    this.#secrets = secrets;
    this.#mode = config.REGISTRATION || (isTrial(config) ? 'open' : 'first');
  }

  /**
   * Makes an account for somebody who asks for one.
   * @throws ParlorError `forbidden` where registration is closed or needs an invitation, `invalid` for one that is
   * not good, and what `AccountsService.create` throws.
   */
  async register(given: Registration): Promise<Account> {
    const giveBack = await this.#permit(given.invite);
    try {
      return await this.#accounts.create(given);
    } catch (error) {
      await giveBack?.();
      throw error;
    }
  }

  /** @returns what frees the right again that this registration has taken */
  async #permit(invite: string): Promise<(() => Promise<void>) | undefined> {
    switch (this.#mode) {
      case 'open':
        return undefined;
      case 'closed':
        throw closed();
      case 'invite':
        return this.#permitInvited(invite);
      case 'first':
        return this.#permitFirst();
    }
  }

  async #permitInvited(invite: string): Promise<() => Promise<void>> {
    if (invite === '') throw new ParlorError('forbidden', 'Registration needs an invitation.');
    const invitation = readInvitation(this.#secrets, invite);
    const isNew =
      invitation && (await takeClaim(this.#claims, `invite ${invitation.id}`, invitation.expires));
    if (!isNew) throw invalid({ invite: ['This invitation is not good, has run out or was used.'] });
    return isNew;
  }

  async #permitFirst(): Promise<() => Promise<void>> {
    if (!(await this.#accounts.isEmpty())) throw closed();
    const giveBack = await takeClaim(this.#claims, 'first', new Date(Date.now() + FIRST_LEASE_MS));
    if (!giveBack) throw closed();
    // Somebody may have been through since the look before.
    if (await this.#accounts.isEmpty()) return giveBack;
    await giveBack();
    throw closed();
  }
}
