import type { Context } from '../../../http/context.ts';
import { HostCookie } from '../../../http/host-cookie.ts';
import { placeOf, type Secrets } from '../../../platform/secrets.ts';

/** How long somebody has to sign in at the provider, and then to type a code. */
export const FLOW_MS = 600_000;

/** Something that a browser keeps for this server for ten minutes, and can neither read nor change. */
export class SealedCookie<T extends object> {
  readonly #cookie: HostCookie;
  readonly #secrets: Secrets;
  readonly #place;

  constructor(name: string, baseUrl: (ctx: Pick<Context, 'req'>) => string, secrets: Secrets) {
    // Another site, the provider, leads here while it is needed.
    this.#cookie = new HostCookie(baseUrl, { name, sameSite: 'lax', maxAge: FLOW_MS });
    this.#secrets = secrets;
    this.#place = placeOf({ _id: 'cookie' }, name);
  }

  set(ctx: Context, value: T): void {
    const text = JSON.stringify({ value, expires_at: Date.now() + FLOW_MS });
    this.#cookie.set(ctx, this.#secrets.encrypt(text, this.#place));
  }

  /** What was kept; undefined for nothing, for what has expired, and for what this server has not made. */
  get(ctx: Context): T | undefined {
    try {
      const text = this.#secrets.decrypt(this.#cookie.get(ctx), this.#place);
      const { value, expires_at } = JSON.parse(text) as { value: T; expires_at: number };
      return Date.now() < expires_at ? value : undefined;
    } catch {
      return undefined;
    }
  }

  clear(ctx: Context): void {
    this.#cookie.clear(ctx);
  }
}
