import type { KeywordNotification } from '@parlor/shared';
import { EVER } from '../../database/has-come.ts';
import type { OutboxEvent } from '../../events/events.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Account } from '../accounts/accounts.model.ts';
import { digestMail, MAX_LISTED } from './digest-mail.ts';
import type { MailContent } from './mail-content.ts';
import type { MailQueue } from './mail-queue.ts';
import type { Composed, MailType } from './mail-type.ts';
import type { MailModel, StoredMail } from './mails.model.ts';
import { notificationMail } from './notification-mail.ts';
import type { Batch } from './outgoing-mails.model.ts';

/** How many notifications one digest is about: as many as an account gets in a day, by default. */
const MAX_MEMBERS = 1_000;

/** The age at which a notification is not mailed any more, as to an address that nobody confirms. */
const WAITS_FOR_MS = 7 * 86_400_000;

/** What is remembered of one that was mailed or given up, so that its event makes no second mail. */
const KEPT_FOR_MS = 30 * 86_400_000;

/** Notifications as they stand when they are mailed. */
export interface NotificationsForMail {
  /** Of these, the ones that still exist, oldest first: their number, and the first ones. */
  told(
    account: string,
    uuids: readonly string[],
    limit: number,
  ): Promise<{ count: number; first: KeywordNotification[] }>;
  /** They were mailed; told before that is written down here, and again after a crash in between. */
  markSent(uuids: readonly string[], at: Date): Promise<void>;
}

/**
 * Keyword notifications, mailed to the address of their account: the first one at once, and what follows within the
 * window together. A row for each is made before the event leaves its document.
 */
export class Digests implements MailType {
  readonly kind = 'digest';
  readonly window: Duration;
  readonly #mails: MailModel;
  readonly #queue: MailQueue;
  readonly #notifications: NotificationsForMail;

  constructor(
    parts: { mails: MailModel; queue: MailQueue; notifications: NotificationsForMail },
    window: Duration,
  ) {
    this.#mails = parts.mails;
    this.#queue = parts.queue;
    this.#notifications = parts.notifications;
    this.window = window;
  }

  /** Follows the events of one account. @returns whether there is something to mail */
  async consume(events: readonly OutboxEvent[]): Promise<boolean> {
    const raised = events.filter(({ name }) => name === 'keyword_notification.added');
    const [first] = raised;
    if (!first) return false;
    const now = new Date();
    const row = {
      account: first.account,
      state: 'pending' as const,
      created_at: now,
      expires_at: new Date(now.getTime() + WAITS_FOR_MS),
    };
    let isNew = false;
    for (const { data } of raised) {
      const { uuid } = data as KeywordNotification;
      const { upsertedCount } = await this.#mails.updateOne(
        { _id: uuid },
        { $setOnInsert: row },
        { upsert: true },
      );
      isNew ||= upsertedCount > 0;
    }
    // Also when none is new: whoever made the rows may have died before this.
    await this.request(first.account);
    return isNew;
  }

  /** A mail of what waits is to go out, if anything does. */
  request(account: string): Promise<void> {
    return this.#queue.request(account, this.kind, { window: this.window });
  }

  /** Takes over what an older version has left, a row with a time of its own for each mail. */
  async adopt(): Promise<void> {
    const old = { due_at: { $gt: EVER } };
    for (;;) {
      const mail = await this.#mails.findOne(old, { account: 1 }).lean<StoredMail>();
      if (!mail) return;
      await this.request(mail.account);
      const expires_at = new Date(Date.now() + WAITS_FOR_MS);
      await this.#mails.updateMany(
        { ...old, account: mail.account },
        { $set: { expires_at }, $unset: { due_at: 1, claim: 1, tries: 1 } },
      );
    }
  }

  mayGoTo({ email_confirmed_at }: Account): boolean {
    return email_confirmed_at !== null;
  }

  async members(account: string): Promise<string[] | undefined> {
    const waiting = await this.#mails
      .find({ account, state: 'pending' }, { _id: 1 })
      .sort({ created_at: 1 })
      .limit(MAX_MEMBERS)
      .lean<StoredMail[]>();
    return waiting.length > 0 ? waiting.map(({ _id }) => _id) : undefined;
  }

  async compose({ _id, username }: Account, { id, members }: Batch): Promise<Composed | undefined> {
    const { count, first } = await this.#notifications.told(_id, members, MAX_LISTED);
    const [only] = first;
    if (!only) return undefined;
    const isOne = members.length === 1;
    const content: MailContent = isOne
      ? notificationMail(only, username)
      : digestMail(first, count - first.length, username);
    return { id: isOne ? `keyword-notification.${only.uuid}` : `keyword-digest.${id}`, content };
  }

  async sent({ members }: Batch, at: Date): Promise<void> {
    await this.#notifications.markSent(members, at);
    await this.#settle({ _id: { $in: members } }, { state: 'sent' });
  }

  async failed({ members }: Batch, error: string): Promise<void> {
    await this.#settle({ _id: { $in: members }, state: 'pending' }, { state: 'failed', error });
  }

  /** There is nobody to tell, or nothing, any more. */
  async forget(account: string, members?: readonly string[]): Promise<void> {
    await this.#mails.deleteMany({ account, ...(members && { _id: { $in: members as string[] } }) });
  }

  async #settle(filter: object, set: Pick<StoredMail, 'state' | 'error'>): Promise<void> {
    const expires_at = new Date(Date.now() + KEPT_FOR_MS);
    await this.#mails.updateMany(filter, { $set: { ...set, expires_at } });
  }
}
