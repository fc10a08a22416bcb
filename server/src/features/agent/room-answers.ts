import type { MessageAdded } from '@parlor/shared';
import type { Logger } from 'pino';
import { EVER } from '../../database/has-come.ts';
import type { EventConsumer } from '../../events/relay.ts';
import type { AskedFrom } from '../../http/asked-from.ts';
import { ignoreMissing, notFound } from '../../platform/errors.ts';
import { Sweeper } from '../../platform/sweeper.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import { type AwaitsAnswer, NOT_AWAITED } from '../messages/answer.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import type { BotState } from '../rooms/bot-state.ts';
import type { RoomModel, StoredRoom } from '../rooms/rooms.model.ts';
import { AnswerLeases, leaseEnd } from './answer-leases.ts';
import { AnswersInHand, type WaitingMessage } from './answers-in-hand.ts';
import { type Asked, statusOf } from './asked.ts';
import { LeftRooms } from './left-rooms.ts';
import type { Publication } from './publication.ts';
import { joined, type Turns } from './turns.ts';
import { UnansweredMessages } from './unanswered-messages.ts';
import type { WorkflowsService } from './workflows.service.ts';

const RENEW_EVERY_MS = 2_000;
const SWEEP_EVERY_MS = 1_000;
/** A search reads all that waits behind what there is room for, and that may be a lot: others use the database, too. */
const SWEEP_SHARE = 0.1;

interface Parts {
  rooms: RoomModel;
  messages: MessageModel;
  workflows: Pick<WorkflowsService, 'roomBotOf' | 'byId'>;
  turns: Turns;
  publication: Publication;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
  askedFrom(client: string): AskedFrom;
  /** Milliseconds that a message's sender waits for the answer at most; 0: not at all (BOT_WAIT_MS). */
  patience: number;
  log: Logger;
}

/** Somebody who waits for an answer. */
interface Expected {
  answer: Promise<string | undefined>;
  settle(answer: string | undefined): void;
}

/** The bot does not answer this message: it is switched off, has ended, or has no workflow that is published. */
class NotAnswered extends Error {
  override name = 'NotAnswered';
}

/** It is answered after the next start, or by another process. */
class Stopped extends Error {
  override name = 'Stopped';
}

/** What is read of a message whose turn has come, and of its room. */
const ASKED = { body: 1, sent_at: 1, asked_from: 1, room_made_at: 1 } as const;
const ROOM = { is_bot_use: 1, created_at: 1, 'bot.workflow': 1 } as const;

/**
 * Answers visitors' messages in rooms with `is_bot_use` (docs/contract.md#agent-api). A message is stored
 * with the mark that it waits, and the mark goes with the answer, so that no answer is lost and none is given
 * twice. The outbox brings each message, and does not wait for the answer, which may take long.
 */
