import { randomUUID } from 'node:crypto';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import type { State } from './context.ts';

/** With a workflow's public key, the id of a conversation opens it. */
const CONVERSATION = /conv_[^/]+/;

/**
 * Gives each request an id and one log line: method, path, status, milliseconds. The query is left out, since a
 * widget's token stands there, and so is the id of a conversation of the agent API; bodies and headers are never logged.
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
        path: ctx.path.replace(CONVERSATION, 'conv_…'),
        status: ctx.status,
        ms: Math.round((performance.now() - started) * 10) / 10,
      },
      'request',
    );
  };

export const REQUEST_ID = 'X-Request-Id';

/** Says the request's id in its answer (docs/contract.md#conventions). */
export const requestIdHeader: Middleware<State> = (ctx, next) => {
  ctx.set(REQUEST_ID, ctx.state.requestId);
  return next();
};
