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
  run<T>(name: string, task: () => Promise<T>): Promise<T> {
    return this.#mutex.run(name, async () => {
      const giveBack = await this.#hold(name);
      try {
        return await task();
      } finally {
        // It is done all the same, and the lease runs out.
        await giveBack().catch(() => undefined);
      }
    });
  }

  async #hold(name: string): Promise<() => Promise<void>> {
    for (const deadline = Date.now() + PATIENCE_MS; ; await sleep(POLL_MS)) {
      const giveBack = await takeClaim(this.#claims, name, new Date(Date.now() + LEASE_MS));
      if (giveBack) return giveBack;
      if (Date.now() > deadline) {
        throw new ParlorError('unavailable', 'Too many are made at once. Try again.', {
          headers: { 'Retry-After': '1' },
        });
      }
    }
  }
}
