import type { Duration } from '../../platform/duration.ts';

interface PauseOptions {
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
export class Pause {
  readonly #options: PauseOptions;
  #failuresInARow = 0;
  #isOn = false;
  /** When it was time for a probe, nothing was due. */
  #isProbeOwed = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: PauseOptions) {
    this.#options = options;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  /** An attempt failed. @returns whether that began a pause */
  failed(): boolean {
    this.#failuresInARow++;
    if (this.#isOn || this.#failuresInARow < this.#options.after) return false;
    this.#isOn = true;
    this.#probeIn(this.#options.probeEvery);
    return true;
  }

  /** An attempt succeeded. @returns whether that ended a pause */
  succeeded(): boolean {
    this.#failuresInARow = 0;
    const wasOn = this.#isOn;
    this.close();
    this.#isOn = false;
    return wasOn;
  }

  /** Goes on with a pause that another owner began, which may have died between two probes. */
  resume(): void {
    this.#isOn = true;
    this.#isProbeOwed = true;
  }

  /** Something is due that could be a probe. */
  offer(): void {
    if (!this.#isOn || !this.#isProbeOwed) return;
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
