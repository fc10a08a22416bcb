import type { IncomingMessage } from 'node:http';
import { addressKeys } from '../../http/client-address.ts';
import type { RateLimitResult } from '../../http/rate-limit.ts';
import { NETWORK_FACTOR } from '../../http/rate-limits.ts';
import { throttled } from '../../platform/errors.ts';
import type { OpenConnections } from './open-connections.ts';

/** When a client may try again whose address has too many connections open (milliseconds). */
const FULL_FOR_MS = 10_000;

/**
 * Limits the connections that one address, and the network of one of IPv6, may have open at once, and open in a minute
 * (docs/limits.md#requests-a-minute).
 */
export class ConnectionLimiter {
  readonly #opens: ((address: string) => Promise<RateLimitResult>) | undefined;
  readonly #open: OpenConnections;
  readonly #addressOf: (request: IncomingMessage) => string;

  /** @param opens counts a socket that an address opens; undefined when limits are off */
  constructor(
    opens: ((address: string) => Promise<RateLimitResult>) | undefined,
    open: OpenConnections,
    addressOf: (request: IncomingMessage) => string,
  ) {
    this.#opens = opens;
    this.#open = open;
    this.#addressOf = addressOf;
  }

  /**
   * @returns what has to be called when the socket closes
   * @throws ParlorError `throttled`
   */
  async enter(request: IncomingMessage): Promise<() => void> {
    if (!this.#opens) return () => undefined;
    const client = this.#addressOf(request);
    const { isAllowed, resetsIn } = await this.#opens(client);
    if (!isAllowed) throw throttled(resetsIn);
    const { address, network } = addressKeys(client);
    if (!(await this.#open.enter(address))) throw throttled(FULL_FOR_MS);
    if (network === undefined) return () => this.#open.leave(address);
    if (!(await this.#open.enter(network, NETWORK_FACTOR))) {
      this.#open.leave(address);
      throw throttled(FULL_FOR_MS);
    }
    return () => {
      this.#open.leave(address);
      this.#open.leave(network);
    };
  }
}