export class RoomAnswers {
  readonly #parts: Parts;
  /** Messages that are being answered here, or wait for it. */
  readonly #inHand = new AnswersInHand();
  readonly #leases: AnswerLeases;
  readonly #left = new LeftRooms();
  readonly #unanswered: UnansweredMessages;
  /** Senders that wait for the answer to their message. */
  readonly #expected = new Map<string, Expected>();
  readonly #sweepers: readonly Sweeper[];
  #stopped = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#leases = new AnswerLeases(parts.messages, this.#inHand);
    this.#unanswered = new UnansweredMessages(parts, this.#inHand);
    const { log } = parts;
    this.#sweepers = [
      new Sweeper({
        sweep: () => this.#leases.renew(),
        every: RENEW_EVERY_MS,
        log,
        failed: 'renewing the leases on answers failed',
      }),
      new Sweeper({
        sweep: () => this.#sweep(),
        every: SWEEP_EVERY_MS,
        share: SWEEP_SHARE,
        log,
        failed: 'searching for unanswered messages failed',
      }),
    ];
  }

  /** The bot of a room that is being made: it has said its greeting. Undefined when the account has none. */
  async greet(room: Pick<StoredRoom, '_id' | 'label' | 'account' | 'widget'>): Promise<BotState | undefined> {
    const { workflows, turns, log } = this.#parts;
    const workflow = await workflows.roomBotOf(room.account);
    if (!workflow) return undefined;
    const { _id, graph } = workflow;
    try {
      return await turns.begin(
        room,
        { workflow: _id, graph },
        {
          variables: [],
          greetsOnly: true,
          askedFrom: [],
        },
      );
    } catch (error) {
      // A room is made whatever its bot is like.
      log.error({ err: error, workflow: _id }, "a room's bot could not begin");
      return undefined;
    }
  }

  /**
   * A message to a bot is about to be stored, with the mark that it waits for an answer. Its sender may wait,
   * too; who sends it once more meanwhile waits together with the first.
   * @param client the sender's address
   */
  expect(
    message: string,
    client: string,
    { created_at }: Pick<StoredRoom, 'created_at'>,
  ): Required<AwaitsAnswer> {
    if (this.#parts.patience > 0 && !this.#stopped && !this.#expected.has(message)) {
      let settle: Expected['settle'] = () => undefined;
      const answer = new Promise<string | undefined>((resolve) => {
        settle = resolve;
      });
      this.#expected.set(message, { answer, settle });
      setTimeout(() => this.#resolve(message, undefined), this.#parts.patience).unref();
    }
    const asked_from = [...this.#parts.askedFrom(client)];
    return { answer_due: leaseEnd(), asked_from, room_made_at: created_at };
  }

  /** The answer to a message that was expected, or undefined when there is none in time. */
  async expected(message: string): Promise<string | undefined> {
    return this.#expected.get(message)?.answer;
  }

  /** Follows the outbox. */
  readonly consume: EventConsumer = async (events) => {
    // What older processes wrote without saying so, the sweep finds.
    const ids = events.filter(({ is_for_bot }) => is_for_bot).map(({ data }) => (data as MessageAdded).uuid);
    if (ids.length === 0) return;
    const waiting = await this.#parts.messages
      .find({ _id: { $in: ids }, answer_due: { $exists: true } }, { room: 1, account: 1 })
      .lean<WaitingMessage[]>();
    waiting.sort((a, b) => ids.indexOf(a._id) - ids.indexOf(b._id));
    for (const message of waiting) {
      if (this.#left.has(message.room) || !this.#inHand.hasRoomFor(message)) this.#left.add(message.room);
      else this.#answer(message);
    }
  };

  start(): void {
    for (const sweeper of this.#sweepers) sweeper.start();
  }

  /** Finishes what runs; what is left is answered after the next start. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#sweepers.map((sweeper) => sweeper.stop()));
    await this.#leases
      .release()
      .catch((error) =>
        this.#parts.log.warn({ err: error }, 'giving the leases on answers back failed; they run out'),
      );
    await Promise.all(this.#inHand.runs);
    for (const message of this.#expected.keys()) this.#resolve(message, undefined);
  }

  #resolve(message: string, answer: string | undefined): void {
    this.#expected.get(message)?.settle(answer);
    this.#expected.delete(message);
  }

  #answer(message: WaitingMessage): void {
    if (this.#stopped || this.#inHand.has(message._id)) return;
    const { messages, turns, log } = this.#parts;
    const run = turns
      .take(message, () => this.#prepare(message))
      .catch(ignoreMissing)
      .then((taken) => {
        if (!taken) throw new NotAnswered();
        this.#resolve(message._id, joined(taken.messages));
      })
      .catch(async (error) => {
        this.#resolve(message._id, undefined);
        if (error instanceof Stopped) return;
        if (!(error instanceof NotAnswered)) throw error;
        await messages.updateOne({ _id: message._id }, { $unset: NOT_AWAITED });
      })
      // It stays marked, and is tried again when the lease has run out.
      .catch((error) => log.warn({ err: error, message: message._id }, 'answering a message failed'))
      .finally(() => this.#inHand.delete(message));
    this.#inHand.add(message, run);
  }

  /** Reads what is to be answered, once its turn has come. */
  async #prepare({ _id: uuid, room: roomId }: WaitingMessage): Promise<Asked> {
    if (this.#stopped) throw new Stopped();
    this.#inHand.begin(uuid);
    const { rooms, messages, workflows } = this.#parts;
    const message = await messages.findOne({ _id: uuid }, ASKED).lean<StoredMessage>();
    const room = await rooms.findOne({ _id: roomId }, ROOM).lean<StoredRoom>();
    if (!message || !room?.is_bot_use) throw new NotAnswered();
    const { body, sent_at, asked_from = [], room_made_at: roomMadeAt = room.created_at } = message;
    if (room.created_at.getTime() !== roomMadeAt.getTime()) throw new NotAnswered();
    const { workflow } = room.bot ?? (await this.#beginLate(roomId)) ?? {};
    if (workflow === undefined) throw new NotAnswered();
    const asked = { uuid, text: body, askedFrom: asked_from, sentAt: sent_at };
    return {
      incoming: { ...asked, roomMadeAt, isRepeatable: true },
      standing: {
        look: async () => {
          if (!(await workflows.byId(workflow))?.is_published) throw notFound();
        },
        check: (current) => {
          if (statusOf(current) !== 'active') throw new NotAnswered();
        },
      },
    };
  }

  /** The bot of a room that was switched on, or got its workflow, after the room was made. */
  async #beginLate(roomId: string): Promise<BotState | undefined> {
    const { rooms, publication } = this.#parts;
    const room = await rooms.findOne({ _id: roomId }).lean<StoredRoom>();
    const bot = room && (room.bot ?? (await this.greet(room)));
    if (!bot || room.bot) return room?.bot;
    const without = { _id: room._id, created_at: room.created_at, bot: { $exists: false } };
    const { modifiedCount } = await rooms.updateOne(without as never, { $set: { bot } } as never);
    if (modifiedCount === 1) await publication.publish({ ...room, bot });
    return bot;
  }

  /** Takes over what a process left behind when it died, and what there was no room for. @returns whether that was any */
  async #sweep(): Promise<boolean> {
    let isAny = false;
    for await (const message of this.#unanswered.take()) {
      isAny = true;
      this.#answer(message);
    }
    await this.#left.forget((rooms) =>
      this.#parts.messages.distinct('room', {
        answer_due: { $gt: EVER },
        room: { $in: rooms },
        _id: { $nin: this.#inHand.ids },
      }),
    );
    return isAny;
  }
}
