import type { Account } from '../accounts/accounts.model.ts';
import type { EmailConfirmations } from '../accounts/email-confirmations.ts';
import type { Composed, MailType } from './mail-type.ts';
import type { Batch, OutgoingMail } from './outgoing-mails.model.ts';

/** Mails with the link that confirms an account's address. They hold no text of whoever has registered it. */
export class ConfirmationMails implements MailType {
  readonly kind = 'confirmation';
  readonly window = 0;
  readonly #confirmations: Pick<EmailConfirmations, 'issue'>;

  constructor(confirmations: Pick<EmailConfirmations, 'issue'>) {
    this.#confirmations = confirmations;
  }

  mayGoTo({ email_confirmed_at }: Account): boolean {
    return email_confirmed_at === null;
  }

  async mailbox({ email_key }: Account): Promise<string> {
    return email_key;
  }

  async members(): Promise<string[]> {
    return [];
  }

  async compose(owner: Account, { id }: Batch, { base_url = '' }: OutgoingMail): Promise<Composed> {
    const path = await this.#confirmations.issue(owner, id);
    const text = `An account of the chat at ${base_url} was registered with this address. To confirm that the address is
yours, open this page within 3 days and press its button:

${base_url}${path}

If it was not you, do nothing: an address that is not confirmed gets no other mail but by somebody
who asks for a new password.

-- \nParlor sends this once for each request, and at most 3 times a day to one address.
`;
    return { id: `email-confirmation.${id}`, content: { subject: 'Confirm your e-mail address', text } };
  }

  async sent(): Promise<void> {}

  async failed(): Promise<void> {}

  async forget(): Promise<void> {}
}
