import type { Context } from './context.ts';

/** What a Host header may look like (RFC 9110, 7.2): a name or an address, and a port. */
const HOST = /^([\w.-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i;

/** How a client reached this server: PUBLIC_URL, else as it asked; it begins every address in an answer. */
export const createBaseUrl =
  (publicUrl: string) =>
  (ctx: Pick<Context, 'protocol' | 'host'>): string =>
    publicUrl || `${ctx.protocol}://${HOST.test(ctx.host) ? ctx.host : 'localhost'}`;
