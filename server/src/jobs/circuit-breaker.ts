import type { OriginLimits } from './job-kind.ts';

/**
 * Pauses an origin after a number of failures in a row (docs/contract.md#origins). Then it is half-open from time to
 * time, and admits one request, a probe, until one succeeds.
 */
export class CircuitBreaker {
  readonly #limits: OriginLimits;
  readonly #onHalfOpen: () => void;
  #state: 'closed' | 'open' | 'half-open' = 'closed';
  #failuresInARow = 0;
  #isProbing = false;
  #timer: NodeJS.Timeout | undefined;

  /** @param onHalfOpen told when a probe may begin */
  constructor(limits: OriginLimits, onHalfOpen: () => void) {
    this.#limits = limits;
    this.#onHalfOpen = onHalfOpen;
  }

  get state(): 'closed' | 'open' | 'half-open' {
    return this.#state;
  }

  /** Whether a request may begin beside those in flight. */
  admits(inFlight: number): boolean {
    return this.#state === 'closed' || (this.#state === 'half-open' && inFlight === 0);
  }

  /** A request begins. */
  began(): void {
    if (this.#state !== 'half-open') return;
    this.#isProbing = true;
    this.#open();
  }

  /** What began has sent nothing: if it was the probe, another one may follow at once. */
  unused(): void {
    if (this.#isProbing) this.resume();
  }

  /** @returns whether that began a pause */
  failed(): boolean {
    this.#failuresInARow++;
    this.#isProbing = false;
    if (this.#state !== 'closed' || this.#failuresInARow < this.#limits.pauseAfter) return false;
    this.#open();
    return true;
  }

  /** @returns whether that ended a pause */
  succeeded(): boolean {
    const wasPaused = this.#state !== 'closed';
    this.resume();
    this.#state = 'closed';
    this.#failuresInARow = 0;
    return wasPaused;
  }

  /** Goes on with a pause that another owner began, which may have died between two probes. */
  resume(): void {
    this.close();
    this.#isProbing = false;
    this.#state = 'half-open';
  }

  /** Ends the timer. */
  close(): void {
    clearTimeout(this.#timer);
  }

  #open(): void {
    this.#state = 'open';
    this.close();
    this.#timer = setTimeout(() => {
      this.#state = 'half-open';
      this.#onHalfOpen();
    }, this.#limits.probeEvery);
  }
}
