import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { State } from './context.ts';

/** What opens something in a path: a widget's token, a picture's key, and a conversation's id, with a workflow's public key. */
const OPENING = /conv_[^/]+|(?<=\/(?:widgets|avatars)\/)[^/]+|(?<=\/conversations\/)(?!start(?:\/|$))[^/]+/gi;

/** Where a query or a fragment begins, also as links are rewritten on their way: what stands behind may sign somebody in. */
const NO_PATH = /[?#;%].*$/s;

/** How much of a path is logged: any client may ask for one of 16 KiB. */
const MAX_LOGGED = 500;

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** A path as it is logged: in one spelling, cut, without what opens something, and in ASCII, since terminals act on other characters. */
const loggedPath = (path: string): string => {
  const logged = decoded(path)
    .replace(NO_PATH, '…')
    .replace(OPENING, '…')
    .replace(/[^\x20-\x7e…]/gu, encodeURIComponent);
  return logged.length > MAX_LOGGED ? `${logged.slice(0, MAX_LOGGED)}…` : logged;
};

/**
 * Gives each request an id and one log line: method, path, status, milliseconds. Left out are the query, where a
 * widget's token may stand, and what opens something in the path; bodies and headers are never logged.
 */
export const requestLog =
  (log: Logger): Middleware<State> =>
  async (ctx, next) => {
    const request_id = randomUUID();
    ctx.state.requestId = request_id;
    if (!log.isLevelEnabled('info')) return next();
    const started = performance.now();
    await next();
    log.info(
      {
        request_id,
        method: ctx.method,
        path: loggedPath(ctx.path),
        status: ctx.status,
        ms: Math.round((performance.now() - started) * 10) / 10,
      },
      'request',
    );
  };

export const REQUEST_ID = 'X-Request-Id';

/** Says the request's id in its response (docs/contract.md#conventions). */
export const requestIdHeader: Middleware<State> = (ctx, next) => {
  ctx.set(REQUEST_ID, ctx.state.requestId);
  return next();
};
