import { setTimeout as sleep } from 'node:timers/promises';
import { databaseAway } from '../../database/unavailable.ts';
import type { Duration } from '../../platform/duration.ts';
import { ParlorError } from '../../platform/errors.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { Moment } from '../../platform/moment.ts';
import { extendClaim, type RegistrationClaimModel, takeClaim } from './registration.model.ts';

/**
 * The lease: longer than what is done under one takes; a process that dies in between holds up its account until it
 * ends.
 */
const LEASE_MS = 15_000;
/** Who waits for one waits for as much longer than a process that died holds it. */
const PATIENCE_MS = 5_000;
const POLL_MS = 25;

/** One that is kept on: longer than the largest write takes. It is renewed once a third of it has passed. */
const KEPT_LEASE_MS = 30_000;
const KEPT_FRESH_MS = 20_000;
const RENEW_EVERY_MS = 10_000;

/** Requests of one account that may wait here; its rate limit lets no more through anyway. */
const MAX_WAITING = 2_000;

/** A lease that is held. */
export interface Lease {
  /**
   * To be asked right before a write that nothing else keeps apart.
   * @throws ParlorError `unavailable` when another process may hold it by now, as after this one was stopped or slept for long
   */
  check(): void;
}

/** The name of the lease under which one process at a time reads an account in, or deletes it: as older versions call an import's. */
export const wholeAccountLease = (account: string): string => `import ${account}`;

/** A lease that is kept for as long as something takes, by a timer, until it is given back. */
export interface KeptLease {
  /**
   * Keeps it on, where some of its time has passed, as after the process was stopped. To be asked before each write. One that ran
   * out is taken anew where nobody has it: somebody else may have had it meanwhile.
   * @throws ParlorError `unavailable` when another one holds it
   */
  renew(): Promise<void>;
  /**
   * To be asked right before a write that nothing else keeps apart, and that is through within `needed` milliseconds.
   * @throws ParlorError `unavailable` when another process may hold it by then
   */
  check(needed: Duration): void;
  giveBack(): Promise<void>;
}

const busy = (): ParlorError =>
  new ParlorError('unavailable', 'Too many are made at once. Try again.', {
    headers: { 'Retry-After': '1' },
  });

/** How a lease is waited for that another one holds. */
interface Waiting {
  /** Milliseconds: as a rule as long as a process that died holds one. */
  patience?: Duration | undefined;
  stopped?: AbortSignal;
}

/** What was taken: when, for how long, and what says so in the database. */
interface Held {
  giveBack: () => Promise<void>;
  taken: Moment;
  lease: Duration;
  expires_at: Date;
}

/** How long it is certainly held as yet. */
const left = ({ taken, lease }: Held): Duration => lease - taken.ago;

/** Leases under which one process at a time does something for an account. */
export class AccountLeases {
  readonly #claims: RegistrationClaimModel;
  readonly #mutex = new KeyedMutex({ maxWaiting: MAX_WAITING, endsAll: databaseAway });

  constructor(claims: RegistrationClaimModel) {
    this.#claims = claims;
  }

  /**
   * Runs a task while nobody else runs one of that name.
   * @throws ParlorError `unavailable` when others hold the lease for too long
   */
  run<T>(name: string, task: (lease: Lease) => Promise<T>): Promise<T> {
    return this.#mutex.run(name, async () => {
      const held = await this.#hold(name);
      const check = (): void => {
        if (left(held) < 0) throw busy();
      };
      try {
        return await task({ check });
      } finally {
        // It is done all the same, and the lease runs out.
        await held.giveBack().catch(() => undefined);
      }
    });
  }

  /**
   * Takes a lease for what takes longer than one.
   * @throws ParlorError `unavailable` when another one has it for the time that it is waited for; what `stopped` is aborted with
   */
  async keep(name: string, waiting: Waiting = {}): Promise<KeptLease> {
    let held = await this.#hold(name, KEPT_LEASE_MS, waiting);
    // More than one where it isn't known which was written, as after a lost reply.
    let written = [held.expires_at];
    let underWay: Promise<void> | undefined;
    const renewNow = async (): Promise<void> => {
      if (left(held) > KEPT_FRESH_MS) return;
      const taken = new Moment();
      const expires_at = new Date(Date.now() + KEPT_LEASE_MS);
      written = [...written, expires_at];
      const giveBack =
        (await extendClaim(this.#claims, name, written, expires_at)) ??
        (await takeClaim(this.#claims, name, expires_at, KEPT_LEASE_MS));
      if (!giveBack) throw busy();
      held = { giveBack, taken, lease: KEPT_LEASE_MS, expires_at };
      written = [expires_at];
    };
    const renew = (): Promise<void> => {
      underWay ??= renewNow().finally(() => {
        underWay = undefined;
      });
      return underWay;
    };
    // What fails is told by the next write.
    const timer = setInterval(() => renew().catch(() => undefined), RENEW_EVERY_MS);
    return {
      renew,
      check: (needed) => {
        if (left(held) < needed) throw busy();
      },
      giveBack: async () => {
        clearInterval(timer);
        await underWay?.catch(() => undefined);
        await held.giveBack();
      },
    };
  }

  async #hold(name: string, lease = LEASE_MS, { patience, stopped }: Waiting = {}): Promise<Held> {
    const deadline = performance.now() + (patience ?? lease + PATIENCE_MS);
    for (; ; await sleep(POLL_MS)) {
      stopped?.throwIfAborted();
      const taken = new Moment();
      const expires_at = new Date(Date.now() + lease);
      const giveBack = await takeClaim(this.#claims, name, expires_at, lease);
      if (giveBack) return { giveBack, taken, lease, expires_at };
      if (performance.now() > deadline) throw busy();
    }
  }
}
