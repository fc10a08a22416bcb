import { type Author, Message, MessageInRoom, type NewMessage } from '@parlor/shared';
import { present } from '../../database/document.ts';
import { findBy } from '../../database/find-by.ts';
import { insertOnce } from '../../database/insert.ts';
import type { Page } from '../../database/pages.ts';
import type { Relay } from '../../events/relay.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import type { List } from '../../http/lists.ts';
import { invalid, missingObject, notFound } from '../../platform/errors.ts';
import { newUuid } from '../../platform/ids.ts';
import type { AsWritten } from '../members/avatars/current-avatars.ts';
import { inView, isInView, type View, wholeAccount } from '../members/view.ts';
import type { PlainRoom } from '../rooms/rooms.model.ts';
import type { RoomsService } from '../rooms/rooms.service.ts';
import type { Visitor } from '../visitors/sessions.service.ts';
import { addedMessage } from './added-message.ts';
import type { AwaitsAnswer } from './answer.ts';
import { latestMessages, readMessages } from './latest-messages.ts';
import { MessageTimes } from './message-times.ts';
import type { MessageModel, StoredMessage } from './messages.model.ts';

type WrittenInRoom = AsWritten<MessageInRoom>;

const inRoom = (
  message: Omit<StoredMessage, 'events'>,
  { _id, label }: Pick<PlainRoom, '_id' | 'label'>,
): WrittenInRoom => present<WrittenInRoom>(MessageInRoom, message, { room: { uuid: _id, label } });

/** No message. */
async function* none(): AsyncGenerator<StoredMessage[]> {}

const unknownRoom = (uuid: string) => invalid({ room: { uuid: [missingObject(uuid)] } });

/** The answers of rooms' bots (docs/contract.md#message, `support_answer`). */
export interface BotAnswers {
  /** A message to a bot, from a client's address, is about to be stored with this mark, which the answer takes away. */
  expect(message: string, client: string, room: Pick<PlainRoom, 'created_at'>): Required<AwaitsAnswer>;
  /** The answer to such a message, or undefined when there is none in time. */
  expected(message: string): Promise<string | undefined>;
}

/** The request that sends a message: the client's address, and the uuid that it wants it to have, if any. */
interface Sent {
  client: string;
  uuid: string | undefined;
}

/** The messages of a page, and how a list shows them but for their authors' pictures. */
interface MessageList extends Pick<List<StoredMessage>, 'steps'> {
  present(found: StoredMessage[]): (WrittenInRoom | undefined)[] | Promise<(WrittenInRoom | undefined)[]>;
}

/** What of a message says where in which conversation it stands. */
const PLACE = { account: 1, room: 1, sent_at: 1 } as const;
type MessagePlace = Pick<StoredMessage, '_id' | keyof typeof PLACE>;

export type MessageOutline = Pick<StoredMessage, '_id' | 'is_support_sender' | 'is_bot' | 'sent_at'>;

/** Messages: what either side of a conversation wrote (docs/contract.md#message). */
export class MessagesService {
  readonly times: MessageTimes;
  readonly #messages: MessageModel;
  readonly #byId: (uuid: string) => Promise<Omit<StoredMessage, 'events'> | undefined>;
  readonly #placeOf: (uuid: string) => Promise<MessagePlace | undefined>;
  readonly #rooms: RoomsService;
  readonly #relay: Pick<Relay, 'announce'>;
  readonly #askedFrom: (client: string) => AskedFrom;
  #answers: BotAnswers | undefined;

  constructor(
    messages: MessageModel,
    rooms: RoomsService,
    relay: Pick<Relay, 'announce'>,
    askedFrom: (client: string) => AskedFrom,
  ) {
    this.#messages = messages;
    this.times = new MessageTimes(messages);
    this.#byId = findBy(messages, '_id', { events: 0 });
    this.#placeOf = findBy(messages, '_id', PLACE);
    this.#rooms = rooms;
    this.#relay = relay;
    this.#askedFrom = askedFrom;
  }

  /** From now on these answer messages to bots. */
  useBots(answers: BotAnswers): void {
    this.#answers = answers;
  }

  /**
   * Stores a message of the account's own, with its message.added event in the same write.
   * @param viewNow says what is seen by whoever writes it, also once it has waited to take the room over
   * @param by the member who wrote it, which counts where it is support; its name stands for a missing nickname
   * @param gone the member waits no longer: a room that it has not taken over yet stays as it is
   * @throws ParlorError `invalid` when no such room is in view, what `viewNow` throws, and as `RoomsService.endBot` does
   */
  async create(
    viewNow: () => Promise<View>,
    given: NewMessage,
    { by, gone, ...request }: Sent & { by?: Author; gone?: AbortSignal },
  ): Promise<StoredMessage> {
    const author = given.is_support_sender ? by : undefined;
    const input = author ? Object.assign({}, given, { nickname: given.nickname || author.name }) : given;
    const room = await this.roomFor(await viewNow(), input);
    const stillSees = async () => {
      if (!isInView(await viewNow(), room)) throw unknownRoom(room._id);
    };
    // Before the message is there: from then on no bot may speak up behind it.
    if (input.is_support_sender && room.is_bot_use) await this.#rooms.endBot(room, stillSees, gone);
    return this.#insert(room, input, request, { author });
  }

