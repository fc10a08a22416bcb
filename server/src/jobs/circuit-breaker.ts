import type { Duration } from '../platform/duration.ts';

interface CircuitBreakerOptions {
  /** So many failures in a row begin a pause. */
  after: number;
  /** Milliseconds between two probes. */
  probeEvery: Duration;
  /** Time for a probe; false when nothing is due that could be one. */
  probe(): boolean;
}

/**
 * Whether an origin is paused (docs/contract.md#origins): after a number of failures in a row it gets one
 * request, a probe, at a time, until one succeeds.
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #failuresInARow = 0;
  #isOpen = false;
  /** When it was time for a probe, nothing was due. */
  #isProbeOwed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** An attempt failed. @returns whether that began a pause */
  failed(): boolean {
    this.#failuresInARow++;
    if (this.#isOpen || this.#failuresInARow < this.#options.after) return false;
    this.#isOpen = true;
    this.#probeIn(this.#options.probeEvery);
    return true;
  }

  /** An attempt succeeded. @returns whether that ended a pause */
  succeeded(): boolean {
    this.#failuresInARow = 0;
    const wasOn = this.#isOpen;
    this.close();
    this.#isOpen = false;
    return wasOn;
  }

  /** Goes on with a pause that another owner began, which may have died between two probes. */
  resume(): void {
    this.#isOpen = true;
    this.#isProbeOwed = true;
  }

  /** Something is due that could be a probe. */
  offer(): void {
    if (!this.#isOpen || !this.#isProbeOwed) return;
    this.#isProbeOwed = false;
    this.#probeIn(0);
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #probeIn(delay: Duration): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#probeIn(this.#options.probeEvery);
      this.#isProbeOwed = !this.#options.probe();
    }, delay);
  }
}
