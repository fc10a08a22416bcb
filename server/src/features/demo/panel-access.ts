import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { parse } from 'node:querystring';
import type { Context } from '../../http/context.ts';

/** How long the link that a start prints is good (milliseconds). */
const LINK_LIVES_MS = 15 * 60_000;

const COOKIE = 'parlor_panel';

/** Where the printed link leads. */
export const ENTRANCE_PATH = '/demo/panel/enter';

const digest = (secret: string): Buffer => createHash('sha256').update(secret).digest();
const newSecret = (): string => randomBytes(24).toString('base64url');

/**
 * Who may use the demo's settings panel: whoever opened the link that the start printed, for as long as the server
 * runs. Nothing that a request looks like opens it, since behind a plain proxy the whole world looks local.
 */
export class PanelAccess {
  #link: { digest: Buffer; until: number } | undefined;
  #session: Buffer | undefined;

  /** A link's path that opens the panel once, within 15 minutes; one issued before is void. */
  issue(): string {
    const secret = newSecret();
    this.#link = { digest: digest(secret), until: performance.now() + LINK_LIVES_MS };
    return `${ENTRANCE_PATH}?key=${secret}`;
  }

  /** Takes a request to the link, and gives its browser the session. @returns false when the link is no good */
  enter(ctx: Context): boolean {
    const link = this.#link;
    const key = String(parse(ctx.querystring).key ?? '');
    if (!link || performance.now() > link.until || !timingSafeEqual(digest(key), link.digest)) return false;
    this.#link = undefined;
    const session = newSecret();
    this.#session = digest(session);
    // Under /demo, so that the website there can show the way to the panel.
    ctx.cookies.set(COOKIE, session, { path: '/demo', httpOnly: true, sameSite: 'strict', overwrite: true });
    return true;
  }

  /** Whether a request comes from the browser that opened the link. */
  isOpen(ctx: Context): boolean {
    const session = ctx.cookies.get(COOKIE);
    return session !== undefined && !!this.#session && timingSafeEqual(digest(session), this.#session);
  }
}
