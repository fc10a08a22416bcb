import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';
import type { LaneContext } from './lane-context.ts';
import { Pause } from './pause.ts';
import { Queue, type QueuedDelivery, readQueue } from './queue.ts';
import { judge, type Verdict } from './retries.ts';
import type { Subscription } from './subscriptions.ts';

/** Reads at a time; more queues wait for their turn. */
const READS = 4;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 1_000;

/**
 * Sends everything that goes to one origin. Each subscription has a queue; the queues take turns, so that neither
 * a long queue nor a slow or failing subscription holds up the others.
 */
export class Lane {
  readonly origin: string;
  readonly #context: LaneContext;
  readonly #queues = new Map<string, Queue>();
  /** Queues with something ready and a free place, and queues to be read, each in the order of their turns. */
  readonly #runnable = new Set<Queue>();
  readonly #hungry = new Set<Queue>();
  #inFlight = 0;
  #reads = 0;
  readonly #pause: Pause;
  #isClosed = false;
  #idleSince = performance.now();

  constructor(origin: string, context: LaneContext, isPaused: boolean) {
    this.origin = origin;
    this.#context = context;
    const { pauseAfter: after, probeEvery } = context.limits;
    this.#pause = new Pause({ after, probeEvery, probe: () => this.#probe() });
    if (isPaused) this.#pause.resume();
  }

  /** How long nothing has waited here, in milliseconds. */
  get idleFor(): Duration {
    return this.#queues.size > 0 || this.#inFlight > 0 ? 0 : performance.now() - this.#idleSince;
  }

