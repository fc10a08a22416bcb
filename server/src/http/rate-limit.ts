import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { type RateLimiterMongo, RateLimiterRes } from 'rate-limiter-flexible';
import { CLOCKS_DIFFER_MS } from '../database/has-come.ts';

/** What a request may count on after it was counted. */
export interface RateLimitResult {
  isAllowed: boolean;
  remaining: number;
  /** Milliseconds until the window ends. */
  resetsIn: number;
}

interface Window {
  /** Points that this process has taken from the store and not yet given out. */
  left: number;
  /** Points that were in the store then. */
  rest: number;
  /** When the window ends, by performance.now(). */
  ends: number;
}

/** A process takes points from the store this many times a minute at most, while there are plenty. */
const TAKES = 60;

/** From this share of the limit on points are taken one by one, so that no process sits on the last ones. */
const SCARCE = 0.25;

/** Keys in memory beyond which the windows that have ended are cleared out. */
const MAX_WINDOWS = 10_000;

/**
 * A longer key is counted by its hash: what a client writes may stand in it, and the store can't index any
 * length.
 */
const MAX_KEY = 200;

const keyOf = (key: string): string =>
  key.length <= MAX_KEY ? key : createHash('sha256').update(key).digest('base64url');

/** How often it is said that the store does not answer. */
const LOG_EVERY_MS = 10_000;

/**
 * A limit that holds across all server processes: they take points from one store, a fixed window for each key.
 * While there are plenty a process takes several at once, so that not every request costs a write; more than the
 * limit are never given out. When the store does not answer, requests pass.
 */
export class RateLimit {
  readonly name: string;
  readonly limit: number;
  /** In seconds. */
  readonly window: number;
  readonly #store: RateLimiterMongo;
  readonly #log: Logger;
  readonly #windows = new Map<string, Window>();
  readonly #taking = new Map<string, Promise<Window | undefined>>();
  #lastLogged = Number.NEGATIVE_INFINITY;

  constructor(name: string, store: RateLimiterMongo, log: Logger) {
    this.name = name;
    this.limit = store.points;
    this.window = store.duration;
    this.#store = store;
    this.#log = log;
  }

  /** Counts one request of a key. */
  async take(of: string): Promise<RateLimitResult> {
    const key = keyOf(of);
    for (;;) {
      const now = performance.now();
      const window = this.#windows.get(key);
      if (window && window.ends > now && (window.left > 0 || window.rest <= 0)) {
        const isAllowed = window.left > 0;
        if (isAllowed) window.left--;
        return {
          isAllowed,
          remaining: Math.max(0, window.left + window.rest),
          resetsIn: window.ends - now,
        };
      }
      const taken = await this.#takeOnce(key, window && window.ends > now ? window.rest : this.limit);
      if (!taken) return { isAllowed: true, remaining: this.limit, resetsIn: 0 };
    }
  }

  /** Whether it is known here, without asking the store, that nothing is left for a key. */
  isSpent(of: string): boolean {
    const window = this.#windows.get(keyOf(of));
    return !!window && window.ends > performance.now() && window.left <= 0 && window.rest <= 0;
  }

  /** Takes back one request of a key that was not what the limit is for: any process may give it out again. */
  async giveBack(of: string): Promise<void> {
    const key = keyOf(of);
    const window = this.#windows.get(key);
    const held = window && window.ends > performance.now() ? window.left : 0;
    this.#windows.delete(key);
    await this.#store.reward(key, 1 + held).catch((error) => this.#say(error));
  }

  /** One request to the store at a time for each key; whoever waits looks again when it is through. */
  async #takeOnce(key: string, rest: number): Promise<Window | undefined> {
    const running = this.#taking.get(key);
    if (running) return running;
    const points = rest > this.limit * SCARCE ? Math.max(1, Math.floor(this.limit / TAKES)) : 1;
    const taking = this.#consume(key, points).finally(() => this.#taking.delete(key));
    this.#taking.set(key, taking);
    return taking;
  }

  async #consume(key: string, points: number, isFirst = true): Promise<Window | undefined> {
    let result: RateLimiterRes;
    let left = points;
    try {
      result = await this.#store.consume(key, points);
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) {
        this.#say(error);
        return undefined;
      }
      result = error;
      left = 0;
    }
    const longest = this.window * 1_000;
    if (isFirst && result.msBeforeNext > longest + CLOCKS_DIFFER_MS) {
      // It began before the clock was put back, and would go on until the clock is there again.
      await this.#store.delete(key).catch((error) => this.#say(error));
      return this.#consume(key, points, false);
    }
    const ends = performance.now() + Math.min(Math.max(1, result.msBeforeNext), longest);
    const window = { left, rest: left === 0 ? 0 : result.remainingPoints, ends };
    if (this.#windows.size >= MAX_WINDOWS) this.#clear();
    this.#windows.set(key, window);
    return window;
  }

  #clear(): void {
    const now = performance.now();
    for (const [key, { ends }] of this.#windows) if (ends <= now) this.#windows.delete(key);
    // All of them still run: those that go cost a write again, and no point is given out twice.
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.clear();
  }

  #say(error: unknown): void {
    const now = performance.now();
    if (now - this.#lastLogged < LOG_EVERY_MS) return;
    this.#lastLogged = now;
    this.#log.warn({ err: error, limit: this.name }, 'a rate limit is not held: its store does not answer');
  }
}
