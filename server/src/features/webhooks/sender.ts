import type { Logger } from 'pino';
import { CLOCKS_DIFFER_MS } from '../../database/has-come.ts';
import type { AuditedCollection } from '../../events/audited-collection.ts';
import type { Job, JobKind, OriginLimits, Result } from '../../jobs/job-kind.ts';
import { JobRunner } from '../../jobs/job-runner.ts';
import type { OriginLeases } from '../../jobs/origin-leases.ts';
import type { PlaceLimits } from '../../jobs/places.ts';
import type { Outgoing } from '../../net/outgoing.ts';
import type { Duration } from '../../platform/duration.ts';
import { timesInHeap } from '../../platform/heap.ts';
import type { UnfinishedImports } from '../accounts/unfinished-imports.ts';
import type { Attempt } from './attempt.ts';
import {
  type DeliveryModel,
  ERASED,
  NOT_ERASED,
  type StoredDelivery,
  settled,
  settledErased,
} from './deliveries.model.ts';
import { DeliveryBodies } from './delivery-bodies.ts';
import { Failures } from './failures.ts';
import type { KnownWebhook, KnownWebhooks } from './known-webhooks.ts';
import { countOf, type RecordedAttempt, recordAttempts, recordOverEarlier } from './recorded-attempts.ts';
import { decideRetry, longestWait, type RetryDecision } from './retries.ts';
import { originOf } from './target.ts';
import { createTransport, type Transport } from './transport.ts';
import type { StoredWebhook, WebhookModel } from './webhooks.model.ts';

/** The limits of docs/contract.md#origins; a queue is what waits for one webhook. */
export const DELIVERY_LIMITS: OriginLimits = {
  perQueue: 4,
  perOrigin: 16,
  pauseAfter: 10,
  probeEvery: 30_000,
};

/**
 * A delivery under way holds its body and a connection: there is one for each MiB that V8's heap may have, and of an account a
 * quarter of them (docs/limits.md).
 */
const HEAP_OF_ONE_BYTES = 1_048_576;
const TOGETHER = timesInHeap(HEAP_OF_ONE_BYTES);
export const DELIVERY_PLACES: PlaceLimits = { together: TOGETHER, ofOwner: Math.ceil(TOGETHER / 4) };

/** How long it takes at most, as a rule, to write down what came of an attempt. */
const RECORDED_WITHIN_MS = 60_000;

/** Rows that one write drops. */
const DROPPED_AT_ONCE = 500;

/** What is read of a delivery in order to send it. */
type QueuedDelivery = Job & Pick<StoredDelivery, 'account' | 'event_id' | 'event'>;

/** Told of each notification that arrived, before the log says so: again after a crash in between. */
export type NotifiedListener = (notification: string, at: Date, account: string) => Promise<void>;

interface DeliveryResult extends Result, RecordedAttempt {
  knownWebhook: KnownWebhook;
  delivery: QueuedDelivery;
  /** What arrived, where it is told. */
  notification: string | undefined;
}

interface Parts {
  webhooks: WebhookModel;
  audited: AuditedCollection<StoredWebhook>;
  deliveries: DeliveryModel;
  knownWebhooks: KnownWebhooks;
  leases: OriginLeases;
  unfinishedImports: Pick<UnfinishedImports, 'has'>;
  outgoing: Outgoing;
  onNotified: NotifiedListener;
  log: Logger;
}

interface Options {
  delays: readonly Duration[];
  /** Milliseconds for status line and headers. */
  timeout: Duration;
  limits: OriginLimits;
  places: PlaceLimits;
}

/** Sends deliveries: they are jobs that stand in the queues of their webhooks, and stay in the log. */
export class Sender implements JobKind<QueuedDelivery, KnownWebhook, DeliveryResult> {
  readonly limits: OriginLimits;
  readonly places: PlaceLimits;
  readonly sweepEvery = 60_000;
  readonly longestDelay: Duration;
  /**
   * What is sent at once stands in its queue as due after this long: when the process that sends it dies, the queue's owner
   * sends it then, and not beside it.
   */
  readonly takenOverAfter: Duration;
  readonly stopTimeout = 10_000;
  /** Attempts of this process by what came of them, test sends aside. */
  readonly counts: Record<RetryDecision['kind'], number> = { delivered: 0, gone: 0, retry: 0, failed: 0 };
  readonly #parts: Parts;
  readonly #delays: readonly Duration[];
  readonly #runner: JobRunner<QueuedDelivery, KnownWebhook, DeliveryResult>;
  readonly #bodies: DeliveryBodies;
  readonly #failures: Failures;
  readonly #send: Transport;

