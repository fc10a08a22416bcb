import { CircuitBreaker } from '../../jobs/circuit-breaker.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';
import type { OriginQueueContext } from './origin-queue-context.ts';
import { decideRetry, type RetryDecision } from './retries.ts';
import { type QueuedDelivery, readQueue, SubscriptionQueue } from './subscription-queue.ts';
import type { Subscription } from './subscriptions.ts';

/** Reads at a time; more queues wait for their turn. */
const READS = 4;

/** After a failure of the database. */
const AGAIN_AFTER_MS = 1_000;

/**
 * Sends everything that goes to one origin. Each subscription has a queue; the queues take turns, so that neither
 * a long queue nor a slow or failing subscription holds up the others.
 */
export class OriginQueue {
  readonly origin: string;
  readonly #context: OriginQueueContext;
  readonly #queues = new Map<string, SubscriptionQueue>();
  /** Queues with something ready and a free place, and queues to be read, each in the order of their turns. */
  readonly #runnable = new Set<SubscriptionQueue>();
  readonly #hungry = new Set<SubscriptionQueue>();
  #inFlight = 0;
  #reads = 0;
  readonly #breaker: CircuitBreaker;
  #isClosed = false;
  #idleSince = performance.now();

  constructor(origin: string, context: OriginQueueContext, isPaused: boolean) {
    this.origin = origin;
    this.#context = context;
    const { pauseAfter: after, probeEvery } = context.limits;
    this.#breaker = new CircuitBreaker({ after, probeEvery, probe: () => this.#probe() });
    if (isPaused) this.#breaker.resume();
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
      queue = new SubscriptionQueue(webhook);
      this.#queues.set(webhook, queue);
    }
    queue.isLeaving = false;
    // What waits for a probe is known already.
    if (this.#breaker.isOpen && queue.headAt !== undefined) return;
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
    while (!this.#breaker.isOpen && this.#inFlight < perOrigin) {
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
    this.#breaker.close();
    for (const queue of this.#queues.values()) queue.close();
  }

  async #read(queue: SubscriptionQueue): Promise<void> {
    this.#reads++;
    queue.beginReading();
    const { place } = queue;
    queue.hasMore = false;
    queue.place = undefined;
    queue.headAt = undefined;
    // Those in hand are still in the database's queue, at its head.
    const limit = this.#breaker.isOpen ? queue.inHand + 1 : queue.readSize + (place ? 0 : queue.inHand);
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
    if (queue.headAt !== undefined) this.#breaker.offer();
    this.advance();
  }

  /**
   * Takes what is due, and sets the clock for what is not. Reading goes on where it ended; at the end of the queue
   * it begins once more at the head, where deliveries may have come in between.
   */
  #sort(
    queue: SubscriptionQueue,
    found: readonly QueuedDelivery[],
    limit: number,
    wasContinued: boolean,
  ): void {
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
      if (this.#breaker.isOpen || queue.isLeaving) return;
      queue.take(delivery);
      queue.ready.push(delivery);
    }
    if (found.length === limit) queue.place = found.at(-1);
    if (found.length === limit || wasContinued) queue.hasMore = true;
  }

  #settle(queue: SubscriptionQueue): void {
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
    if (!queue.isIdle || (this.#breaker.isOpen && queue.headAt !== undefined)) return;
    this.#forget(queue);
  }

  #forget(queue: SubscriptionQueue): void {
    queue.close();
    this.#queues.delete(queue.webhook);
    this.#runnable.delete(queue);
    this.#hungry.delete(queue);
    if (this.#queues.size === 0) this.#idleSince = performance.now();
    this.#context.left(queue.webhook);
  }

  #begin(queue: SubscriptionQueue, delivery: QueuedDelivery): void {
    queue.inFlight++;
    this.#inFlight++;
    const run = this.#run(queue, delivery).catch((error) => {
      this.#context.log.warn({ err: error, origin: this.origin }, 'a delivery waits for the database');
      queue.wakeAt(Date.now() + AGAIN_AFTER_MS, () => this.check(queue.webhook));
    });
    this.#context.track(run);
  }

  async #run(queue: SubscriptionQueue, delivery: QueuedDelivery): Promise<void> {
    const { failures, recorder } = this.#context;
    let sent: { subscription: Subscription; attempt: Attempt; decision: RetryDecision } | undefined;
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
    const { subscription, attempt, decision } = sent;
    const due = await recorder.record(delivery, attempt, decision);
    queue.letGo(delivery._id);
    if (due) queue.wakeAt(due.getTime(), () => this.check(queue.webhook));
    this.#settle(queue);
    this.advance();
    await failures.learn(subscription, attempt, decision);
  }

  /** @returns undefined when nothing was sent, since the subscription is gone or elsewhere. */
  async #send(queue: SubscriptionQueue, delivery: QueuedDelivery) {
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
    const decision = decideRetry(attempt, delivery.tries + 1, this.#context.delays);
    this.#learn(decision);
    return { subscription, attempt, decision };
  }

  /** The subscription is gone: nothing of its queue is sent any more. */
  async #drop(queue: SubscriptionQueue): Promise<void> {
    this.#forget(queue);
    await this.#context.drop(queue.webhook);
  }

  #learn(decision: RetryDecision): void {
    if (decision.kind === 'delivered') this.#succeeded();
    // A receiver that ends its subscription is well.
    if (decision.kind === 'delivered' || decision.kind === 'gone' || !this.#breaker.failed()) return;
    this.#context.log.warn({ origin: this.origin }, 'origin failed too often in a row: paused, and probed');
    for (const queue of this.#queues.values()) queue.putBack();
    this.#runnable.clear();
    this.#context.setPaused(this.origin, true);
  }

  #succeeded(): void {
    if (!this.#breaker.succeeded()) return;
    this.#context.log.info({ origin: this.origin }, 'origin answers again: what waited goes out');
    this.#context.setPaused(this.origin, false);
    for (const queue of [...this.#queues.values()]) this.check(queue.webhook);
  }

  /** The oldest delivery that is due shows whether a paused origin is back. */
  #probe(): boolean {
    const oldest = [...this.#queues.values()]
      .filter(({ headAt }) => headAt !== undefined)
      .reduce<SubscriptionQueue | undefined>(
        (a, b) => (a && (a.headAt ?? 0) <= (b.headAt ?? 0) ? a : b),
        undefined,
      );
    if (!oldest) return false;
    if (this.#inFlight === 0 && this.#context.maySend()) void this.#sendProbe(oldest);
    return true;
  }

  async #sendProbe(queue: SubscriptionQueue): Promise<void> {
    queue.headAt = undefined;
    try {
      const found = await readQueue(this.#context.deliveries, queue.webhook, queue.inHand + 1);
      const delivery = found.find(({ _id }) => !queue.has(_id));
      const isDue = delivery !== undefined && (delivery.due_at?.getTime() ?? 0) <= Date.now();
      if (isDue && this.#breaker.isOpen && !this.#isClosed) {
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
