import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { latestDue } from '../database/has-come.ts';
import { Sweeper } from '../platform/sweeper.ts';
import { AttemptRecorder } from './attempt-recorder.ts';
import { Claims } from './claims.ts';
import type { Job, JobKind, Result, Target } from './job-kind.ts';
import type { LeaseHolder, OriginLeases } from './origin-leases.ts';
import { OriginQueue } from './origin-queue.ts';
import { Places } from './places.ts';

/** A job that is overdue by this much is looked at anew, even where its queue has a home. */
const OVERDUE_MS = 5_000;

/** The idle time after which an origin is given up, for any process to take. */
const IDLE_AFTER_MS = 60_000;

/** Results that may wait to be recorded; beyond them nothing more is sent. */
const MAX_UNRECORDED = 1_000;

/**
 * Sends the jobs of one kind. Each origin is owned by one process (origin-leases.ts) and has a queue there
 * (origin-queue.ts); a process that is told of new jobs for an origin that nobody owns claims it.
 */
export class JobRunner<J extends Job, T extends Target, R extends Result> {
  readonly #kind: JobKind<J, T, R>;
  readonly #leases: OriginLeases;
  readonly #log: Logger;
  readonly #recorder: AttemptRecorder<R>;
  readonly #sweeper: Sweeper;
  readonly #holder: LeaseHolder;
  readonly #origins = new Map<string, OriginQueue<J, T, R>>();
  readonly #claims: Claims<OriginQueue<J, T, R>>;
  /** The origin that each queue goes to. */
  readonly #homes = new Map<string, OriginQueue<J, T, R>>();
  readonly #places: Places;
  readonly #dropping = new Set<string>();
  readonly #running = new Set<Promise<unknown>>();
  #isRunning = false;

