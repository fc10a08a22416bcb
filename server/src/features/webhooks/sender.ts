import type { Logger } from 'pino';
import type { Dispatcher } from 'undici';
import type { OriginModel, SenderModel } from '../../jobs/origin-leases.model.ts';
import { LEASE_TIMING, type LeaseTiming, OriginLeases } from '../../jobs/origin-leases.ts';
import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';
import { AttemptRecorder, type DeliveredListener } from './attempt-recorder.ts';
import type { DeliveryModel, StoredDelivery } from './deliveries.model.ts';
import { Drops } from './drops.ts';
import { Failures } from './failures.ts';
import { ORIGIN_LIMITS, type OriginLimits } from './origin-queue-context.ts';
import { IDLE_AFTER_MS, OriginQueues } from './origin-queues.ts';
import { decideRetry } from './retries.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';
import { originOf } from './target.ts';
import { createTransport, type Transport } from './transport.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/** How often the queues are searched for what nobody looks after, whatever the reason. */
const SWEEP_EVERY_MS = 60_000;

/** Results that may wait to be recorded; beyond them nothing more is sent. */
const MAX_UNRECORDED = 1_000;

/** How long the attempts under way may take when the sender stops. */
const STOP_TIMEOUT_MS = 10_000;

export interface SenderOptions {
  delays: readonly Duration[];
  /** Milliseconds for status line and headers. */
  timeout: Duration;
  /** The database is this process's alone: no other sender can be alive. */
  isOnlyProcess: boolean;
  limits?: OriginLimits;
  timing?: LeaseTiming;
}

export interface SenderParts {
  webhooks: WebhookModel;
  deliveries: DeliveryModel;
  senders: SenderModel;
  origins: OriginModel;
  subscriptions: Subscriptions;
  outgoing: Dispatcher;
  /** Told of each delivery that arrived, before the log says so: again after a crash in between. */
  onDelivered?: DeliveredListener;
  log: Logger;
}

/**
 * Sends what stands in the queues. Each origin is owned by one process (origin-leases.ts) and has a queue there
 * (origin-queue.ts); a process that is told of new deliveries for an origin that nobody owns claims it.
 */
export class Sender {
  readonly #parts: SenderParts;
  readonly #options: SenderOptions;
  readonly #leases: OriginLeases;
  readonly #recorder: AttemptRecorder;
  readonly #failures: Failures;
  readonly #drops: Drops;
  readonly #queues: OriginQueues;
  readonly #send: Transport;
  readonly #running = new Set<Promise<unknown>>();
  #sweeping: Promise<void> | undefined;
  #sweepAgain = false;
  #timers: NodeJS.Timeout[] = [];
  #isRunning = false;