  constructor(parts: Parts, { delays, timeout, limits, places }: Options) {
    this.#parts = parts;
    this.#delays = delays;
    this.takenOverAfter = timeout + RECORDED_WITHIN_MS + CLOCKS_DIFFER_MS;
    this.longestDelay = Math.max(longestWait(delays), this.takenOverAfter);
    this.limits = limits;
    this.places = places;
    this.#runner = new JobRunner(this, parts.leases, parts.log);
    this.#bodies = new DeliveryBodies(parts.deliveries);
    this.#failures = new Failures({ ...parts, unsubscribed: (webhook) => this.deleted(webhook) });
    this.#send = createTransport(parts.outgoing, timeout);
  }

  start(): void {
    this.#runner.start();
  }

  async stop(): Promise<void> {
    await this.#runner.stop();
    await this.#parts.outgoing.destroy();
  }

  /** Looks through all queues for what may be sent; returns at once. */
  wake(): void {
    this.#runner.look();
  }

  /** Something was queued for a webhook whose target is at `origin`: see JobRunner. */
  notify(origin: string, webhook: string): Promise<void> {
    return this.#runner.notify(origin, webhook);
  }

  /** A webhook was changed: what waits for it goes by what it is now. */
  async changed({ _id, target }: Pick<StoredWebhook, '_id' | 'target'>): Promise<void> {
    this.#parts.knownWebhooks.forget(_id);
    await this.notify(originOf(target), _id);
  }

  /** A webhook is gone: what waits for it is dropped, the most of it after this has returned. */
  async deleted(webhook: string): Promise<void> {
    this.#parts.knownWebhooks.forget(webhook);
    await this.#runner.drop(webhook);
  }

  /** Sends a text to a webhook once, at once, whatever its origin's limits and pause are. */
  async sendOnce(knownWebhook: KnownWebhook, eventId: string, body: string): Promise<Attempt> {
    const attempt = await this.#send(knownWebhook, eventId, body);
    if (attempt.error === null) this.#runner.reached(knownWebhook.origin, knownWebhook.account);
    return attempt;
  }

  /** Sends a queued delivery once, at once; what follows from it is recorded as always. */
  sendNow(webhook: string, delivery: StoredDelivery): Promise<void> {
    return this.#runner.runNow(webhook, delivery);
  }

  async nextQueue(after: string): Promise<{ queue: string; due_at: Date } | null> {
    const { deliveries, unfinishedImports } = this.#parts;
    for (let last = after; ; ) {
      const next = await deliveries
        .findOne({ queue: { $gt: last } }, { account: 1, queue: 1, due_at: 1 })
        .sort({ queue: 1, due_at: 1, sequence: 1 })
        .lean<{ account: string; queue: string; due_at: Date }>();
      // Neither sent, nor dropped since its webhook is still to come.
      if (!next || !(await unfinishedImports.has(next.account))) return next;
      last = next.queue;
    }
  }

  read(queue: string, limit: number): Promise<QueuedDelivery[]> {
    return this.#parts.deliveries
      .find({ queue, state: 'pending' }, { account: 1, event_id: 1, event: 1, tries: 1, due_at: 1 })
      .sort({ due_at: 1, sequence: 1 })
      .limit(limit)
      .lean<QueuedDelivery[]>()
      .exec();
  }

  prepare(jobs: readonly QueuedDelivery[]): Promise<void> {
    return this.#bodies.readAhead(jobs.map(({ _id }) => _id));
  }

  release(id: string): void {
    this.#bodies.forget(id);
  }

  async bringForward(queue: string, latest: Date): Promise<boolean> {
    const { deliveries } = this.#parts;
    const putOff = { queue, due_at: { $gt: latest } };
    if (!(await deliveries.exists(putOff))) return false;
    await deliveries.updateMany(putOff, { $set: { due_at: new Date() } });
    return true;
  }

  ownerOf({ account }: QueuedDelivery): string {
    return account;
  }

  target(queue: string): Promise<KnownWebhook | undefined> {
    return this.#parts.knownWebhooks.get(queue);
  }

