import type { Context } from '../../http/context.ts';
import { HostCookie } from '../../http/host-cookie.ts';
import { ParlorError } from '../../platform/errors.ts';

/** How long browsers keep the cookie; the server ends an idle session earlier. */
const MAX_AGE_MS = 90 * 86_400_000;

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The names of this machine that its own pages are opened by, where there is no PUBLIC_URL. */
const LOOPBACK_NAMES = ['127.0.0.1', '[::1]', 'localhost'];

/** Whether a browser says that a page of another origin sends this. */
export const isFromOtherSite = (ctx: Context): boolean =>
  ['cross-site', 'same-site'].includes(ctx.get('Sec-Fetch-Site'));

/** What is said to a page of another site. */
export const foreignPage = (): ParlorError =>
  new ParlorError('forbidden', 'Browsers do this from pages of this server only.');

/** The cookie of members' sessions: sent by browsers to this server's own pages only (docs/contract.md#sessions). */
export class SessionCookie {
  readonly #cookie: HostCookie;
  readonly #baseUrl: (ctx: Pick<Context, 'req'>) => string;

  /** @param baseUrl what this server's own pages begin with */
  constructor(baseUrl: (ctx: Pick<Context, 'req'>) => string) {
    this.#baseUrl = baseUrl;
    this.#cookie = new HostCookie(baseUrl, { name: 'parlor', sameSite: 'strict', maxAge: MAX_AGE_MS });
  }

  /** Its value in a request, also in one that asks for an upgrade; empty when there is none. */
  get(ctx: Pick<Context, 'req'>): string {
    return this.#cookie.get(ctx);
  }

  set(ctx: Context, secret: string): void {
    this.#cookie.set(ctx, secret);
  }

  clear(ctx: Context): void {
    this.#cookie.clear(ctx);
  }

  /**
   * A request that changes something has to come from a page of this server: browsers say so in Origin, which no page
   * can make up. One that only reads may not come from another page as far as the browser says.
   * @throws ParlorError `forbidden`
   */
  check(ctx: Context): void {
    if (SAFE_METHODS.has(ctx.method)) {
      if (isFromOtherSite(ctx)) throw foreignPage();
      return;
    }
    this.#checkOrigin(ctx, ctx.get('Origin'));
  }

  /**
   * The same for a request that opens a socket, by whatever method: browsers let every page open one
   * (RFC 6455, 10.2).
   * @throws ParlorError `forbidden`
   */
  checkUpgrade(req: Context['req']): void {
    this.#checkOrigin({ req }, req.headers.origin ?? '');
  }

  /** The same for a sign-in, which programs may try that send no Origin. @throws ParlorError `forbidden` */
  checkSignIn(ctx: Context): void {
    if (this.isFromElsewhere(ctx)) throw foreignPage();
  }

  /** Whether a request names a page that is none of this server's: browsers do by Origin, and else by Sec-Fetch-Site. */
  isFromElsewhere(ctx: Context): boolean {
    const origin = ctx.get('Origin');
    return origin === '' ? isFromOtherSite(ctx) : !this.#origins(ctx).includes(origin);
  }

  #checkOrigin(ctx: Pick<Context, 'req'>, origin: string): void {
    if (!this.#origins(ctx).includes(origin)) {
      throw new ParlorError('forbidden', 'A session does this from pages of this server only.');
    }
  }

  #origins(ctx: Pick<Context, 'req'>): string[] {
    const { origin, hostname, port, protocol } = new URL(this.#baseUrl(ctx));
    if (!LOOPBACK_NAMES.includes(hostname)) return [origin];
    return LOOPBACK_NAMES.map((name) => new URL(`${protocol}//${name}:${port}`).origin);
  }
}
