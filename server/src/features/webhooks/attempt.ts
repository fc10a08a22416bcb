import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { reasonForAccount } from '../../net/failure-reasons.ts';
import type { Outgoing } from '../../net/outgoing.ts';
import type { StoredAttempt } from './deliveries.model.ts';

/**
 * The most that is read of a response body, in bytes and in time; how it ends does not matter
 * (docs/contract.md#retries).
 */
const BODY_LIMIT_BYTES = 16 * 1024;
const BODY_TIME_MS = 2_000;

/** What a response takes beside its body: headers, framing, informational responses. */
const FRAMING_BYTES = 64 * 1024;

/** The most that is read for one attempt, whatever it is. */
export const MAX_WIRE_BYTES = BODY_LIMIT_BYTES + FRAMING_BYTES;

/** Informational responses before the real one; they cost time to read, and a few are all that has a use. */
const MAX_INFORMATIONAL = 20;

/** The part of it that the log keeps. */
export const KEPT_OF_BODY_BYTES = 1024;

/** What a target answered, or why it did not. */
export interface Attempt extends StoredAttempt {
  /** The Retry-After header, as sent. */
  retryAfter: string | undefined;
  /** Where nothing was sent, it says nothing of the target. */
  wasSent: boolean;
}

const statusError = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `answered ${status}; redirects are not followed`
    : `answered ${status}`;
};

export interface AttemptRequest {
  target: string;
  headers: Record<string, string>;
  body: string;
  /** Milliseconds from the beginning until status line and headers must be there. */
  timeout: number;
}

/** Posts a delivery once. It never throws: whatever goes wrong is the attempt's `error`. */
export const attemptDelivery = (
  outgoing: Pick<Outgoing, 'dispatch'>,
  { target, headers, body, timeout }: AttemptRequest,
): Promise<Attempt> =>
  new Promise((resolve) => {
    const exchange = new Exchange(timeout, resolve);
    const { origin, pathname, search } = new URL(target);
    try {
      outgoing.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange);
    } catch (error) {
      exchange.onResponseError(undefined, error as Error);
    }
  });

/** One request and what is read of its response; it keeps the time itself, connecting included. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #at = new Date();
  readonly #started = performance.now();
  readonly #resolve: (attempt: Attempt) => void;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #informational = 0;
  #answer: Pick<Attempt, 'status' | 'duration_ms' | 'error' | 'retryAfter'> | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #timer: NodeJS.Timeout;
  #isOver = false;

  constructor(timeout: number, resolve: (attempt: Attempt) => void) {
    this.#resolve = resolve;
    this.#timer = setTimeout(() => {
      this.#refuse(`no status line and headers within ${timeout / 1_000} s`);
    }, timeout);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The connection came too late: nothing is sent over it.
    if (this.#isOver) this.#abort();
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders): void {
    if (this.#isOver) return;
    // Informational responses come before the real one (RFC 9110, 15.2).
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL) this.#refuse('too many informational answers');
      return;
    }
    const retryAfter = headers['retry-after'];
    this.#answer = {
      status,
      duration_ms: this.#duration(),
      error: statusError(status),
      retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
    };
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stopReading(), BODY_TIME_MS);
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    if (this.#size >= BODY_LIMIT_BYTES) this.#stopReading();
  }

  onResponseEnd(): void {
    this.#finish();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#answer ??= {
      status: null,
      duration_ms: this.#duration(),
      error: reasonForAccount(error),
      retryAfter: undefined,
    };
    // Once there is a response, a body that breaks off changes nothing.
    this.#finish();
  }

  #duration(): number {
    return Math.round((performance.now() - this.#started) * 10) / 10;
  }

  #refuse(why: string): void {
    this.onResponseError(undefined, new Error(why));
    this.#abort();
  }

  #stopReading(): void {
    this.#finish();
    this.#abort();
  }

  #abort(): void {
    this.#controller?.abort(new Error('enough was read'));
  }

  #finish(): void {
    if (this.#isOver || !this.#answer) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    const start = Buffer.concat(this.#chunks).subarray(0, KEPT_OF_BODY_BYTES);
    // Streaming mode leaves out a character that the cut has torn.
    const response = new TextDecoder().decode(start, { stream: true });
    this.#resolve({ at: this.#at, ...this.#answer, response, wasSent: true });
  }
}