  /** The room that a message is for. @throws ParlorError `invalid` when no such room is in view */
  async roomFor(view: View, { room }: Pick<NewMessage, 'room'>): Promise<PlainRoom> {
    const found = await this.#rooms.byUuid(view, room.uuid);
    if (!found) throw unknownRoom(room.uuid);
    return found;
  }

  /**
   * Stores a visitor's message; its first one makes the room that its session reserved
   * (docs/contract.md#visitors).
   * @throws ParlorError `invalid` when the room is not the visitor's own, or it would write as support.
   */
  async createByVisitor(visitor: Visitor, input: NewMessage, request: Sent): Promise<StoredMessage> {
    if (input.room.uuid !== visitor.session.room) throw unknownRoom(input.room.uuid);
    if (input.is_support_sender)
      throw invalid({ is_support_sender: ['A visitor may not write as support.'] });
    const room = await this.#rooms.ofVisitor(visitor);
    return this.#insert(room, input, request, { askedFrom: this.#askedFrom(request.client) });
  }

  /** The messages in view, or those of one room of them, newest first, and how a list shows them. */
  async list(view: View, uuid: string | undefined, page: Page): Promise<MessageList> {
    if (uuid === undefined) {
      const steps = readMessages(this.#messages, inView(view), page);
      return { steps, present: (found) => this.#present(view.account, found) };
    }
    const room = await this.#rooms.byUuid(view, uuid);
    // By the room alone, so that no database can choose the account's index and search it for a small room.
    const steps = room ? readMessages(this.#messages, { room: uuid }, page) : none();
    return { steps, present: (found) => found.map((message) => room && inRoom(message, room)) };
  }

  /**
   * A message with its room, and where a bot answers there, with the bot's answer, which may have 256 KiB: for a few at once.
   * @throws ParlorError `not_found`, also for a message out of view.
   */
  async shown(view: View, uuid: string): Promise<WrittenInRoom & Pick<StoredMessage, 'support_answer'>> {
    const message = await this.#byId(uuid);
    if (!message || !isInView(view, message)) throw notFound();
    const room = await this.#rooms.byUuid(wholeAccount(message.account), message.room);
    if (!room) throw notFound();
    const { support_answer, is_support_sender } = message;
    const answer = support_answer ?? (room.is_bot_use && !is_support_sender ? '' : undefined);
    return { ...inRoom(message, room), ...(answer !== undefined && { support_answer: answer }) };
  }

  /** Where a message of the account stands. */
  async placeOf(account: string, uuid: string): Promise<MessagePlace | undefined> {
    const message = await this.#placeOf(uuid);
    return message?.account === account ? message : undefined;
  }

  /**
   * Messages of one account as lists show them, each with its room. In the place of one whose room has just been
   * deleted, and which follows it at once, is undefined.
   */
  async #present(account: string, found: readonly StoredMessage[]): Promise<(WrittenInRoom | undefined)[]> {
    const rooms = await this.#rooms.references(
      account,
      found.map(({ room }) => room),
    );
    return found.map((message) => {
      const room = rooms.get(message.room);
      return room && present<WrittenInRoom>(MessageInRoom, message, { room });
    });
  }

  /** The bot's answer to a message that was just created, when it comes within BOT_WAIT_MS. */
  async answerInTime({ _id, support_answer }: StoredMessage): Promise<string | undefined> {
    return support_answer ?? (await this.#answers?.expected(_id));
  }

  /** The latest `limit` messages of a room, as many of them as a response holds, in the order sent. */
  async latestOf(room: string, limit: number): Promise<AsWritten<Message>[]> {
    return (await latestMessages(this.#messages, room, limit)).map(presentMessage);
  }

  /** Who wrote the latest `limit` messages of a room, and when; newest first. */
  outlineOf(room: string, limit: number): Promise<MessageOutline[]> {
    return this.#messages
      .find({ room }, { is_support_sender: 1, is_bot: 1, sent_at: 1 })
      .sort({ sent_at: -1, _id: -1 })
      .limit(limit)
      .lean<MessageOutline[]>()
      .exec();
  }

  async #insert(
    room: PlainRoom,
    input: NewMessage,
    { client, uuid = newUuid() }: Sent,
    by: { author?: Author | undefined; askedFrom?: AskedFrom },
  ): Promise<StoredMessage> {
    const { room: _, ...fields } = input;
    const isForBot = room.is_bot_use && !input.is_support_sender;
    const mark = isForBot ? this.#answers?.expect(uuid, client, room) : {};
    const message = addedMessage(
      room,
      {
        _id: uuid,
        ...fields,
        is_bot: false,
        sent_at: await this.times.next(room._id),
        ...mark,
      },
      by,
    );
    const { stored, isNew } = await insertOnce(this.#messages, message);
    // One that was stored before, without a reply, may be waiting still: what follows it is not to overtake it.
    this.#relay.announce(this.#messages, isNew ? message : stored);
    return stored;
  }
}

/** A message as a Room shows it. */
const presentMessage = (message: StoredMessage): AsWritten<Message> => present(Message, message);
