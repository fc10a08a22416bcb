import type { Context } from '../../http/context.ts';
import { HostCookie } from '../../http/host-cookie.ts';

/** As long as browsers keep one at most (RFC 6265bis, 5.5). */
const MAX_AGE_MS = 400 * 86_400_000;

/** By what a browser is known that a member has signed in with (docs/contract.md#sessions). */
export const createDeviceCookie = (baseUrl: (ctx: Pick<Context, 'req'>) => string): HostCookie =>
  new HostCookie(baseUrl, { name: 'parlor-device', sameSite: 'strict', maxAge: MAX_AGE_MS });
