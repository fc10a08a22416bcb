import { foldName } from '@parlor/shared';
import type { Logger } from 'pino';
import type { Budgets } from '../../database/budgets.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Account, AccountModel } from '../accounts/accounts.model.ts';
import type { Member } from '../members/member.ts';
import type { MemberMails } from '../members/member-mails.ts';
import type { MemberStore } from '../members/member-store.ts';
import { budget } from './mail-budgets.ts';
import type { MailQueue } from './mail-queue.ts';
import { mailboxOf } from './mailbox.ts';

const DAY_MS = 86_400_000;

/** How many invitations a mailbox gets in a day, from whichever accounts, and an account sends. */
const INVITATIONS_TO_MAILBOX = 3;
const INVITATIONS_OF_ACCOUNT = 100;

interface Parts {
  /** undefined where no mail is sent. */
  queue: Pick<MailQueue, 'request'> | undefined;
  accounts: AccountModel;
  store: Pick<MemberStore, 'byKey'>;
  budgets: Pick<Budgets, 'take'>;
  secrets: Pick<Secrets, 'fingerprint'>;
  log: Logger;
}

/** Asks for the mails that members get. */
export class MemberMailRequests implements MemberMails {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The account's own address has to be confirmed: nobody mails strangers by registering. */
  async invite({ _id: member, account, email }: Member, base_url: string): Promise<boolean> {
    const { queue, accounts, log } = this.#parts;
    if (!queue) return false;
    try {
      const owner = await accounts.findOne({ _id: account }, { email_confirmed_at: 1 }).lean<Account>();
      if (!owner || owner.email_confirmed_at === null) return false;
      const isTaken = await this.#take(
        budget(`${account} invitations`, INVITATIONS_OF_ACCOUNT, DAY_MS),
        budget(`mailbox invitations ${this.#mailbox(email)}`, INVITATIONS_TO_MAILBOX, DAY_MS),
      );
      if (!isTaken) return false;
      await queue.request(account, 'invitation', { window: 0, base_url, member });
      return true;
    } catch (error) {
      // The invitation is there, and its link was answered.
      log.warn({ err: error }, 'the mail of an invitation was not asked for');
      return false;
    }
  }

  async resetPassword(email: string, base_url: string): Promise<void> {
    const { queue, store, secrets } = this.#parts;
    if (!queue) return;
    const member = await store.byKey({ email_key: foldName(email) });
    // A mail to nobody costs the same writes. The mailer drops it, as it does one of which the mailbox has had its share: a
    // budget that is booked here would count what nobody gets, or say who is there.
    const isSomebody = member?.password !== undefined;
    const [account, to] = isSomebody
      ? [member.account, member._id]
      : ['nobody', secrets.fingerprint('mailbox', `nobody ${foldName(email)}`)];
    const epoch = member?.session_epoch ?? 0;
    await queue.request(account, 'password-reset', { window: 0, base_url, member: to, epoch });
  }

  async #take(...wanted: ReturnType<typeof budget>[]): Promise<boolean> {
    return !('exceeded' in (await this.#parts.budgets.take(wanted, 1)));
  }

  #mailbox(email: string): string {
    return this.#parts.secrets.fingerprint('mailbox', mailboxOf(foldName(email)));
  }
}
