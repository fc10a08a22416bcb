import type { Context, Handler } from '../../http/context.ts';
import { foreignPage, isFromOtherSite, type SessionCookie } from './session-cookie.ts';

/**
 * What signs a browser in is for this server's own pages. Before anything is counted: a page of another site must not
 * use up what its visitors' address may try. It throws ParlorError `forbidden`.
 */
export const onlyOwnPages =
  (sessionCookie: SessionCookie): Handler =>
  (ctx, next) => {
    sessionCookie.checkSignIn(ctx);
    return next();
  };

/**
 * The same for what programs do, too, also behind a proxy that leaves Origin as it was: what a browser sends for a page
 * of another site is no JSON, since for that it would ask first (Fetch, CORS-safelisted request-header).
 */
export const noForeignPages =
  (sessionCookie: SessionCookie): Handler =>
  (ctx, next) => {
    if (sessionCookie.isFromElsewhere(ctx) && (isFromOtherSite(ctx) || !isJson(ctx))) throw foreignPage();
    return next();
  };

const isJson = (ctx: Context): boolean => ctx.is('application/json') === 'application/json';
