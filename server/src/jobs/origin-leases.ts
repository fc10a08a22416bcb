import type { Logger } from 'pino';
import { duplicateFields } from '../database/duplicate.ts';
import { newUuid } from '../platform/ids.ts';
import type { OriginModel, SenderModel, StoredOrigin, StoredSender } from './origin-leases.model.ts';

/** Milliseconds. */
export interface LeaseTiming {
  /** How often a sender shows that it lives, and looks at the others. */
  beatEvery: number;
  /** A sender whose heartbeat was missing this long is dead, and others take over what it owned. */
  deadAfter: number;
  /** How often a sender asks what other processes have queued for it. */
  wokenEvery: number;
}

export const LEASE_TIMING: LeaseTiming = { beatEvery: 1_000, deadAfter: 5_000, wokenEvery: 100 };

/** The share of that time after which a sender without a heartbeat stops sending. */
const SAFETY = 0.8;

interface Listener {
  /** This process may send again after it could not. */
  onHeld(): void;
  /** Others have taken over: everything that was owned is lost. */
  onLost(): void;
  /** A sender died or left: what it owned waits for a new owner. */
  onSenderGone(): void;
  /** Another process has queued deliveries of an origin that this one owns. */
  onWoken(origin: string, webhook: string): void;
}

/**
 * Shares the origins among all server processes on one database: each is owned by one of them, which alone keeps
 * its limits, its order and its pause. A lease is claimed by one write and holds for as long as its owner lives.
 * Who lives is told by a counter that each watches with a clock that only goes forward, so that neither a jump of
 * a wall clock nor a difference between two machines' clocks makes two owners.
 */
export class OriginLeases {
  readonly #senders: SenderModel;
  readonly #origins: OriginModel;
  readonly #listener: Listener;
  readonly #timing: LeaseTiming;
  readonly #log: Logger;
  /** Undefined until it stands in the database: nobody would believe its claims before. */
  #id: string | undefined;
  /** When the last beat that the database has acknowledged was begun; undefined before the first. */
  #lastBeat: number | undefined;
  #wasHeld = false;
  #lastLook = 0;
  readonly #others = new Map<string, { beat: number; seen: number }>();
  #timers: NodeJS.Timeout[] = [];
  #beating: Promise<void> | undefined;
  #asking: Promise<void> | undefined;

  constructor(
    senders: SenderModel,
    origins: OriginModel,
    listener: Listener,
    timing: LeaseTiming,
    log: Logger,
  ) {
    this.#senders = senders;
    this.#origins = origins;
    this.#listener = listener;
    this.#timing = timing;
    this.#log = log;
  }

  /** Whether others know of this process, so that it may claim. */
  get isKnown(): boolean {
    return this.#id !== undefined;
  }

  /** Whether what this process claimed is certainly still its own. */
  get isHeld(): boolean {
    const { deadAfter } = this.#timing;
    return this.#lastBeat !== undefined && performance.now() - this.#lastBeat < deadAfter * SAFETY;
  }

