import type { Logger } from 'pino';
import type { Duration } from '../../platform/duration.ts';
import type { Attempt } from './attempt.ts';
import type { DeliveryModel } from './deliveries.model.ts';
import type { Failures } from './failures.ts';
import type { QueuedDelivery } from './queue.ts';
import type { Recorder } from './recorder.ts';
import type { Subscription, Subscriptions } from './subscriptions.ts';

/** The limits of docs/contract.md#origins. */
export interface LaneLimits {
  perSubscription: number;
  perOrigin: number;
  /** So many failures in a row pause an origin. */
  pauseAfter: number;
  /** Milliseconds between two probes of a paused origin. */
  probeEvery: Duration;
}

export const LANE_LIMITS: LaneLimits = {
  perSubscription: 4,
  perOrigin: 16,
  pauseAfter: 10,
  probeEvery: 30_000,
};

/** Everything a lane needs from outside of itself. */
export interface LaneContext {
  deliveries: DeliveryModel;
  subscriptions: Subscriptions;
  recorder: Recorder;
  failures: Failures;
  delays: readonly Duration[];
  limits: LaneLimits;
  log: Logger;
  /** Whether an attempt may begin now. */
  maySend(): boolean;
  send(subscription: Subscription, delivery: QueuedDelivery): Promise<Attempt>;
  /** Drops what waits for a subscription that is gone. */
  drop(webhook: string): Promise<void>;
  /** The lane has nothing more to do with a subscription's queue. */
  left(webhook: string): void;
  /** The subscription's target is elsewhere now, and nothing of it is in hand here any more. */
  handOver(webhook: string): void;
  /** Keeps for the next owner whether the origin is paused. */
  setPaused(origin: string, paused: boolean): void;
  /** What a stopping sender waits for. */
  track(run: Promise<unknown>): void;
}
