import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { newUuid } from '../ids.ts';
import type { State } from './context.ts';

/**
 * Gives each request an id (X-Request-Id, contract 1) and one log line: method, path, status, milliseconds.
 * The query is left out, since a widget's token stands there; bodies and headers are never logged.
 */
export const requestLog =
  (log: Logger): Middleware<State> =>
  async (ctx, next) => {
    const started = performance.now();
    const request_id = newUuid();
    ctx.state.requestId = request_id;
    ctx.set('X-Request-Id', request_id);
    await next();
    log.info(
      {
        request_id,
        method: ctx.method,
        path: ctx.path,
        status: ctx.status,
        ms: Math.round((performance.now() - started) * 10) / 10,
      },
      'request',
    );
  };
