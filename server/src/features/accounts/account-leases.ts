import { setTimeout as sleep } from 'node:timers/promises';
import { ParlorError } from '../../platform/errors.ts';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { type RegistrationClaimModel, takeClaim } from './registration.model.ts';

/**
 * The lease: longer than what is done under one takes; a process that dies in between holds up its account until it
 * ends.
 */
const LEASE_MS = 15_000;
const PATIENCE_MS = 20_000;
const POLL_MS = 25;

/** Requests of one account that may wait here; its rate limit lets no more through anyway. */
const MAX_WAITING = 2_000;

/** A lease that is held. */
export interface Lease {
  /**
   * To be asked right before a write that nothing else keeps apart.
   * @throws ParlorError `unavailable` when another process may hold it by now, as after this one was stopped for long
   */
  check(): void;
}

const busy = (): ParlorError =>
  new ParlorError('unavailable', 'Too many are made at once. Try again.', {
    headers: { 'Retry-After': '1' },
  });

/** Leases under which one process at a time does something for an account. */
export class AccountLeases {
  readonly #claims: RegistrationClaimModel;
  readonly #mutex = new KeyedMutex(MAX_WAITING);

  constructor(claims: RegistrationClaimModel) {
    this.#claims = claims;
  }

  /**
   * Runs a task while nobody else runs one of that name.
   * @throws ParlorError `unavailable` when others hold the lease for too long
   */
  run<T>(name: string, task: (lease: Lease) => Promise<T>): Promise<T> {
    return this.#mutex.run(name, async () => {
      const { giveBack, ends } = await this.#hold(name);
      const check = (): void => {
        if (performance.now() > ends) throw busy();
      };
      try {
        return await task({ check });
      } finally {
        // It is done all the same, and the lease runs out.
        await giveBack().catch(() => undefined);
      }
    });
  }

  /** @returns how it is given back, and when it ends by the clock of `performance`, which is never set */
  async #hold(name: string): Promise<{ giveBack: () => Promise<void>; ends: number }> {
    for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
      const ends = performance.now() + LEASE_MS;
      const giveBack = await takeClaim(this.#claims, name, new Date(Date.now() + LEASE_MS), LEASE_MS);
      if (giveBack) return { giveBack, ends };
      if (performance.now() > deadline) throw busy();
    }
  }
}
