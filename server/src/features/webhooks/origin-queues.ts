import type { OriginLeases } from '../../jobs/origin-leases.ts';
import type { DeliveryModel } from './deliveries.model.ts';
import { OriginQueue } from './origin-queue.ts';
import type { OriginQueueContext } from './origin-queue-context.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A delivery that is overdue by this much is looked at anew, even where it has a queue. */
const OVERDUE_MS = 5_000;

/** The idle time after which a queue is given up, for any process to take. */
export const IDLE_AFTER_MS = 60_000;

interface OriginQueuesParts {
  deliveries: DeliveryModel;
  subscriptions: Subscriptions;
  leases: OriginLeases;
  /** What each queue gets, beside what this class answers itself. */
  context: Omit<OriginQueueContext, 'left' | 'handOver' | 'setPaused'>;
  /** Drops what waits for a subscription that is gone. */
  drop(webhook: string): Promise<void>;
  /** Something may be waiting that no queue knows of. */
  onUncertain(): void;
}

/** The queues of the origins that this process owns, and which queue each subscription's queue is in. */
export class OriginQueues {
  readonly #parts: OriginQueuesParts;
  readonly #queues = new Map<string, OriginQueue>();
  readonly #claims = new Map<string, Promise<OriginQueue | undefined>>();
  readonly #homes = new Map<string, OriginQueue>();
  #isOpen = true;

  constructor(parts: OriginQueuesParts) {
    this.#parts = parts;
  }

  get(origin: string): OriginQueue | undefined {
    return this.#queues.get(origin);
  }

  /** Begins in each queue what may begin now. */
  advance(): void {
    for (const queue of this.#queues.values()) queue.advance();
  }

  /** What was owned is lost; claims begin anew. */
  clear(): void {
    for (const queue of this.#queues.values()) queue.close();
    this.#queues.clear();
    this.#homes.clear();
  }

  close(): void {
    this.#isOpen = false;
    this.clear();
  }

  /**
   * Something waits for a subscription whose target is at `origin`. When it returns, some process knows of it, or
   * the caller learns that the database did not answer.
   */
  async notify(origin: string, webhook: string): Promise<void> {
    const home = this.#homes.get(webhook);
    // Its target has moved: what is under way at the old one ends first, so that nothing is sent twice.
    if (home && home.origin !== origin) return home.leave(webhook);
    const queue = this.#queues.get(origin) ?? (await this.#claim(origin, webhook));
    if (!queue || this.#queues.get(origin) !== queue) return;
    this.#homes.set(webhook, queue);
    queue.check(webhook);
  }

  /** Goes from one waiting subscription to the next by the index of the queues, however long these are. */
  async sweep(): Promise<void> {
    for (let last = ''; this.#isOpen; ) {
      const next = await this.#parts.deliveries
        .findOne({ queue: { $gt: last } }, { queue: 1, due_at: 1 })
        .sort({ queue: 1, due_at: 1, sequence: 1 })
        .lean<{ queue: string; due_at: Date }>();
      if (!next) return;
      last = next.queue;
      const isLookedAfter = this.#homes.has(last) && next.due_at.getTime() > Date.now() - OVERDUE_MS;
      if (!isLookedAfter) await this.#findHome(last);
    }
  }

  async releaseIdle(): Promise<void> {
    for (const [origin, queue] of this.#queues) {
      if (queue.idleFor < IDLE_AFTER_MS) continue;
      queue.close();
      this.#queues.delete(origin);
      // Whoever wants it meanwhile waits, and then claims it anew.
      const release = this.#parts.leases
        .release(origin)
        .then(
          () => undefined,
          () => undefined,
        )
        .finally(() => this.#claims.delete(origin));
      this.#claims.set(origin, release);
      await release;
    }
  }

  async #findHome(webhook: string): Promise<void> {
    const home = this.#homes.get(webhook);
    if (home) return home.check(webhook);
    const subscription = await this.#parts.subscriptions.get(webhook);
    if (subscription) await this.notify(subscription.origin, webhook);
    else await this.#parts.drop(webhook);
  }

  #claim(origin: string, webhook: string): Promise<OriginQueue | undefined> {
    const running = this.#claims.get(origin);
    // A claim that is under way tells another owner of its own subscription only.
    if (running) return running.then((queue) => queue ?? this.#claim(origin, webhook));
    const claim = this.#parts.leases
      .claim(origin, webhook)
      .then((lease) => {
        if (!lease || !this.#isOpen) return undefined;
        const queue = new OriginQueue(origin, this.#context, lease.paused);
        this.#queues.set(origin, queue);
        return queue;
      })
      .finally(() => this.#claims.delete(origin));
    this.#claims.set(origin, claim);
    return claim;
  }

  get #context(): OriginQueueContext {
    const { context, leases, onUncertain } = this.#parts;
    return {
      ...context,
      left: (webhook) => this.#homes.delete(webhook),
      handOver: (webhook) => void this.#findHome(webhook).catch(onUncertain),
      setPaused: (origin, paused) => {
        leases.setPaused(origin, paused).catch((error) => {
          context.log.debug({ err: error, origin }, 'the pause is known to this process only');
        });
      },
    };
  }
}
