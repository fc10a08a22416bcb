import {
  KeywordNotification,
  MAX_NAMED_KEYWORDS,
  type MessageAdded,
  type RoomReference,
} from '@parlor/shared';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { v5 } from 'uuid';
import type { Budgets } from '../../database/budgets.ts';
import { present } from '../../database/document.ts';
import { insertOnce } from '../../database/insert.ts';
import { type Page, readPages } from '../../database/pages.ts';
import { newEvent, type OutboxEvent } from '../../events/events.ts';
import type { Relay } from '../../events/relay.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import { partsOf } from '../../platform/parts.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import { type Asked, conversationsUpTo } from './conversations.ts';
import { DailyCap } from './daily-cap.ts';
import type { NotificationModel, StoredNotification } from './keywords.model.ts';
import type { KeywordsService, Mentioned } from './keywords.service.ts';
import { isFull, LINE_FIELDS, LINES_THAT_FILL, type Line, transcriptOf } from './transcript.ts';

/** Notifications whose messages are read together: at most 500 of these are in memory at a time. */
export const READ_TOGETHER = 25;

/** Accounts whose conversations are read at a time, to raise notifications of them. */
const readInTurn = pLimit(2);

/** A customer's message that mentions keywords. */
interface Hit extends Asked {
  email: string;
  label: string;
  mentioned: Mentioned;
  askedFrom: AskedFrom;
}

interface Parts {
  notifications: NotificationModel;
  messages: MessageModel;
  rooms: Pick<RoomsService, 'references'>;
  keywords: Pick<KeywordsService, 'mentionedIn'>;
  relay: Pick<Relay, 'announce'>;
  budgets: Pick<Budgets, 'add' | 'used'>;
  /** How many an account may get in a UTC day; 0: any number (KEYWORD_NOTIFICATIONS_PER_DAY). */
  perDay: number;
  log: Logger;
}

/**
 * Keyword notifications: a customer's message mentioned configured keywords. What is stored refers to messages, and
 * the words stand in those alone; an event tells of 2 kB of the conversation.
 */
