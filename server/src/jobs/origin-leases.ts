import type { Logger } from 'pino';
import { duplicateFields } from '../database/duplicate.ts';
import type { Duration } from '../platform/duration.ts';
import { newUuid } from '../platform/ids.ts';
import { Moment } from '../platform/moment.ts';
import { Sweeper } from '../platform/sweeper.ts';
import type {
  HeldKeys,
  OriginModel,
  SenderModel,
  StoredOrigin,
  StoredSender,
} from './origin-leases.model.ts';
import { UnownedOrigins } from './unowned-origins.ts';

/** Milliseconds. */
export interface LeaseTiming {
  /** How often a sender shows that it lives, and looks at the others. */
  beatEvery: Duration;
  /** A sender whose heartbeat was missing this long is dead, and others take over what it owned. */
  deadAfter: Duration;
  /** How often a sender asks what other processes have queued for it. */
  wokenEvery: Duration;
  /** The retention of a lease without a living owner. */
  forgottenAfter: Duration;
}

export const LEASE_TIMING: LeaseTiming = {
  beatEvery: 1_000,
  deadAfter: 5_000,
  wokenEvery: 100,
  forgottenAfter: 60_000,
};

/** The share of that time after which a sender without a heartbeat stops sending. */
const SAFETY = 0.8;

/** Who holds leases in this process: the runner of a kind of job. */
export interface LeaseHolder {
  /** It may send again after it could not, or origins wait for a new owner. */
  look(): void;
  /** Others have taken over: everything that was owned is lost. */
  lost(): void;
  /** Another process has queued something for an origin that this one owns. */
  woken(origin: string, queue: string): void;
}

/** The keys of this process (own-keys.ts). */
interface Keys {
  readonly held: HeldKeys;
  readonly isGone: boolean;
  learn(others: readonly HeldKeys[]): void;
  check(): Promise<void>;
  setBack(): void;
  startAnew(): void;
}

interface Parts {
  senders: SenderModel;
  origins: OriginModel;
  /** Written down with each beat; what nothing seals or opens needs none. */
  keys?: Keys;
  /** The database is this process's alone, so that every other sender is dead. */
  isOnlyProcess: boolean;
  timing?: LeaseTiming;
  log: Logger;
}

/**
 * Shares the origins among all server processes: each is owned by one, which alone keeps its limits, order and pause. A lease
 * is claimed by one write, and holds while its owner's counter moves: every process watches that by its own monotonic clock,
 * so that no jump or difference of wall clocks makes two owners. An owner whose machine slept is none any more.
 */
export class OriginLeases {
  readonly #parts: Parts;
  readonly #timing: LeaseTiming;
  readonly #holders = new Set<LeaseHolder>();
  readonly #owned = new Map<string, LeaseHolder>();
  readonly #others = new Map<string, { beat: number; seen: number }>();
  readonly #sweepers: readonly Sweeper[];
  readonly #unowned: UnownedOrigins;
  /** Earlier senders on this database are dead, and to be forgotten. */
  #isAlone: boolean;
  /** Undefined until it stands in the database: nobody would believe its claims before. */
  #id: string | undefined;
  /** The beats that the database has acknowledged under that id. */
  #beats = 0;
  /** When the last beat that the database has acknowledged was begun; undefined before the first. */
  #lastBeat: Moment | undefined;
  #lastLook = 0;

