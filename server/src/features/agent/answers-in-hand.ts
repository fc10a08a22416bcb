import { FairShares } from '../../platform/fair-shares.ts';
import type { StoredMessage } from '../messages/messages.model.ts';

/** Which message waits for its answer. */
export type WaitingMessage = Pick<StoredMessage, '_id' | 'room' | 'account'>;

/** Of all accounts together. */
const MAX_TOGETHER = 2_000;

/** Of a room, the one that is being answered among them: as many as wait in its line. */
const MAX_OF_ROOM = 19;

interface InHand {
  message: WaitingMessage;
  run: Promise<void>;
  /** Whether it is being answered. */
  hasBegun: boolean;
  /** Whoever waits in a line holds a longer lease, until then at least (`performance.now()`). */
  heldUntil: number;
}

/** Messages of which this process knows, by their ids alone: what they say is read when their turn has come. */
export class AnswersInHand {
  readonly #all = new Map<string, InHand>();
  readonly #ofAccounts = new FairShares(MAX_TOGETHER);
  readonly #ofRoom = new Map<string, number>();

  get ids(): string[] {
    return [...this.#all.keys()];
  }

  /** Those that are being answered. */
  get begun(): string[] {
    return [...this.#all].filter(([, { hasBegun }]) => hasBegun).map(([id]) => id);
  }

  /** Those that wait in a line, with a lease that ends before `time` (`performance.now()`). */
  waitingUntil(time: number): string[] {
    const isDue = ({ hasBegun, heldUntil }: InHand): boolean => !hasBegun && heldUntil < time;
    return [...this.#all].filter(([, one]) => isDue(one)).map(([id]) => id);
  }

  /** The leases of these hold until then. */
  hold(ids: readonly string[], until: number): void {
    for (const id of ids) {
      const one = this.#all.get(id);
      if (one) one.heldUntil = until;
    }
  }

  /** Its turn has come. */
  begin(id: string): void {
    const one = this.#all.get(id);
    if (one) one.hasBegun = true;
  }

  get runs(): Promise<void>[] {
    return [...this.#all.values()].map(({ run }) => run);
  }

  has(id: string): boolean {
    return this.#all.has(id);
  }

  /** Whether there is room for another one. */
  hasRoomFor({ account, room }: WaitingMessage): boolean {
    return this.#ofAccounts.hasRoomFor(account) && (this.#ofRoom.get(room) ?? 0) < MAX_OF_ROOM;
  }

  /** Whose messages there is no room for now, as a filter says it. */
  get others(): object {
    const accounts = this.#ofAccounts.full;
    const rooms = [...this.#ofRoom].filter(([, count]) => count >= MAX_OF_ROOM).map(([room]) => room);
    return {
      ...(accounts.length > 0 && { account: { $nin: accounts } }),
      ...(rooms.length > 0 && { room: { $nin: rooms } }),
    };
  }

  add(message: WaitingMessage, run: Promise<void>): void {
    this.#all.set(message._id, { message, run, hasBegun: false, heldUntil: 0 });
    this.#ofAccounts.take(message.account);
    this.#ofRoom.set(message.room, (this.#ofRoom.get(message.room) ?? 0) + 1);
  }

  delete({ _id }: WaitingMessage): void {
    const one = this.#all.get(_id);
    if (!one) return;
    this.#all.delete(_id);
    const { account, room } = one.message;
    this.#ofAccounts.leave(account);
    const left = (this.#ofRoom.get(room) ?? 0) - 1;
    if (left > 0) this.#ofRoom.set(room, left);
    else this.#ofRoom.delete(room);
  }
}