  /** @param isOnlyProcess the database is this process's alone, so that every other sender is dead */
  start(isOnlyProcess: boolean): void {
    this.#beating = this.#begin(isOnlyProcess);
    this.#timers = [
      setInterval(() => {
        this.#beating ??= this.#beat();
      }, this.#timing.beatEvery),
      setInterval(() => {
        if (this.#others.size > 0) this.#asking ??= this.#askForWoken();
      }, this.#timing.wokenEvery),
    ];
  }

  async #begin(isOnlyProcess: boolean): Promise<void> {
    try {
      if (isOnlyProcess) await this.#senders.deleteMany({});
    } catch (error) {
      this.#log.warn({ err: error }, 'forgetting earlier senders failed; they are waited for');
    }
    await this.#beat();
  }

  /** Gives everything back at once, for others to go on with. */
  async stop(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all([this.#beating, this.#asking]);
    this.#lastBeat = undefined;
    if (this.#id === undefined) return;
    await this.#origins.deleteMany({ owner: this.#id, paused: false });
    await this.#origins.updateMany({ owner: this.#id }, { $set: { owner: '' } });
    await this.#senders.deleteOne({ _id: this.#id });
  }

  /**
   * Claims an origin for this process.
   * @returns the lease; undefined when another process owns it, which then knows of `webhook`.
   */
  async claim(origin: string, webhook: string): Promise<StoredOrigin | undefined> {
    for (;;) {
      const id = this.#id;
      if (id === undefined) throw new Error('the sender has not started yet');
      const known = await this.#origins.findOne({ _id: origin }).lean<StoredOrigin>();
      if (known?.owner === id) return known;
      if (known && (await this.#isAlive(known.owner))) {
        if (known.woken.includes(webhook)) return undefined;
        const { matchedCount } = await this.#origins.updateOne(
          { _id: origin, owner: known.owner },
          { $push: { woken: webhook }, $set: { woken_at: new Date() } },
        );
        if (matchedCount === 1) return undefined;
      } else {
        const lease = await this.#take(origin, id, known);
        // What was claimed under a name that others have meanwhile buried is not owned.
        if (lease && this.#id === id) return lease;
      }
    }
  }

  /** One write that succeeds for one process only. */
  async #take(origin: string, id: string, known: StoredOrigin | null): Promise<StoredOrigin | undefined> {
    if (known) {
      const taken = await this.#origins
        .findOneAndUpdate(
          { _id: origin, owner: known.owner },
          { $set: { owner: id, woken: [] }, $unset: { woken_at: 1 } },
          { returnDocument: 'after' },
        )
        .lean<StoredOrigin>();
      return taken ?? undefined;
    }
    const lease: StoredOrigin = { _id: origin, owner: id, paused: false, woken: [] };
    try {
      await this.#origins.insertOne(lease);
      return lease;
    } catch (error) {
      if (!duplicateFields(error)) throw error;
      return undefined;
    }
  }

  /** Gives an origin back; false when another process has just queued something for it. */
  async release(origin: string): Promise<boolean> {
    const own = { _id: origin, owner: this.#id, woken_at: { $exists: false } };
    return (await this.#origins.deleteOne(own)).deletedCount === 1;
  }

  /** Keeps in the lease whether the origin is paused, for whoever owns it next. */
  async setPaused(origin: string, paused: boolean): Promise<void> {
    await this.#origins.updateOne({ _id: origin, owner: this.#id }, { $set: { paused } });
  }

  async #isAlive(sender: string): Promise<boolean> {
    if (sender === '') return false;
    return this.#others.has(sender) || (await this.#senders.findOne({ _id: sender }).lean()) !== null;
  }

  async #beat(): Promise<void> {
    try {
      const begun = performance.now();
      const isKnown =
        this.#id !== undefined &&
        (await this.#senders.updateOne({ _id: this.#id }, { $inc: { beat: 1 } })).matchedCount === 1;
      if (!isKnown) await this.#enter();
      this.#lastBeat = begun;
      await this.#lookAtOthers();
    } catch (error) {
      this.#log.warn({ err: error }, 'webhook sender has lost the database; sending waits for it');
    } finally {
      this.#beating = undefined;
    }
    if (this.isHeld && !this.#wasHeld) this.#listener.onHeld();
    this.#wasHeld = this.isHeld;
  }

  /** The first beat, or the first after others thought this sender dead: it begins anew, owning nothing. */
  async #enter(): Promise<void> {
    const id = newUuid();
    await this.#senders.insertOne({ _id: id, beat: 0 });
    const isFirst = this.#id === undefined;
    this.#id = id;
    if (!isFirst) this.#listener.onLost();
  }

  async #lookAtOthers(): Promise<void> {
    const now = performance.now();
    // While this process could not look, or the database not answer, nobody could be seen to live.
    const wasBlind = now - this.#lastLook > this.#timing.deadAfter / 2;
    this.#lastLook = now;
    const present = await this.#senders.find({}).lean<StoredSender[]>();
    const ids = new Set(present.map(({ _id }) => _id));
    let isOneGone = false;
    for (const id of this.#others.keys()) {
      if (ids.has(id)) continue;
      this.#others.delete(id);
      isOneGone = true;
    }
    for (const { _id, beat } of present) {
      if (_id === this.#id) continue;
      const known = this.#others.get(_id);
      if (known?.beat !== beat || wasBlind) {
        this.#others.set(_id, { beat, seen: now });
      } else if (now - known.seen > this.#timing.deadAfter) {
        // Only if it has not shown life at the last moment; its next beat tells it that it lost everything.
        const { deletedCount } = await this.#senders.deleteOne({ _id, beat });
        if (deletedCount === 0) continue;
        this.#others.delete(_id);
        isOneGone = true;
        this.#log.warn({ sender: _id }, 'a webhook sender is gone; taking over what it owned');
      }
    }
    if (isOneGone) this.#listener.onSenderGone();
  }

  async #askForWoken(): Promise<void> {
    try {
      const woken = await this.#origins
        .find({ owner: this.#id, woken_at: { $gt: new Date(0) } })
        .limit(100)
        .lean<StoredOrigin[]>();
      for (const { _id } of woken) {
        const before = await this.#origins
          .findOneAndUpdate({ _id, owner: this.#id }, { $set: { woken: [] }, $unset: { woken_at: 1 } })
          .lean<StoredOrigin>();
        for (const webhook of before?.woken ?? []) this.#listener.onWoken(_id, webhook);
      }
    } catch (error) {
      this.#log.debug({ err: error }, 'asking for queued deliveries failed');
    } finally {
      this.#asking = undefined;
    }
  }
}
