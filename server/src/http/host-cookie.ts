import Cookies from 'cookies';
import type { Context } from './context.ts';

interface Kind {
  name: string;
  /** `lax` where it has to come along when another site leads here. */
  sameSite: 'strict' | 'lax';
  /** Milliseconds for which browsers keep it. */
  maxAge: number;
}

/** A cookie for this host alone, that no script reads: over https only, where this server is reached by that. */
export class HostCookie {
  readonly #kind: Kind;
  readonly #baseUrl: (ctx: Pick<Context, 'req'>) => string;

  /** @param baseUrl what this server's own pages begin with */
  constructor(baseUrl: (ctx: Pick<Context, 'req'>) => string, kind: Kind) {
    this.#baseUrl = baseUrl;
    this.#kind = kind;
  }

  /** Its value in a request, also in one that asks for an upgrade; empty when there is none. */
  get({ req }: Pick<Context, 'req'>): string {
    // Reading one needs no response that it could be written to.
    return new Cookies(req, undefined as never).get(this.#nameAt({ req })) ?? '';
  }

  set(ctx: Context, value: string): void {
    this.#write(ctx, value, this.#kind.maxAge);
  }

  clear(ctx: Context): void {
    this.#write(ctx, '', 0);
  }

  #isSecure(ctx: Pick<Context, 'req'>): boolean {
    return this.#baseUrl(ctx).startsWith('https:');
  }

  /** By the prefix browsers take it from this host alone, over https (RFC 6265bis, 4.1.3.2). */
  #nameAt(ctx: Pick<Context, 'req'>): string {
    return this.#isSecure(ctx) ? `__Host-${this.#kind.name}` : this.#kind.name;
  }

  #write(ctx: Context, value: string, maxAge: number): void {
    const secure = this.#isSecure(ctx);
    // TLS ends at the proxy in front.
    ctx.cookies.secure = secure;
    const { sameSite } = this.#kind;
    const options = { httpOnly: true, sameSite, path: '/', overwrite: true, secure, maxAge } as const;
    ctx.cookies.set(this.#nameAt(ctx), value, options);
  }
}