  constructor(parts: Parts) {
    const { isOnlyProcess, timing = LEASE_TIMING, log } = parts;
    this.#parts = parts;
    this.#timing = timing;
    this.#isAlone = isOnlyProcess;
    this.#unowned = new UnownedOrigins(parts.origins, timing.forgottenAfter);
    const failed = 'the database does not answer: sending waits for it';
    this.#sweepers = [
      new Sweeper({ sweep: () => this.#beat(), every: timing.beatEvery, log, failed }),
      new Sweeper({ sweep: () => this.#askForWoken(), every: timing.wokenEvery, log, failed }),
    ];
  }

  /** What others know this process by for now; another one after they thought it dead. */
  get id(): string | undefined {
    return this.#id;
  }

  /** Whether others know of this process, so that it may claim. */
  get isKnown(): boolean {
    return this.#id !== undefined;
  }

  /** Whether what this process claimed is certainly still its own, and may be signed here. */
  get isHeld(): boolean {
    const { deadAfter } = this.#timing;
    return (
      !this.#parts.keys?.isGone && this.#lastBeat !== undefined && this.#lastBeat.ago < deadAfter * SAFETY
    );
  }

  start(holder: LeaseHolder): void {
    this.#holders.add(holder);
    if (this.#holders.size === 1) for (const sweeper of this.#sweepers) sweeper.start();
    else if (this.isHeld) holder.look();
  }

  /** Gives back at once what a holder owns, for others to go on with. */
  async stop(holder: LeaseHolder): Promise<void> {
    const isLast = this.#holders.delete(holder) && this.#holders.size === 0;
    if (isLast) await Promise.all(this.#sweepers.map((sweeper) => sweeper.stop()));
    const id = this.#id;
    if (isLast) this.#id = this.#lastBeat = undefined;
    if (id === undefined) return;
    const held = [...this.#owned].filter(([, owner]) => owner === holder).map(([origin]) => origin);
    for (const origin of held) this.#owned.delete(origin);
    const own = { owner: id, ...(!isLast && { _id: { $in: held } }) };
    await this.#parts.origins.deleteMany({ ...own, paused: false });
    await this.#parts.origins.updateMany(own, { $set: { owner: '' } });
    if (isLast) await this.#parts.senders.deleteOne({ _id: id });
  }

  /**
   * Claims an origin for this process.
   * @returns the lease; undefined when another process owns it, which then knows of `queues`.
   */
  async claim(
    origin: string,
    queues: readonly string[],
    holder: LeaseHolder,
  ): Promise<StoredOrigin | undefined> {
    for (;;) {
      const id = this.#id;
      if (id === undefined) throw new Error('the sender has not started yet');
      const known = await this.#parts.origins.findOne({ _id: origin }).lean<StoredOrigin>();
      if (known && known.owner !== id && (await this.isAlive(known.owner))) {
        const told = new Set(known.woken);
        const untold = queues.filter((queue) => !told.has(queue));
        if (untold.length === 0) return undefined;
        const { matchedCount } = await this.#parts.origins.updateOne(
          { _id: origin, owner: known.owner },
          { $push: { woken: { $each: untold } }, $set: { woken_at: new Date() } },
        );
        if (matchedCount === 1) return undefined;
      } else {
        const lease = known?.owner === id ? known : await this.#take(origin, id, known);
        // What was claimed under a name that others have meanwhile buried is not owned.
        if (!lease || this.#id !== id) continue;
        this.#owned.set(origin, holder);
        return lease;
      }
    }
  }

  /** Gives an origin back, unless another process has just queued something for it. */
  async release(origin: string): Promise<void> {
    const own = { _id: origin, owner: this.#id, woken_at: { $exists: false } };
    if ((await this.#parts.origins.deleteOne(own)).deletedCount === 1) this.#owned.delete(origin);
  }

  /** Keeps in the lease whether the origin is paused, for whoever owns it next. */
  async setPaused(origin: string, paused: boolean): Promise<void> {
    await this.#parts.origins.updateOne({ _id: origin, owner: this.#id }, { $set: { paused } });
  }

  /** One write that succeeds for one process only. */
  #take(_id: string, id: string, known: StoredOrigin | null): Promise<StoredOrigin | null> {
    return this.#parts.origins
      .findOneAndUpdate(
        { _id, owner: known?.owner ?? '' },
        { $set: { owner: id, woken: [] }, $unset: { woken_at: 1 }, $setOnInsert: { paused: false } },
        { upsert: true, returnDocument: 'after' },
      )
      .lean<StoredOrigin>()
      .catch((error) => {
        // Another process was first.
        if (!duplicateFields(error)) throw error;
        return null;
      });
  }

  /** Whether a process, by its `id`, is alive for all that is known here: a dead one may count as that for some seconds. */
  async isAlive(sender: string): Promise<boolean> {
    if (sender === '') return false;
    return this.#others.has(sender) || (await this.#parts.senders.findOne({ _id: sender }).lean()) !== null;
  }

  async #beat(): Promise<void> {
    const { keys } = this.#parts;
    await keys?.check();
    // Without its key it sends nothing: others take over, as from a dead one.
    if (keys?.isGone) return;
    const begun = new Moment();
    if (this.#isAlone) await this.#parts.senders.deleteMany({});
    this.#isAlone = false;
    if (!(await this.#showLife())) await this.#enter();
    if (keys?.isGone) return;
    // Asked now: it may have lapsed while the database took its time.
    const wasHeld = this.isHeld;
    this.#lastBeat = begun;
    if (!wasHeld && this.isHeld) this.#lookAll();
    if (await this.#lookAtOthers()) this.#lookAll();
    if (this.#id !== undefined) await this.#unowned.look([this.#id, ...this.#others.keys()]);
  }

  /** @returns whether others know of this process */
  async #showLife(): Promise<boolean> {
    const { keys, senders } = this.#parts;
    if (this.#id === undefined) return false;
    const shown = { $inc: { beat: 1 }, ...(keys && { $set: keys.held }) };
    const own = await senders
      .findOneAndUpdate({ _id: this.#id }, shown, { returnDocument: 'after' })
      .lean<StoredSender>();
    if (!own) return false;
    if (own.beat <= this.#beats) keys?.setBack();
    this.#beats = own.beat;
    return true;
  }

  #lookAll(): void {
    for (const holder of this.#holders) holder.look();
  }

  /** The first beat, or the first after others thought this sender dead: it begins anew, owning nothing. */
  async #enter(): Promise<void> {
    const id = newUuid();
    if (this.#id !== undefined) this.#parts.keys?.startAnew();
    await this.#parts.senders.insertOne({ _id: id, beat: 0, ...this.#parts.keys?.held });
    this.#id = id;
    this.#beats = 0;
    if (this.#owned.size === 0) return;
    this.#owned.clear();
    for (const holder of this.#holders) holder.lost();
  }

  /** @returns whether a sender died or left */
  async #lookAtOthers(): Promise<boolean> {
    const now = performance.now();
    // While this process could not look, or the database not answer, nobody could be seen to live.
    const wasBlind = now - this.#lastLook > this.#timing.deadAfter / 2;
    this.#lastLook = now;
    const senders = await this.#parts.senders.find({}).lean<StoredSender[]>();
    const gone = new Set(this.#others.keys());
    for (const { _id, beat } of senders) {
      if (_id === this.#id) continue;
      gone.delete(_id);
      const known = this.#others.get(_id);
      if (known?.beat !== beat || wasBlind) {
        this.#others.set(_id, { beat, seen: now });
      } else if (now - known.seen > this.#timing.deadAfter) {
        // Only if it has not shown life at the last moment; its next beat tells it that it lost everything.
        const { deletedCount } = await this.#parts.senders.deleteOne({ _id, beat });
        if (deletedCount === 0) continue;
        gone.add(_id);
        this.#parts.log.warn({ sender: _id }, 'a sender is gone; taking over what it owned');
      }
    }
    for (const id of gone) this.#others.delete(id);
    this.#parts.keys?.learn(senders.filter(({ _id }) => this.#others.has(_id)));
    return gone.size > 0;
  }

  async #askForWoken(): Promise<void> {
    if (this.#others.size === 0 || !this.isHeld) return;
    const asked = { owner: this.#id, woken_at: { $gt: new Date(0) } };
    for (const { _id } of await this.#parts.origins.find(asked).limit(100).lean<StoredOrigin[]>()) {
      const holder = this.#owned.get(_id);
      // Its claim is not acknowledged yet: asked again.
      if (!holder) continue;
      const before = await this.#parts.origins
        .findOneAndUpdate({ _id, owner: this.#id }, { $set: { woken: [] }, $unset: { woken_at: 1 } })
        .lean<StoredOrigin>();
      for (const queue of before?.woken ?? []) holder.woken(_id, queue);
    }
  }
}
