import type { Duration } from '../../platform/duration.ts';
import type { Account } from '../accounts/accounts.model.ts';
import type { MailContent } from './mail-content.ts';
import type { Batch, MailKind, OutgoingMail } from './outgoing-mails.model.ts';

/** A mail as it is to go out, under an id that each attempt has again. */
export interface Composed {
  id: string;
  /** Where it goes, if not to the account's own address. */
  to?: string;
  content: MailContent;
}

/** What is mailed, and what becomes of it. */
export interface MailType {
  readonly kind: MailKind;
  /** Milliseconds between one mail to an account and the next. */
  readonly window: Duration;
  /** Whether it may go to the account's address as that stands now. */
  mayGoTo(owner: Account): boolean;
  /** The folded address of the next mail, where its kind has a limit per mailbox; undefined when none is to go out. */
  mailbox?(owner: Account, mail: OutgoingMail): Promise<string | undefined>;
  /** What the next mail tells of; undefined when there is nothing to send. */
  members(account: string): Promise<string[] | undefined>;
  /** The same for the same batch; undefined when there is nothing to tell any more. */
  compose(owner: Account, batch: Batch, mail: OutgoingMail): Promise<Composed | undefined>;
  /** Before the batch leaves the queue, and again after a crash in between. */
  sent(batch: Batch, at: Date): Promise<void>;
  failed(batch: Batch, error: string): Promise<void>;
  forget(account: string, members?: readonly string[]): Promise<void>;
}
