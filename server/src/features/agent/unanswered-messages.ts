import { hasCome, latestDue } from '../../database/has-come.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { MessageModel, StoredMessage } from '../messages/messages.model.ts';
import { leaseEnd, WAITING_LEASE_MS } from './answer-leases.ts';
import type { AnswersInHand, WaitingMessage } from './answers-in-hand.ts';

const BATCH = 100;

/** What is read of messages that wait. */
const FIELDS = { room: 1, account: 1, sent_at: 1, answer_due: 1 } as const;

type DueMessage = WaitingMessage & Pick<StoredMessage, 'sent_at' | 'answer_due'>;

interface Parts {
  messages: MessageModel;
  unfinishedImports: Pick<UnfinishedImports, 'without'>;
}

/** Messages that wait for a bot and that no process has in hand: one has died, or had no room for them. */
export class UnansweredMessages {
  readonly #parts: Parts;
  readonly #inHand: AnswersInHand;
  /** Accounts with messages that were passed: all behind them is looked at before these are again. */
  readonly #passed = new Set<string>();

  constructor(parts: Parts, inHand: AnswersInHand) {
    this.#parts = parts;
    this.#inHand = inHand;
  }

  /** Takes those, with a lease, that there is room for when they are asked for: those of one room in order. */
  async *take(): AsyncGenerator<WaitingMessage, void, void> {
    const due = await this.#due();
    const isWhole = due.length < BATCH;
    if (isWhole) this.#passed.clear();
    const before = await this.#firstElsewhere(due.map(({ room }) => room));
    const passedRooms = new Set<string>();
    for (const message of due) {
      const { _id, room, account, sent_at, answer_due } = message;
      if (this.#inHand.has(_id)) continue;
      const isLater = Number(sent_at) > (before.get(room) ?? Number.POSITIVE_INFINITY);
      if (isLater || passedRooms.has(room) || !this.#inHand.hasRoomFor(message)) {
        passedRooms.add(room);
        if (!isWhole) this.#passed.add(account);
        continue;
      }
      const lease = { $set: { answer_due: leaseEnd() } };
      const { modifiedCount } = await this.#parts.messages.updateOne({ _id, answer_due }, lease);
      if (modifiedCount === 1) yield message;
    }
  }

  async #due(): Promise<DueMessage[]> {
    const { messages, unfinishedImports } = this.#parts;
    const isDue = hasCome('answer_due', new Date(), WAITING_LEASE_MS);
    const isNotPassed = this.#passed.size > 0 ? { account: { $nin: [...this.#passed] } } : {};
    // The bots of what is imported are still to come.
    const due = await unfinishedImports.without((others) =>
      messages
        .find({ $and: [isDue, this.#inHand.others, isNotPassed, others] }, FIELDS)
        .sort({ answer_due: 1 })
        .limit(BATCH)
        .lean<DueMessage[]>()
        .exec(),
    );
    // Leases that were renewed together end together.
    return due.sort((a, b) => a.sent_at.getTime() - b.sent_at.getTime());
  }

  /** When the first message of each room was sent that another process answers, or is about to: what is later waits for it. */
  async #firstElsewhere(rooms: readonly string[]): Promise<Map<string, number>> {
    if (rooms.length === 0) return new Map();
    const leased = { $gt: new Date(), $lte: latestDue(WAITING_LEASE_MS) };
    const found = await this.#parts.messages
      .find({ room: { $in: rooms }, answer_due: leased, _id: { $nin: this.#inHand.ids } }, FIELDS)
      .sort({ sent_at: -1 })
      .lean<DueMessage[]>();
    return new Map(found.map(({ room, sent_at }) => [room, Number(sent_at)]));
  }
}