  constructor(parts: SenderParts, options: SenderOptions) {
    const { webhooks, deliveries, senders, origins, subscriptions, outgoing, onDelivered, log } = parts;
    const { delays, timeout, limits = ORIGIN_LIMITS, timing = LEASE_TIMING } = options;
    this.#parts = parts;
    this.#options = options;
    this.#send = createTransport(outgoing, timeout);
    this.#drops = new Drops(deliveries, log);
    this.#recorder = new AttemptRecorder(deliveries, onDelivered, log);
    this.#failures = new Failures(webhooks, subscriptions, (webhook) => this.drop(webhook), log);
    const listener = {
      onHeld: () => {
        this.wake();
        this.#queues.advance();
      },
      onLost: () => this.#queues.clear(),
      onSenderGone: () => this.wake(),
      onWoken: (origin: string, webhook: string) =>
        void this.#queues.notify(origin, webhook).catch(() => this.wake()),
    };
    this.#leases = new OriginLeases(senders, origins, listener, timing, log);
    this.#queues = new OriginQueues({
      deliveries,
      subscriptions,
      leases: this.#leases,
      drop: (webhook) => this.drop(webhook),
      onUncertain: () => this.wake(),
      context: {
        deliveries,
        subscriptions,
        recorder: this.#recorder,
        failures: this.#failures,
        delays,
        limits,
        log,
        maySend: () => this.#leases.isHeld && this.#recorder.backlog < MAX_UNRECORDED,
        drop: (webhook) => this.drop(webhook),
        send: (subscription, { event_id, body }) => this.#send(subscription, event_id, body),
        track: (run) => this.#track(run),
      },
    });
  }

  start(): void {
    this.#isRunning = true;
    this.#leases.start(this.#options.isOnlyProcess);
    this.#timers = [
      setInterval(() => this.wake(), SWEEP_EVERY_MS),
      setInterval(() => void this.#queues.releaseIdle(), IDLE_AFTER_MS / 4),
    ];
  }

  /** Attempts of this process by what came of them, test sends aside. */
  get counts(): AttemptRecorder['counts'] {
    return this.#recorder.counts;
  }

  /** Looks through all queues for what may be sent; returns at once. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#sweepAgain = true;
    this.#sweeping ??= this.#sweep()
      .catch((error) => this.#parts.log.warn({ err: error }, 'searching for deliveries failed'))
      .finally(() => {
        this.#sweeping = undefined;
      });
  }

  /** Begins nothing more, finishes what is under way (10 s at most), and gives its origins back. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    for (const timer of this.#timers) clearInterval(timer);
    this.#queues.close();
    let late: NodeJS.Timeout | undefined;
    const tooLong = new Promise((resolve) => {
      late = setTimeout(resolve, STOP_TIMEOUT_MS);
    });
    await Promise.race([Promise.allSettled([this.#sweeping, ...this.#running]), tooLong]);
    clearTimeout(late);
    await Promise.all([this.#recorder.stop(), this.#drops.stop()]);
    try {
      await this.#leases.stop();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'giving the webhook leases back failed; they run out');
    }
    await this.#parts.outgoing.destroy();
  }

  /**
   * Something was queued for a subscription whose target is at `origin`. When it returns, some process knows of
   * it, or the caller learns that the database did not answer.
   */
  async notify(origin: string, webhook: string): Promise<void> {
    // What is queued before the start is found by the first search.
    if (this.#isRunning && this.#leases.isKnown) await this.#queues.notify(origin, webhook);
  }

  /** A subscription was changed: what waits for it goes by what it is now. */
  async changed({ _id, target }: Pick<StoredWebhook, '_id' | 'target'>): Promise<void> {
    this.#parts.subscriptions.forget(_id);
    await this.notify(originOf(target), _id);
  }

  /** A subscription is gone: what waits for it is dropped, the most of it after this has returned. */
  async drop(webhook: string): Promise<void> {
    this.#parts.subscriptions.forget(webhook);
    await this.#drops.drop(webhook);
  }

  /** Sends a text to a subscription once, at once, whatever its origin's limits and pause are. */
  async sendOnce(subscription: Subscription, eventId: string, body: string): Promise<Attempt> {
    const attempt = await this.#send(subscription, eventId, body);
    if (attempt.error === null) this.#queues.get(subscription.origin)?.reached();
    return attempt;
  }

  /** Sends a queued delivery once, at once; what follows from it is recorded as always. */
  sendNow(subscription: Subscription, delivery: StoredDelivery): Promise<void> {
    const run = this.#sendNow(subscription, delivery).catch((error) => {
      this.#parts.log.warn({ err: error }, 'a redelivery waits for its turn');
    });
    this.#track(run);
    return run;
  }

  async #sendNow(subscription: Subscription, delivery: StoredDelivery): Promise<void> {
    const attempt = await this.sendOnce(subscription, delivery.event_id, delivery.body);
    const decision = decideRetry(attempt, delivery.tries + 1, this.#options.delays);
    await this.#recorder.record(delivery, attempt, decision);
    await this.notify(subscription.origin, subscription.id);
    await this.#failures.learn(subscription, attempt, decision);
  }

  async #sweep(): Promise<void> {
    while (this.#sweepAgain && this.#isRunning) {
      this.#sweepAgain = false;
      await this.#queues.sweep();
    }
  }

  #track(run: Promise<unknown>): void {
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }
}
