import type { MessageModel } from './messages.model.ts';

/**
 * When messages are sent: each later than all that are in its room, though a clock was put back or the clocks of servers
 * differ. Lists, who waits for whom and what is unread go by that time.
 */
export class MessageTimes {
  readonly #messages: MessageModel;
  /** The latest time that was seen, of whichever process; before it a room may hold messages of later. */
  #latest = 0;

  constructor(messages: MessageModel) {
    this.#messages = messages;
  }

  /** Takes notice of the time of something that happened, here or elsewhere. */
  learn(at: Date): void {
    this.#latest = Math.max(this.#latest, at.getTime());
  }

  /** The time for the next message of a room. The database is asked only where the clock is behind. */
  async next(room: string): Promise<Date> {
    const now = Date.now();
    if (now >= this.#latest) {
      this.#latest = now;
      return new Date(now);
    }
    const last = await this.#messages.findOne({ room }, { sent_at: 1 }).sort({ sent_at: -1, _id: -1 }).lean();
    return new Date(Math.max(now, last ? last.sent_at.getTime() + 1 : 0));
  }
}
