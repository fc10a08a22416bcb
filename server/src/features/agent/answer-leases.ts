import type { Duration } from '../../platform/duration.ts';
import type { MessageModel } from '../messages/messages.model.ts';
import type { AnswersInHand } from './answers-in-hand.ts';

/** The lease on an answer: a process that has not renewed it by then is taken for dead. */
export const LEASE_MS = 6_000;
/** That on a message that waits in a line: each renewal writes the whole message, and many may wait for long. */
export const WAITING_LEASE_MS = 30_000;

/** When a lease ends that is taken now. */
export const leaseEnd = (ms: Duration = LEASE_MS): Date => new Date(Date.now() + ms);

/** The leases on the messages that a process has in hand. */
export class AnswerLeases {
  readonly #messages: MessageModel;
  readonly #inHand: AnswersInHand;

  constructor(messages: MessageModel, inHand: AnswersInHand) {
    this.#messages = messages;
    this.#inHand = inHand;
  }

  /** Keeps those on that would end soon. */
  async renew(): Promise<void> {
    await this.#lease(this.#inHand.begun, LEASE_MS);
    const now = performance.now();
    const waiting = this.#inHand.waitingUntil(now + WAITING_LEASE_MS / 2);
    await this.#lease(waiting, WAITING_LEASE_MS);
    this.#inHand.hold(waiting, now + WAITING_LEASE_MS);
  }

  /** What waits in a line is anybody's from now on. */
  release(): Promise<void> {
    return this.#lease(this.#inHand.waitingUntil(Number.POSITIVE_INFINITY), 0);
  }

  async #lease(ids: string[], ms: Duration): Promise<void> {
    if (ids.length === 0) return;
    const own = { _id: { $in: ids }, answer_due: { $exists: true } };
    await this.#messages.updateMany(own, { $set: { answer_due: leaseEnd(ms) } });
  }
}