export class NotificationsService {
  readonly #parts: Parts;
  readonly #cap: DailyCap;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#cap = new DailyCap(parts, parts.perDay, parts.log);
  }

  list(account: string, page: Page): AsyncGenerator<StoredNotification[]> {
    return readPages(this.#parts.notifications, { account }, 'created_at', page);
  }

  /** The API's form of an account's notifications, in their order, from the messages and rooms that still exist. */
  async present(stored: readonly StoredNotification[]): Promise<KeywordNotification[]> {
    const presented: KeywordNotification[] = [];
    const inRooms = stored.map(({ room }) => room);
    const rooms = await this.#parts.rooms.references(stored[0]?.account ?? '', inRooms);
    for (let from = 0; from < stored.length; from += READ_TOGETHER) {
      const some = stored.slice(from, from + READ_TOGETHER);
      const known = await this.#messagesOf(some);
      for (const notification of some) {
        const room = rooms.get(notification.room) ?? null;
        presented.push(presentNotification(notification, known, room));
      }
    }
    return presented;
  }

  /** Of these uuids those that still exist: their number, and the first ones, oldest first, in the API's form. */
  async told(
    account: string,
    uuids: readonly string[],
    limit: number,
  ): Promise<{ count: number; first: KeywordNotification[] }> {
    const those = { _id: { $in: uuids as string[] }, account };
    const stored = await this.#parts.notifications
      .find(those)
      .sort({ created_at: 1, _id: 1 })
      .limit(limit)
      .lean<StoredNotification[]>();
    const isAll = stored.length < limit;
    const count = isAll ? stored.length : await this.#parts.notifications.countDocuments(those);
    return { count, first: await this.present(stored) };
  }

  /**
   * Follows the events of one account: raises one notification for each customer's message that mentions
   * keywords. Its uuid derives from the message's, so that an event that comes twice raises it once.
   */
  async raise(events: readonly OutboxEvent[]): Promise<void> {
    const asked = events
      .filter(({ name }) => name === 'message.added')
      .map(({ account, data, asked_from = [] }) => ({
        account,
        message: data as MessageAdded,
        askedFrom: asked_from,
      }))
      .filter(({ message }) => !message.is_support_sender);
    const account = asked[0]?.account;
    if (account === undefined) return;
    const mentioned = await this.#parts.keywords.mentionedIn(
      account,
      asked.map(({ message }) => message.body),
    );
    const hits = asked.flatMap(({ message, askedFrom }, index) => {
      const found = mentioned[index];
      return found && found.count > 0 ? [hitOf(message, found, askedFrom)] : [];
    });
    const wanted = hits.map((hit) => ({
      uuid: notificationOf(hit._id),
      room: hit.room,
      askedFrom: hit.askedFrom,
      hit,
    }));
    const allowed = await this.#cap.allowed(account, wanted);
    for (const part of partsOf(allowed, () => 1, READ_TOGETHER)) {
      const some = part.map(({ hit }) => hit);
      await readInTurn(() => this.#raise(account, some));
    }
  }

  /**
   * The notifications have reached somebody for the first time.
   * @param account whose they have to be, where a delivery names them: an import may have brought its body
   */
  async markSent(uuids: readonly string[], at: Date, account?: string): Promise<void> {
    const unsent = {
      _id: { $in: uuids as string[] },
      sent_at: null,
      ...(account !== undefined && { account }),
    };
    await this.#parts.notifications.updateMany(unsent, { $set: { sent_at: at } });
  }

  async #raise(account: string, hits: readonly Hit[]): Promise<void> {
    const { notifications, messages, relay } = this.#parts;
    const conversations = await conversationsUpTo(messages, hits);
    const created_at = new Date();
    const made = hits.map((hit) => {
      const lines = conversations.get(hit._id) ?? [hit];
      const notification: StoredNotification = {
        _id: notificationOf(hit._id),
        account,
        room: hit.room,
        messages: lines.map(({ _id }) => _id),
        keywords: hit.mentioned.named,
        keyword_count: hit.mentioned.count,
        created_at,
        event_at: hit.sent_at,
        sent_at: null,
      };
      const data = presentFrom(notification, hit, lines, { uuid: hit.room, label: hit.label });
      const event = newEvent('keyword_notification.added', account, created_at, data, hit);
      notification.events = [{ ...event, said_at: hit.sent_at }];
      return notification;
    });
    const inserted = await Promise.all(made.map((notification) => insertOnce(notifications, notification)));
    const isNew = (_: unknown, index: number) => inserted[index]?.isNew === true;
    for (const notification of made.filter(isNew)) relay.announce(notifications, notification);
    await this.#cap.raised(account, hits.filter(isNew), created_at);
  }

  /**
   * The messages that tell of these notifications. The latest ones come first: where they are long, those before them
   * would not be shown.
   */
  async #messagesOf(notifications: readonly StoredNotification[]): Promise<Map<string, StoredMessage>> {
    const known = new Map<string, StoredMessage>();
    const latest = (messages: readonly string[]) => messages.slice(-LINES_THAT_FILL);
    await this.#read(notifications, latest, known);
    const short = notifications.filter(({ messages = [] }) => !isFull(linesOf(latest(messages), known)));
    await this.#read(short, (messages) => messages.slice(0, -LINES_THAT_FILL), known);
    return known;
  }

  async #read(
    notifications: readonly StoredNotification[],
    some: (messages: readonly string[]) => string[],
    known: Map<string, StoredMessage>,
  ): Promise<void> {
    const ids = new Set(notifications.flatMap(({ messages = [] }) => some(messages)));
    const wanted = [...ids].filter((uuid) => !known.has(uuid));
    const account = notifications[0]?.account;
    if (wanted.length === 0 || account === undefined) return;
    const found = await this.#parts.messages
      .find({ _id: { $in: wanted }, account }, { ...LINE_FIELDS, email: 1 })
      .lean<StoredMessage[]>();
    for (const message of found) known.set(message._id, message);
  }
}

const linesOf = (messages: readonly string[], known: ReadonlyMap<string, StoredMessage>): StoredMessage[] =>
  messages.flatMap((uuid) => known.get(uuid) ?? []);

/** The uuid of the notification that a message raises. */
export const notificationOf = (message: string): string => v5('keyword_notification', message);

const hitOf = (message: MessageAdded, mentioned: Mentioned, askedFrom: AskedFrom): Hit => {
  const { uuid, nickname, email, body, is_support_sender, sent_at, room } = message;
  return {
    _id: uuid,
    room: room.uuid,
    label: room.label,
    sent_at: new Date(sent_at),
    ...{ nickname, email, body, is_support_sender, mentioned, askedFrom },
  };
};

const presentFrom = (
  notification: StoredNotification,
  { body, nickname, email }: Pick<StoredMessage, 'body' | 'nickname' | 'email'>,
  lines: readonly Line[],
  room: RoomReference | null,
): KeywordNotification => {
  const words = { customer_request: body, nickname, email, transcripts: transcriptOf(lines), room };
  return present(KeywordNotification, notification, { ...words, ...namedOf(notification) });
};

/** Of one of an older version, which names all of its keywords, the first ones. */
const namedOf = ({ keywords, keyword_count = keywords.length }: StoredNotification) => ({
  keywords: keywords.slice(0, MAX_NAMED_KEYWORDS),
  keyword_count,
});

const GONE = { body: '', nickname: '', email: '' };

const presentNotification = (
  notification: StoredNotification,
  known: ReadonlyMap<string, StoredMessage>,
  room: RoomReference | null,
): KeywordNotification => {
  const { messages } = notification;
  // One of an older version, which kept the words themselves.
  if (!messages) return present(KeywordNotification, notification, { room, ...namedOf(notification) });
  const lines = linesOf(messages, known);
  return presentFrom(notification, known.get(messages.at(-1) ?? '') ?? GONE, lines, room);
};
