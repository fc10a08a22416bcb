import { setTimeout as sleep } from 'node:timers/promises';
import type { Model } from 'mongoose';
import pLimit from 'p-limit';
import type { Logger } from 'pino';
import { databaseUnreachable, isOutOfDisk } from '../database/unavailable.ts';
import { Sweeper } from '../platform/sweeper.ts';
import { Announced, type Announcement, announcementOf, type Flush, type HolderModel } from './announced.ts';
import { Backlogs, OF_A_DOCUMENT } from './backlogs.ts';
import type { EventHolder, OutboxEvent } from './events.ts';
import { FailingAccounts } from './failing-accounts.ts';
import { InHand } from './in-hand.ts';
import { leftBehind } from './left-behind.ts';
import { Queue } from './queue.ts';
import { SEEN_FOR_MS, stillWaiting } from './still-waiting.ts';

/**
 * Turns events of one account, in the order they happened, into whatever follows from them. It may be called
 * again with the same events, also by another process at the same time: what it makes has ids that derive from
 * the event's, so that the second time changes nothing.
 */
export type EventConsumer = (events: readonly OutboxEvent[]) => Promise<void>;

/** How often documents are searched for events that a process left behind when it died. */
const SWEEP_EVERY_MS = 1_000;
/** What accounts have in hand is passed over one by one, and may be thousands of large documents. */
const SWEEP_SHARE = 0.25;
/** Every so many searches look also for those whose time lies ahead, since the clock was put back after they were written. */
const AHEAD_EVERY = 5;

/** How many documents one sweep takes, and how many events one round of consumers gets. */
const BATCH = 200;

/** Of how many bytes they are: 50 webhooks make a delivery of each. A larger one goes alone. */
const BATCH_BYTES = 256 * 1024;

/**
 * An account's rounds begin this far apart (milliseconds): the first event goes at once, those that follow it
 * closely go together, since each round costs several writes.
 */
const ROUND_EVERY_MS = 10;

/**
 * While the database is away, a round is tried again in its place, this often and this long (milliseconds), so that nothing
 * that happens meanwhile overtakes it.
 */
const AGAIN_EVERY_MS = 500;
const AGAIN_FOR_MS = 60_000;

/** How long a stop goes on with what is queued: each of 10 000 events takes a write or several. */
const FINISH_WITHIN_MS = 5_000;

/**
 * Events in memory beyond these bytes wait in their documents. An account may have as much in its queue as is left to all, so
 * that one with a backlog leaves half of it to others; whoever had more is fed by its documents alone until nothing is left
 * there (backlogs.ts).
 */
const MAX_IN_HAND = 32 * 1_048_576;

/**
 * Takes events out of the documents that carry them and gives them to the consumers. The process that wrote a
 * document announces it at once; the sweep finds what was left behind. Events of one account go in order, one
 * batch after another; accounts go side by side.
 */
export class Relay {
  readonly #models: readonly HolderModel[];
  readonly #consumers: EventConsumer[] = [];
  readonly #log: Logger;
  readonly #queues = new Map<string, Queue>();
  readonly #running = new Set<Promise<void>>();
  /** So that the sweep brings none of these twice. */
  readonly #inHand = new InHand();
  readonly #announced: Announced;
  readonly #backlogs: Backlogs;
  /** One account's documents are read at a time, whatever the number of those that wait. */
  readonly #feeds = pLimit(1);
  readonly #failing = new FailingAccounts();
  readonly #sweeper: Sweeper;
  #sweeps = 0;
  readonly #finishWithin: number;
  readonly #maxInHand: number;
  readonly #seenFor: number;
  #stopped = false;
  /** When a stop leaves the rest in its documents, by the clock of `performance`. */
  #finishBy = Number.POSITIVE_INFINITY;