  /** Something may be waiting for the subscription. */
  check(webhook: string): void {
    if (this.#isClosed) return;
    let queue = this.#queues.get(webhook);
    if (!queue) {
      queue = new Queue(webhook);
      this.#queues.set(webhook, queue);
    }
    queue.isLeaving = false;
    // What waits for a probe is known already.
    if (this.#pause.isOn && queue.headAt !== undefined) return;
    queue.hasMore = true;
    if (queue.isLow) this.#hungry.add(queue);
    this.advance();
  }

  /** The subscription's target is elsewhere now: begins nothing more for it, and hands it over when it can. */
  leave(webhook: string): void {
    const queue = this.#queues.get(webhook);
    if (!queue) {
      this.#context.handOver(webhook);
      return;
    }
    queue.isLeaving = true;
    queue.putBack();
    this.#runnable.delete(queue);
    this.#hungry.delete(queue);
    this.#settle(queue);
  }

  /** A request outside of the queues reached the origin. */
  reached(): void {
    this.#succeeded();
  }

  /** Begins what may begin now. */
  advance(): void {
    if (this.#isClosed || !this.#context.maySend()) return;
    const { perOrigin, perSubscription } = this.#context.limits;
    while (!this.#pause.isOn && this.#inFlight < perOrigin) {
      const [queue] = this.#runnable;
      if (!queue) break;
      this.#runnable.delete(queue);
      const delivery = queue.ready.shift();
      if (!delivery) continue;
      this.#begin(queue, delivery);
      // At the end of the line: the queues take turns.
      if (queue.ready.length > 0 && queue.inFlight < perSubscription) this.#runnable.add(queue);
      if (queue.isLow && queue.hasMore) this.#hungry.add(queue);
    }
    while (this.#reads < READS && this.#runnable.size < perOrigin) {
      const [queue] = this.#hungry;
      if (!queue) break;
      this.#hungry.delete(queue);
      // What is asked for while it is being read is read afterwards.
      if (!queue.isReading) void this.#read(queue);
    }
  }

  /** Begins nothing more; what is under way ends by itself. */
  close(): void {
    this.#isClosed = true;
    this.#pause.close();
    for (const queue of this.#queues.values()) queue.close();
  }

  async #read(queue: Queue): Promise<void> {
    this.#reads++;
    queue.beginReading();
    const { place } = queue;
    queue.hasMore = false;
    queue.place = undefined;
    queue.headAt = undefined;
    // Those in hand are still in the database's queue, at its head.
    const limit = this.#pause.isOn ? queue.inHand + 1 : queue.readSize + (place ? 0 : queue.inHand);
    try {
      const found = await readQueue(this.#context.deliveries, queue.webhook, limit, place);
      this.#sort(queue, found, limit, place !== undefined);
    } catch (error) {
      this.#context.log.warn({ err: error, origin: this.origin }, 'reading deliveries failed; trying again');
      queue.wakeAt(Date.now() + AGAIN_AFTER_MS, () => this.check(queue.webhook));
    }
    queue.endReading();
    this.#reads--;
    this.#settle(queue);
    if (queue.headAt !== undefined) this.#pause.offer();
    this.advance();
  }

  /**
   * Takes what is due, and sets the clock for what is not. Reading goes on where it ended; at the end of the queue
   * it begins once more at the head, where deliveries may have come in between.
   */
  #sort(queue: Queue, found: readonly QueuedDelivery[], limit: number, wasContinued: boolean): void {
    const now = Date.now();
    if (wasContinued && queue.ready.length === 0) queue.readFurther();
    for (const delivery of found) {
      if (queue.has(delivery._id)) continue;
      const due = delivery.due_at?.getTime() ?? 0;
      if (due > now) {
        queue.wakeAt(due, () => this.check(queue.webhook));
        if (wasContinued) queue.hasMore = true;
        return;
      }
      queue.headAt ??= due;
      if (this.#pause.isOn || queue.isLeaving) return;
      queue.take(delivery);
      queue.ready.push(delivery);
    }
    if (found.length === limit) queue.place = found.at(-1);
    if (found.length === limit || wasContinued) queue.hasMore = true;
  }

  #settle(queue: Queue): void {
    if (this.#queues.get(queue.webhook) !== queue) return;
    if (queue.isLeaving) {
      if (queue.inHand > 0 || queue.isReading) return;
      this.#forget(queue);
      this.#context.handOver(queue.webhook);
      return;
    }
    if (queue.ready.length > 0 && queue.inFlight < this.#context.limits.perSubscription)
      this.#runnable.add(queue);
    if (queue.hasMore && queue.isLow) this.#hungry.add(queue);
    if (!queue.isIdle || (this.#pause.isOn && queue.headAt !== undefined)) return;
    this.#forget(queue);
  }

  #forget(queue: Queue): void {
    queue.close();
    this.#queues.delete(queue.webhook);
    this.#runnable.delete(queue);
    this.#hungry.delete(queue);
    if (this.#queues.size === 0) this.#idleSince = performance.now();
    this.#context.left(queue.webhook);
  }

  #begin(queue: Queue, delivery: QueuedDelivery): void {
    queue.inFlight++;
    this.#inFlight++;
    const run = this.#run(queue, delivery).catch((error) => {
      this.#context.log.warn({ err: error, origin: this.origin }, 'a delivery waits for the database');
      queue.wakeAt(Date.now() + AGAIN_AFTER_MS, () => this.check(queue.webhook));
    });
    this.#context.track(run);
  }

  async #run(queue: Queue, delivery: QueuedDelivery): Promise<void> {
    const { failures, recorder } = this.#context;
    let sent: { subscription: Subscription; attempt: Attempt; verdict: Verdict } | undefined;
    try {
      sent = await this.#send(queue, delivery);
    } finally {
      queue.inFlight--;
      this.#inFlight--;
      if (!sent) queue.letGo(delivery._id);
      this.#settle(queue);
      this.advance();
    }
    if (!sent) return;
    const { subscription, attempt, verdict } = sent;
    const due = await recorder.record(delivery, attempt, verdict);
    queue.letGo(delivery._id);
    if (due) queue.wakeAt(due.getTime(), () => this.check(queue.webhook));
    this.#settle(queue);
    this.advance();
    await failures.learn(subscription, attempt, verdict);
  }

  /** @returns undefined when nothing was sent, since the subscription is gone or elsewhere. */
  async #send(queue: Queue, delivery: QueuedDelivery) {
    const subscription = await this.#context.subscriptions.get(queue.webhook);
    if (!subscription) {
      await this.#drop(queue);
      return undefined;
    }
    if (subscription.origin !== this.origin) {
      this.leave(queue.webhook);
      return undefined;
    }
    const attempt = await this.#context.send(subscription, delivery);
    const verdict = judge(attempt, delivery.tries + 1, this.#context.delays);
    this.#learn(verdict);
    return { subscription, attempt, verdict };
  }

  /** The subscription is gone: nothing of its queue is sent any more. */
  async #drop(queue: Queue): Promise<void> {
    this.#forget(queue);
    await this.#context.drop(queue.webhook);
  }

  #learn(verdict: Verdict): void {
    if (verdict.kind === 'delivered') this.#succeeded();
    // A receiver that ends its subscription is well.
    if (verdict.kind === 'delivered' || verdict.kind === 'gone' || !this.#pause.failed()) return;
    this.#context.log.warn({ origin: this.origin }, 'origin failed too often in a row: paused, and probed');
    for (const queue of this.#queues.values()) queue.putBack();
    this.#runnable.clear();
    this.#context.setPaused(this.origin, true);
  }

  #succeeded(): void {
    if (!this.#pause.succeeded()) return;
    this.#context.log.info({ origin: this.origin }, 'origin answers again: what waited goes out');
    this.#context.setPaused(this.origin, false);
    for (const queue of [...this.#queues.values()]) this.check(queue.webhook);
  }

  /** The oldest delivery that is due shows whether a paused origin is back. */
  #probe(): boolean {
    const oldest = [...this.#queues.values()]
      .filter(({ headAt }) => headAt !== undefined)
      .reduce<Queue | undefined>((a, b) => (a && (a.headAt ?? 0) <= (b.headAt ?? 0) ? a : b), undefined);
    if (!oldest) return false;
    if (this.#inFlight === 0 && this.#context.maySend()) void this.#sendProbe(oldest);
    return true;
  }

  async #sendProbe(queue: Queue): Promise<void> {
    queue.headAt = undefined;
    try {
      const found = await readQueue(this.#context.deliveries, queue.webhook, queue.inHand + 1);
      const delivery = found.find(({ _id }) => !queue.has(_id));
      const isDue = delivery !== undefined && (delivery.due_at?.getTime() ?? 0) <= Date.now();
      if (isDue && this.#pause.isOn && !this.#isClosed) {
        queue.take(delivery);
        this.#begin(queue, delivery);
      }
    } catch (error) {
      this.#context.log.debug({ err: error, origin: this.origin }, 'reading the probe failed');
    }
    // What is the oldest now is read again.
    this.check(queue.webhook);
  }
}
