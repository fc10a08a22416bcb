import { STATUS_CODES } from 'node:http';
import type { Middleware } from 'koa';
import type { Logger } from 'pino';
import { databaseUnavailable } from '../database/unavailable.ts';
import { type ErrorCode, ParlorError } from '../platform/errors.ts';
import { UnopenedError } from '../platform/secrets.ts';
import type { State } from './context.ts';

const STATUS: Record<ErrorCode, number> = {
  malformed: 400,
  invalid: 400,
  not_authenticated: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  precondition_failed: 412,
  too_large: 413,
  unsupported_media_type: 415,
  key_reused: 422,
  throttled: 429,
  unavailable: 503,
  disk_nearly_full: 503,
  key_gone: 503,
  stopping: 503,
  misconfigured: 500,
};

/** The status that an error is answered with. */
export const statusOf = ({ code }: ParlorError): number => STATUS[code];

/** What a caller is told of an error; undefined for a defect, of which it is told nothing. */
export const shownError = (thrown: unknown): ParlorError | undefined => {
  if (thrown instanceof UnopenedError) return new ParlorError('misconfigured', UNOPENED);
  return thrown instanceof ParlorError ? thrown : databaseUnavailable(thrown);
};

/** What it is stands in the log. */
const UNOPENED = 'A secret that is stored for this can not be opened: it has to be replaced.';

/** What a caller is told of a defect. */
export const DEFECT = 'Internal server error.';

/** The agent API has an error shape of its own (specification 7): `{"error": "<text>"}`. */
const AGENT_PATH = /^\/api\/v1\/public(\/|$)/i;

/**
 * Turns whatever the routes and their middleware throw into the API's JSON, or into RFC 9457 problem details when
 * Accept prefers them. What stands above it, the log and the headers, sees a response and no error. An error that is not a ParlorError is a defect: it is logged whole, and the
 * caller learns the request id only.
 */
export const errorResponses =
  (log: Logger): Middleware<State> =>
  async (ctx, next) => {
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined) throw new ParlorError('not_found', 'Not found.');
    } catch (thrown) {
      const error = shownError(thrown);
      const request_id = ctx.state.requestId;
      const isOperators = thrown instanceof UnopenedError || error?.code === 'unavailable';
      if (!error || isOperators) log.error({ err: thrown, request_id }, 'request failed');
      const status = error ? statusOf(error) : 500;
      const detail = error?.message ?? DEFECT;
      const more = error ? {} : { request_id };

      ctx.status = status;
      ctx.set(error?.headers ?? {});
      ctx.set('Cache-Control', 'no-store');
      if (AGENT_PATH.test(ctx.path)) {
        ctx.body = JSON.stringify({ error: detail, ...more });
        ctx.type = 'application/json';
      } else if (ctx.accepts('application/json', 'application/problem+json') === 'application/problem+json') {
        const title = STATUS_CODES[status];
        const errors = error?.fields && { errors: error.fields };
        ctx.body = JSON.stringify({ type: 'about:blank', title, status, detail, ...errors, ...more });
        ctx.type = 'application/problem+json';
      } else {
        ctx.body = JSON.stringify(error?.fields ?? { detail, ...more });
        ctx.type = 'application/json';
      }
    }
  };