  /** @param limits `finishWithin`: how long a stop goes on with what is queued (milliseconds) */
  constructor(
    models: readonly object[],
    log: Logger,
    { finishWithin = FINISH_WITHIN_MS, maxInHand = MAX_IN_HAND, seenFor = SEEN_FOR_MS } = {},
  ) {
    this.#finishWithin = finishWithin;
    this.#maxInHand = maxInHand;
    this.#seenFor = seenFor;
    this.#models = models as unknown as readonly HolderModel[];
    this.#log = log;
    this.#announced = new Announced(log, ({ id }) => this.#inHand.delete(id));
    this.#backlogs = new Backlogs(this.#models);
    this.#sweeper = new Sweeper({
      sweep: () => this.#inHand.whileReading(() => this.#sweep()),
      every: SWEEP_EVERY_MS,
      share: SWEEP_SHARE,
      log,
      failed: 'searching for events left behind failed',
    });
  }

  /** Gives events to these as well, in this order; to be called before the start. */
  subscribe(...consumers: EventConsumer[]): void {
    this.#consumers.push(...consumers);
  }

  /**
   * For consumers that keep in memory what events tell them, to write it less often: called before events leave their
   * documents. When it fails they stay, and are announced again.
   */
  beforeRemoval(flush: Flush): void {
    this.#announced.before(flush);
  }

  /** Announces what was just written; returns at once. */
  announce<T extends EventHolder>(model: Model<T>, { _id, events = [] }: T): void {
    const [first] = events;
    if (this.#stopped || !first) return;
    const announcements = events.map((event) => announcementOf(model as unknown as HolderModel, _id, event));
    this.#take(first.account, announcements);
  }

  start(): void {
    this.#sweeper.start();
  }

  /** Stops taking, and goes on for a while with what is queued; the rest stays in its documents. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#finishBy = performance.now() + this.#finishWithin;
    await this.#sweeper.stop();
    await Promise.all(this.#running);
    await this.#announced.remove();
  }

  /** Queues events, or leaves them to their documents. */
  #take(account: string, announcements: readonly Announcement[]): void {
    const queued = this.#queues.get(account)?.bytes ?? 0;
    const bytes = announcements.reduce((sum, one) => sum + one.bytes, 0);
    if (queued + bytes > this.#maxInHand - this.#inHand.bytes) this.#backlogs.begin(account);
    this.#enqueue(account, this.#backlogs.take(account, announcements) ? [] : announcements);
  }

  #enqueue(account: string, announcements: readonly Announcement[]): void {
    const queue = this.#queues.get(account) ?? new Queue();
    for (const announcement of announcements) {
      if (this.#inHand.has(announcement.event.id)) continue;
      this.#inHand.add(announcement);
      queue.push(announcement);
    }
    if (this.#queues.has(account) || this.#isIdle(account, queue)) return;
    this.#queues.set(account, queue);
    const run = this.#drain(account, queue).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  /** A stop leaves in its documents what is not queued. */
  #isIdle(account: string, queue: Queue): boolean {
    return queue.all.length === 0 && (this.#stopped || !this.#backlogs.has(account));
  }

  async #drain(account: string, queue: Queue): Promise<void> {
    while (!this.#isIdle(account, queue) && performance.now() < this.#finishBy) {
      const pause = sleep(ROUND_EVERY_MS);
      await (queue.all.length > 0 ? this.#round(account, queue) : this.#feed(account));
      await pause;
    }
    this.#queues.delete(account);
  }

  async #round(account: string, queue: Queue): Promise<void> {
    const batch = queue.shift(BATCH, BATCH_BYTES);
    try {
      await this.#deliver(batch);
      this.#failing.hasEnded(account, this.#sweeps);
    } catch (error) {
      this.#failing.hasFailed(account, this.#sweeps);
      // The events are still in their documents: the sweep brings them again, and nothing waits for them.
      for (const { event, isAnnounced } of batch) if (!isAnnounced) this.#inHand.delete(event.id);
      this.#backlogs.end(account);
      this.#log.warn({ err: error, account }, 'events wait: announcing them failed');
    }
  }

  /** Queues what waits of an account in its documents. */
  async #feed(account: string): Promise<void> {
    try {
      // What is announced by now would be read in the place of what waits behind it.
      if (!(await this.#announced.remove())) await sleep(SWEEP_EVERY_MS);
      await this.#feeds(() => this.#read(account));
    } catch (error) {
      this.#log.warn({ err: error, account }, 'reading the events that wait failed');
      await sleep(SWEEP_EVERY_MS);
    }
  }

  async #read(account: string): Promise<void> {
    while (this.#inHand.bytes >= this.#maxInHand && !this.#stopped) await sleep(ROUND_EVERY_MS);
    if (this.#stopped) return;
    await this.#backlogs.next(account, (found) => this.#enqueue(account, found));
  }

  /** What the disk has no room for goes in halves, in order, as far as it fits. */
  async #deliver(batch: readonly Announcement[], consumers = this.#consumers): Promise<void> {
    const until = Math.min(performance.now() + AGAIN_FOR_MS, this.#finishBy);
    let left = batch;
    let waiting = consumers;
    while (waiting.length > 0) {
      const tried = await this.#consume(left, waiting);
      ({ left, waiting } = tried);
      if (waiting.length === 0) break;
      const isLate = performance.now() >= Math.min(until, this.#finishBy);
      if (!isLate && left.length > 1 && tried.failures.some(isOutOfDisk)) {
        const half = Math.ceil(left.length / 2);
        await this.#deliver(left.slice(0, half), waiting);
        return this.#deliver(left.slice(half), waiting);
      }
      const [failed] = tried.failures;
      if (isLate || !databaseUnreachable(failed)) throw failed;
      await sleep(AGAIN_EVERY_MS);
    }
    this.#announced.add(left);
  }

  /**
   * Gives what still waits to consumers, side by side; all of them have ended before the next round begins, whatever became of one.
   * @returns what still waits, who has not taken it, and why
   */
  async #consume(
    batch: readonly Announcement[],
    consumers: EventConsumer[],
  ): Promise<{ left: readonly Announcement[]; waiting: EventConsumer[]; failures: unknown[] }> {
    let left = batch;
    try {
      left = await this.#stillWaiting(batch);
    } catch (error) {
      return { left, waiting: consumers, failures: [error] };
    }
    if (left.length === 0) return { left, waiting: [], failures: [] };
    const events = left.map(({ event }) => event);
    const consumed = await Promise.allSettled(consumers.map((consume) => consume(events)));
    const failures = consumed.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    return { left, waiting: consumers.filter((_, at) => consumed[at]?.status === 'rejected'), failures };
  }

  /** Those that are left out are not in hand any more. */
  async #stillWaiting(batch: readonly Announcement[]): Promise<readonly Announcement[]> {
    const left = await stillWaiting(batch, this.#seenFor);
    if (left === batch) return batch;
    for (const one of batch) if (!left.includes(one)) this.#inHand.delete(one.event.id);
    return left;
  }

  /** @returns whether it has found any */
  async #sweep(): Promise<boolean> {
    // Their events would fill each batch, and hide those of others.
    const busy = [...this.#queues].flatMap(([account, { all, bytes }]) =>
      all.length >= BATCH / 2 || bytes >= BATCH_BYTES ? [account] : [],
    );
    const found = leftBehind(this.#models, {
      leftOut: [...this.#failing.paused, ...busy, ...this.#backlogs.accounts],
      isAheadToo: this.#sweeps++ % AHEAD_EVERY === 0,
      limit: BATCH,
      isOver: () => this.#stopped,
    });
    let isAny = false;
    for await (const { model, holder } of found) {
      isAny = true;
      this.#leftBehind(model, holder);
    }
    return isAny;
  }

  #leftBehind(model: HolderModel, { _id, events = [] }: EventHolder): void {
    const [first] = events;
    if (!first) return;
    // Those that were not read would be overtaken by what happens now.
    if (events.length >= OF_A_DOCUMENT) this.#backlogs.begin(first.account);
    const announcements = events.map((event) => announcementOf(model, _id, event));
    this.#take(first.account, announcements);
  }
}
