import type { Logger } from 'pino';
import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';
import type { AttemptRecorder } from './attempt-recorder.ts';
import type { DeliveryModel } from './deliveries.model.ts';
import type { Failures } from './failures.ts';
import type { QueuedDelivery } from './subscription-queue.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';

/** The limits of docs/contract.md#origins. */
export interface OriginLimits {
  perSubscription: number;
  perOrigin: number;
  /** So many failures in a row pause an origin. */
  pauseAfter: number;
  /** Milliseconds between two probes of a paused origin. */
  probeEvery: Duration;
}

export const ORIGIN_LIMITS: OriginLimits = {
  perSubscription: 4,
  perOrigin: 16,
  pauseAfter: 10,
  probeEvery: 30_000,
};

/** Everything the queue of an origin needs from outside of itself. */
export interface OriginQueueContext {
  deliveries: DeliveryModel;
  subscriptions: Subscriptions;
  recorder: AttemptRecorder;
  failures: Failures;
  delays: readonly Duration[];
  limits: OriginLimits;
  log: Logger;
  /** Whether an attempt may begin now. */
  maySend(): boolean;
  send(subscription: Subscription, delivery: QueuedDelivery): Promise<Attempt>;
  /** Drops what waits for a subscription that is gone. */
  drop(webhook: string): Promise<void>;
  /** It has nothing more to do with a subscription's queue. */
  left(webhook: string): void;
  /** The subscription's target is elsewhere now, and nothing of it is in hand here any more. */
  handOver(webhook: string): void;
  /** Keeps for the next owner whether the origin is paused. */
  setPaused(origin: string, paused: boolean): void;
  /** What a stopping sender waits for. */
  track(run: Promise<unknown>): void;
}
