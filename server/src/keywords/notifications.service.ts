import { type CreatedMessage, KeywordNotification, Transcript } from '@parlor/shared';
import { v5 } from 'uuid';
import { present } from '../database/document.ts';
import { insertOnce } from '../database/insert.ts';
import { findPage, type Page } from '../database/pages.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import { newEvent, type OutboxEvent } from '../outbox/events.ts';
import type { Relay } from '../outbox/relay.ts';
import type { NotificationModel, StoredNotification } from './keywords.model.ts';
import type { KeywordsService } from './keywords.service.ts';

/** How much of the conversation a notification tells (contract 3). */
const TRANSCRIPTS = 20;

type MessageAdded = CreatedMessage & { room: { uuid: string } };

/** Keyword notifications: a customer's message mentioned configured keywords (contract 3). */
export class NotificationsService {
  readonly #notifications: NotificationModel;
  readonly #messages: MessageModel;
  readonly #keywords: Pick<KeywordsService, 'mentionedIn'>;
  readonly #relay: Pick<Relay, 'announce'>;

  constructor(
    notifications: NotificationModel,
    messages: MessageModel,
    keywords: Pick<KeywordsService, 'mentionedIn'>,
    relay: Pick<Relay, 'announce'>,
  ) {
    this.#notifications = notifications;
    this.#messages = messages;
    this.#keywords = keywords;
    this.#relay = relay;
  }

  list(account: string, page: Page): Promise<StoredNotification[]> {
    return findPage(this.#notifications, { account }, 'created_at', page);
  }

  /**
   * Follows the events of one account: raises one notification for each customer's message that mentions
   * keywords. Its uuid derives from the message's, so that an event that comes twice raises it once.
   */
  async raise(events: readonly OutboxEvent[]): Promise<void> {
    const asked = events
      .filter(({ name }) => name === 'message.added')
      .map(({ account, data }) => ({ account, message: data as MessageAdded }))
      .filter(({ message }) => !message.is_support_sender);
    const account = asked[0]?.account;
    if (account === undefined) return;
    const mentioned = await this.#keywords.mentionedIn(
      account,
      asked.map(({ message }) => message.body),
    );
    for (const [index, { message }] of asked.entries()) {
      const keywords = mentioned[index] ?? [];
      if (keywords.length > 0) await this.#raise(account, message, keywords);
    }
  }

  /** The notification has reached somebody for the first time. */
  async markSent(uuid: string, at: Date): Promise<void> {
    await this.#notifications.updateOne({ _id: uuid, sent_at: null }, { $set: { sent_at: at } });
  }

  /** What a visitor who wants to be forgotten asked for. */
  async deleteOfRoom(room: string): Promise<void> {
    await this.#notifications.deleteMany({ room });
  }

  async #raise(account: string, message: MessageAdded, keywords: string[]): Promise<void> {
    const created_at = new Date();
    const notification: StoredNotification = {
      _id: v5('keyword_notification', message.uuid),
      customer_request: message.body,
      keywords,
      nickname: message.nickname,
      email: message.email,
      transcripts: await this.#transcripts(message),
      created_at,
      sent_at: null,
      account,
      room: message.room.uuid,
    };
    notification.events = [
      newEvent('keyword_notification.added', account, created_at, presentNotification(notification)),
    ];
    const { isNew } = await insertOnce(this.#notifications, notification);
    if (isNew) this.#relay.announce(this.#notifications, notification);
  }

  /** The last messages of the room up to and with this one, which may be deleted already. */
  async #transcripts(message: MessageAdded): Promise<Transcript[]> {
    const sent_at = new Date(message.sent_at);
    const before = await this.#messages
      .find({
        room: message.room.uuid,
        sent_at: { $lte: sent_at },
        $or: [{ sent_at: { $lt: sent_at } }, { _id: { $lt: message.uuid } }],
      })
      .sort({ sent_at: -1, _id: -1 })
      .limit(TRANSCRIPTS - 1)
      .lean<StoredMessage[]>();
    return [...before.reverse(), message].map((line) => present(Transcript, line));
  }
}

/** The API's form of a notification. */
export const presentNotification = (notification: StoredNotification): KeywordNotification =>
  present(KeywordNotification, notification);