  async attempt(delivery: QueuedDelivery, knownWebhook: KnownWebhook): Promise<DeliveryResult | undefined> {
    const body = await this.#bodies.take(delivery._id);
    if (body === undefined) return undefined;
    const attempt = await this.#send(knownWebhook, delivery.event_id, body);
    const decision = decideRetry(attempt, countOf(delivery) + 1, this.#delays);
    this.counts[decision.kind]++;
    if (decision.kind === 'gone') this.#parts.knownWebhooks.hold(knownWebhook.id);
    const due = decision.kind === 'retry' ? new Date(Date.now() + decision.after) : undefined;
    // A receiver that ends its webhook is well.
    const isUnknown = decision.kind === 'gone' || !attempt.wasSent;
    const isWell = isUnknown ? undefined : decision.kind === 'delivered' || isRefusal(attempt);
    const isNotified = decision.kind === 'delivered' && delivery.event === 'keyword_notification.added';
    const notification = isNotified ? uuidIn(body) : undefined;
    return { knownWebhook, delivery, notification, attempt, decision: decision.kind, due, isWell };
  }

  async record(results: readonly DeliveryResult[]): Promise<void> {
    const { deliveries, onNotified } = this.#parts;
    await Promise.all([
      ...results.map(async ({ delivery: { account }, attempt: { at }, notification }) => {
        if (notification !== undefined) await onNotified(notification, at, account);
      }),
      ...results.map((result) => this.#redirect(result)),
    ]);
    await recordAttempts(deliveries, results);
  }

  /** What one target has ended is due at once where another is the webhook's by now (docs/contract.md#delivery). */
  async #redirect(result: DeliveryResult): Promise<void> {
    const { knownWebhook, decision } = result;
    if (decision !== 'gone' && decision !== 'failed') return;
    const isFinal = await this.#failures.isFinal(knownWebhook, decision);
    result.due = isFinal ? undefined : new Date();
    if (!isFinal) this.#parts.knownWebhooks.forget(knownWebhook.id);
  }

  async recordRefused(result: DeliveryResult, error: unknown): Promise<void> {
    const { deliveries, log } = this.#parts;
    await recordOverEarlier(deliveries, result);
    const { _id, account } = result.delivery;
    log.error(
      { err: error, account, delivery: _id },
      'a delivery lost its earlier attempts: its row was damaged',
    );
  }

  async recorded({ knownWebhook, attempt, decision }: DeliveryResult): Promise<void> {
    // It is no failure of the receiver's, by which it would be unsubscribed.
    if (!attempt.wasSent) return;
    try {
      await this.#failures.learn(knownWebhook, attempt, decision);
    } finally {
      if (decision === 'gone') this.#parts.knownWebhooks.release(knownWebhook.id);
    }
  }

  async drop(queue: string): Promise<boolean> {
    const { deliveries } = this.#parts;
    const rows = await deliveries
      .find({ queue }, { _id: 1 })
      .sort({ due_at: 1, sequence: 1 })
      .limit(DROPPED_AT_ONCE)
      .lean();
    const ids = rows.map(({ _id }) => _id);
    if (ids.length > 0) {
      const waiting = { _id: { $in: ids }, state: 'pending' as const };
      // In this order: one that is erased in between is found by the second.
      await deliveries.updateMany({ ...waiting, ...NOT_ERASED }, settled('dropped'));
      await deliveries.updateMany({ ...waiting, ...ERASED }, settledErased('dropped'));
      // One that is decided and stands here all the same would be found again without end.
      const { $unset } = settled('dropped');
      await deliveries.updateMany({ _id: { $in: ids }, queue }, { $unset });
    }
    return ids.length === DROPPED_AT_ONCE;
  }
}

/** What a body tells of; undefined where it is damaged. */
const uuidIn = (body: string): string | undefined => {
  try {
    const { uuid } = JSON.parse(body).data;
    return typeof uuid === 'string' ? uuid : undefined;
  } catch {
    return undefined;
  }
};

/** Of 4xx, what says that the host can't keep up; the rest says that it lives, and refuses this webhook. */
const OVERLOADED: ReadonlySet<number> = new Set([408, 425, 429]);

const isRefusal = ({ status }: Pick<Attempt, 'status'>): boolean =>
  status !== null && status >= 400 && status < 500 && !OVERLOADED.has(status);
