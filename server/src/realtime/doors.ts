import type { IncomingMessage } from 'node:http';
import { throttled } from '../errors.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { limitedAddress } from '../http/rate-limits.ts';
import type { OpenConnections } from './open-connections.ts';

/** When a client may try again whose address has too many connections open (milliseconds). */
const FULL_FOR = 10_000;

/** Who may open a socket: so many from one address at once, and so many a minute (contract 8). */
export class Doors {
  readonly #opens: Pick<RateLimit, 'take'> | undefined;
  readonly #open: OpenConnections;
  readonly #trustProxy: boolean;

  /** @param opens undefined when limits are off */
  constructor(opens: Pick<RateLimit, 'take'> | undefined, open: OpenConnections, trustProxy: boolean) {
    this.#opens = opens;
    this.#open = open;
    this.#trustProxy = trustProxy;
  }

  /**
   * @returns what has to be called when the socket closes
   * @throws ParlorError `throttled`
   */
  async enter(request: IncomingMessage): Promise<() => void> {
    if (!this.#opens) return () => undefined;
    const address = limitedAddress(this.#addressOf(request));
    const { isAllowed, resetsIn } = await this.#opens.take(address);
    if (!isAllowed) throw throttled(resetsIn);
    if (!(await this.#open.enter(address))) throw throttled(FULL_FOR);
    return () => this.#open.leave(address);
  }

  /** As the REST API sees it: of X-Forwarded-For only what the proxy in front has added is believed. */
  #addressOf({ headers, socket }: IncomingMessage): string {
    const forwarded = this.#trustProxy ? String(headers['x-forwarded-for'] ?? '') : '';
    return forwarded.split(',').at(-1)?.trim() || (socket.remoteAddress ?? '');
  }
}