  constructor(kind: JobKind<J, T, R>, leases: OriginLeases, log: Logger) {
    this.#kind = kind;
    this.#leases = leases;
    this.#log = log;
    this.#places = new Places(kind.places, () => this.#mayBegin);
    this.#claims = new Claims((origin, queues) => this.#claim(origin, queues));
    this.#recorder = new AttemptRecorder(kind, log);
    const failed = 'searching for jobs failed';
    this.#sweeper = new Sweeper({ sweep: () => this.#sweep(), every: kind.sweepEvery, log, failed });
    this.#holder = {
      look: () => this.look(),
      lost: () => {
        this.#clear();
        this.look();
      },
      woken: (origin, queue) => this.wake(origin, queue),
    };
  }

  /** Whether an attempt may begin now. */
  get #mayBegin(): boolean {
    return this.#leases.isHeld && this.#recorder.backlog < MAX_UNRECORDED;
  }

  start(): void {
    this.#isRunning = true;
    this.#recorder.start();
    this.#sweeper.start();
    this.#leases.start(this.#holder);
  }

  /** Begins nothing more, finishes what is under way, and gives its origins back. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#clear();
    const underWay = Promise.allSettled([this.#sweeper.stop(), ...this.#claims.underWay, ...this.#running]);
    await Promise.race([underWay, sleep(this.#kind.stopTimeout, undefined, { ref: false })]);
    await this.#recorder.stop();
    try {
      await this.#leases.stop(this.#holder);
    } catch (error) {
      this.#log.warn({ err: error }, 'giving the leases of origins back failed; they run out');
    }
  }

  /**
   * Something waits in a queue that goes to `origin`. When it returns, some process knows of it, or the caller
   * learns that the database did not answer.
   */
  async notify(origin: string, queue: string): Promise<void> {
    // What is queued before the start is found by the first search.
    if (!this.#isRunning || !this.#leases.isKnown) return;
    const home = this.#homes.get(queue);
    // Its target has moved: what is under way at the old one ends first, so that nothing is sent twice.
    if (home && home.origin !== origin) return home.leave(queue);
    const owned = this.#origins.get(origin) ?? (await this.#claims.claim(origin, queue));
    if (!owned || this.#origins.get(origin) !== owned) return;
    this.#homes.set(queue, owned);
    owned.check(queue);
  }

  /** The same without waiting: what the database does not take now is found by a search. */
  wake(origin: string, queue: string): void {
    this.notify(origin, queue).catch(() => this.#sweeper.wake());
  }

  /** Searches all queues for what may be sent, and returns at once. */
  look(): void {
    this.#sweeper.wake();
    for (const owned of this.#origins.values()) owned.advance();
    // Who was to be told of a place while nothing might begin has kept waiting.
    this.#places.tell();
  }

  /** A request outside of the queues has reached an origin. @param owner whose it was, as JobKind has it */
  reached(origin: string, owner: string): void {
    this.#origins.get(origin)?.reached(owner);
  }

  /**
   * Tries a job once, at once, whatever waits in its queue; what follows from it is recorded as always. It goes where its queue
   * goes now, which may have moved or gone since the job was made.
   */
  runNow(queue: string, job: J): Promise<void> {
    const run = async () => {
      const target = await this.#kind.target(queue);
      if (!target) return this.drop(queue);
      const result = await this.#kind.attempt(job, target);
      if (!result) return;
      if (result.isWell) this.reached(target.origin, this.#kind.ownerOf(job));
      await this.#record(result);
      await this.notify(target.origin, queue);
      await this.#kind.recorded?.(result);
    };
    return this.#track(run(), 'a job waits for its turn');
  }

  /**
   * The target of a queue is gone: what waits is dropped, the most of it after this has returned; after a crash, as the
   * search comes upon it.
   */
  async drop(queue: string): Promise<void> {
    if (this.#dropping.has(queue) || !(await this.#kind.drop(queue))) return;
    this.#dropping.add(queue);
    const rest = this.#dropRest(queue).finally(() => this.#dropping.delete(queue));
    void this.#track(rest, 'dropping jobs waits for the database');
  }

  async #dropRest(queue: string): Promise<void> {
    for (let hasMore = true; hasMore && this.#isRunning; ) {
      const begun = performance.now();
      hasMore = await this.#kind.drop(queue);
      // Leaves the database to others for half of the time.
      await sleep(performance.now() - begun);
    }
  }

  /** Who waits for a place is told once fewer results are unrecorded. */
  #record(result: R): Promise<void> {
    return this.#recorder.record(result).finally(() => this.#places.tell());
  }

  #clear(): void {
    for (const owned of this.#origins.values()) owned.close();
    this.#origins.clear();
    this.#homes.clear();
  }

  /** Goes from one waiting queue to the next, however long these are. */
  async #sweep(): Promise<void> {
    if (!this.#leases.isKnown) return;
    await this.#releaseIdle();
    for (let last = ''; this.#isRunning; ) {
      const next = await this.#kind.nextQueue(last);
      if (!next) return;
      last = next.queue;
      // A queue that can't be looked after keeps no other back.
      await this.#lookAfter(next).catch((error) =>
        this.#log.error({ err: error, queue: next.queue }, 'the jobs of a queue wait'),
      );
    }
  }

  async #lookAfter({ queue, due_at }: { queue: string; due_at: Date }): Promise<void> {
    const wasPutOff = await this.#kind.bringForward(queue, latestDue(this.#kind.longestDelay));
    const isLookedAfter = this.#homes.has(queue) && due_at.getTime() > Date.now() - OVERDUE_MS;
    if (wasPutOff || !isLookedAfter) await this.#findHome(queue);
  }

  async #releaseIdle(): Promise<void> {
    for (const [origin, owned] of this.#origins) {
      if (owned.idleFor < IDLE_AFTER_MS) continue;
      owned.close();
      this.#origins.delete(origin);
      // Whoever wants it meanwhile waits, and then claims it anew. One that was not released is claimed by it, too.
      const release = this.#leases.release(origin).then(
        () => undefined,
        () => undefined,
      );
      await this.#claims.alone(origin, release);
    }
  }

  async #findHome(queue: string): Promise<void> {
    const home = this.#homes.get(queue);
    if (home) return home.check(queue);
    const target = await this.#kind.target(queue);
    if (target) await this.notify(target.origin, queue);
    else await this.drop(queue);
  }

  async #claim(origin: string, queues: readonly string[]): Promise<OriginQueue<J, T, R> | undefined> {
    const lease = await this.#leases.claim(origin, queues, this.#holder);
    if (!lease || !this.#isRunning) return undefined;
    const owned = this.#open(origin, lease.paused);
    this.#origins.set(origin, owned);
    return owned;
  }

  #open(origin: string, isPaused: boolean): OriginQueue<J, T, R> {
    const owned: OriginQueue<J, T, R> = new OriginQueue(
      origin,
      this.#kind,
      {
        log: this.#log,
        places: this.#places,
        mayBegin: () => this.#mayBegin,
        track: (run) => void this.#track(run, 'a job waits for the database'),
        record: (result) => this.#record(result),
        drop: (queue) => {
          this.#homes.delete(queue);
          return this.drop(queue);
        },
        left: (queue, isLeaving) => {
          if (this.#homes.get(queue) === owned) this.#homes.delete(queue);
          if (isLeaving) this.#findHome(queue).catch(() => this.#sweeper.wake());
        },
        setPaused: (paused) => {
          const saved = this.#leases.setPaused(origin, paused);
          void this.#track(saved, 'the pause of an origin is known to this process only');
        },
      },
      isPaused,
    );
    return owned;
  }

  /** Lets the runner wait for something when it stops. @param failed what the log says when it fails */
  #track(run: Promise<unknown>, failed: string): Promise<void> {
    const tracked = run
      .catch((error) => this.#log.warn({ err: error }, failed))
      .then(() => void this.#running.delete(tracked));
    this.#running.add(tracked);
    return tracked;
  }
}
