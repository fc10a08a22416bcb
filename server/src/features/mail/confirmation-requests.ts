import type { Account } from '../accounts/accounts.model.ts';
import type { ConfirmationRequests as Port } from '../accounts/email-confirmations.ts';
import type { MailQueue } from './mail-queue.ts';

/** Asks for the mails by which accounts confirm their addresses. */
export class ConfirmationRequests implements Port {
  readonly #queue: Pick<MailQueue, 'request'> | undefined;

  /** @param queue undefined where no mail is sent */
  constructor(queue: Pick<MailQueue, 'request'> | undefined) {
    this.#queue = queue;
  }

  /**
   * Sends a link to the account's address where that is not confirmed, unless its mailbox has had those of today by then.
   * @param base_url what the link begins with
   */
  async request(account: Account, base_url: string): Promise<void> {
    if (!this.#queue || account.email_confirmed_at !== null) return;
    await this.#queue.request(account._id, 'confirmation', { window: 0, base_url });
  }
}
