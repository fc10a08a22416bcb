import type { DeliveryModel } from './deliveries.model.ts';
import { Lane } from './lane.ts';
import type { LaneContext } from './lane-context.ts';
import type { Ownership } from './ownership.ts';
import type { Subscriptions } from './subscriptions.ts';

/** A delivery that is overdue by this much is looked at anew, even where it has a lane. */
const OVERDUE_MS = 5_000;

/** The idle time after which a lane is given up, for any process to take. */
export const IDLE_AFTER_MS = 60_000;

interface LanesParts {
  deliveries: DeliveryModel;
  subscriptions: Subscriptions;
  ownership: Ownership;
  /** What each lane gets, beside what this class answers itself. */
  context: Omit<LaneContext, 'left' | 'handOver' | 'setPaused'>;
  /** Drops what waits for a subscription that is gone. */
  drop(webhook: string): Promise<void>;
  /** Something may be waiting that no lane knows of. */
  onUncertain(): void;
}

/** The lanes of the origins that this process owns, and which lane each subscription's queue is in. */
export class Lanes {
  readonly #parts: LanesParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #claims = new Map<string, Promise<Lane | undefined>>();
  readonly #homes = new Map<string, Lane>();
  #isOpen = true;

  constructor(parts: LanesParts) {
    this.#parts = parts;
  }

  get(origin: string): Lane | undefined {
    return this.#lanes.get(origin);
  }

  /** Begins in each lane what may begin now. */
  advance(): void {
    for (const lane of this.#lanes.values()) lane.advance();
  }

  /** What was owned is lost; claims begin anew. */
  clear(): void {
    for (const lane of this.#lanes.values()) lane.close();
    this.#lanes.clear();
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
    const lane = this.#lanes.get(origin) ?? (await this.#claim(origin, webhook));
    if (!lane || this.#lanes.get(origin) !== lane) return;
    this.#homes.set(webhook, lane);
    lane.check(webhook);
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
    for (const [origin, lane] of this.#lanes) {
      if (lane.idleFor < IDLE_AFTER_MS) continue;
      lane.close();
      this.#lanes.delete(origin);
      // Whoever wants it meanwhile waits, and then claims it anew.
      const release = this.#parts.ownership
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

  #claim(origin: string, webhook: string): Promise<Lane | undefined> {
    const running = this.#claims.get(origin);
    // A claim that is under way tells another owner of its own subscription only.
    if (running) return running.then((lane) => lane ?? this.#claim(origin, webhook));
    const claim = this.#parts.ownership
      .claim(origin, webhook)
      .then((lease) => {
        if (!lease || !this.#isOpen) return undefined;
        const lane = new Lane(origin, this.#context, lease.paused);
        this.#lanes.set(origin, lane);
        return lane;
      })
      .finally(() => this.#claims.delete(origin));
    this.#claims.set(origin, claim);
    return claim;
  }

  get #context(): LaneContext {
    const { context, ownership, onUncertain } = this.#parts;
    return {
      ...context,
      left: (webhook) => this.#homes.delete(webhook),
      handOver: (webhook) => void this.#findHome(webhook).catch(onUncertain),
      setPaused: (origin, paused) => {
        ownership.setPaused(origin, paused).catch((error) => {
          context.log.debug({ err: error, origin }, 'the pause is known to this process only');
        });
      },
    };
  }
}
