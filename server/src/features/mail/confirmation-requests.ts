import type { Budgets } from '../../database/budgets.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account } from '../accounts/accounts.model.ts';
import type { ConfirmationRequests as Port } from '../accounts/email-confirmations.ts';
import { budget } from './mail-budgets.ts';
import type { MailQueue } from './mail-queue.ts';
import { mailboxOf } from './mailbox.ts';

const DAY_MS = 86_400_000;

/** How often a day a mail may be asked for to one address, by whichever account. */
const PER_ADDRESS_AND_DAY = 3;

/** Asks for the mails by which accounts confirm their addresses. */
export class ConfirmationRequests implements Port {
  readonly #queue: Pick<MailQueue, 'request'> | undefined;
  readonly #budgets: Pick<Budgets, 'take'>;
  readonly #secrets: Pick<Secrets, 'fingerprint'>;

  /** @param queue undefined where no mail is sent */
  constructor(
    queue: Pick<MailQueue, 'request'> | undefined,
    budgets: Pick<Budgets, 'take'>,
    secrets: Pick<Secrets, 'fingerprint'>,
  ) {
    this.#queue = queue;
    this.#budgets = budgets;
    this.#secrets = secrets;
  }

  /**
   * Sends a link to the account's address where that is not confirmed, unless the address has had its mails of today.
   * @param base_url what the link begins with
   */
  async request(account: Account, base_url: string): Promise<void> {
    if (!this.#queue || account.email_confirmed_at !== null) return;
    const mailbox = this.#secrets.fingerprint(
      'email-confirmation',
      `mailbox ${mailboxOf(account.email_key)}`,
    );
    const own = budget(`mailbox ${mailbox}`, PER_ADDRESS_AND_DAY, DAY_MS);
    if ('exceeded' in (await this.#budgets.take([own], 1))) return;
    await this.#queue.request(account._id, 'confirmation', { window: 0, base_url });
  }
}
