import type { Middleware } from 'koa';
import { ParlorError } from '../platform/errors.ts';
import { createBodyReader } from './body-reader.ts';
import type { State } from './context.ts';

/** The largest body that is read, in bytes (docs/contract.md#conventions). */
export const BODY_LIMIT_BYTES = 256 * 1024;

/** Deeper input has no meaning here, and recursion over it would end in a stack overflow. */
export const DEPTH_LIMIT = 64;

const parseError = (why: string): ParlorError => new ParlorError('malformed', `JSON parse error - ${why}`);

const read = createBodyReader({ types: ['application/json'], limit: BODY_LIMIT_BYTES });

/** Reads an `application/json` body into ctx.state.body; it stands behind whatever authenticates the request. */
export const jsonBody = (): Middleware<State> => async (ctx, next) => {
  const bytes = await read(ctx);
  if (bytes.length > 0) ctx.state.body = parseJson(bytes);
  return next();
};

/**
 * Parses JSON bytes (RFC 8259: UTF-8).
 * @throws ParlorError `malformed` that says why and where.
 */
export const parseJson = (bytes: Buffer): unknown => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw parseError('the body is not valid UTF-8');
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw parseError(whereItBreaks(text));
  }
  if (isDeeperThan(value, DEPTH_LIMIT)) throw parseError(`nested deeper than ${DEPTH_LIMIT} levels`);
  return value;
};

/** Whether more text could still make `prefix` a JSON document. */
const isPossibleStart = (prefix: string): boolean => {
  try {
    JSON.parse(prefix);
    return true;
  } catch (error) {
    const { message } = error as Error;
    if (message.startsWith('Unexpected end')) return true;
    const position = /at position (\d+)/.exec(message)?.[1];
    return position !== undefined && Number(position) >= prefix.length;
  }
};

/** V8 names the position in some of its messages only; the longest possible start gives it for all. */
const whereItBreaks = (text: string): string => {
  if (isPossibleStart(text)) return `unexpected end at position ${text.length}`;
  let possible = 0;
  let broken = text.length;
  while (broken - possible > 1) {
    const middle = (possible + broken) >> 1;
    if (isPossibleStart(text.slice(0, middle))) possible = middle;
    else broken = middle;
  }
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(possible) ?? 0))} at position ${possible}`;
};

const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    const inner = level.filter((item) => typeof item === 'object' && item !== null);
    if (inner.length > 0 && depth >= limit) return true;
    level = inner.flatMap((item) => Object.values(item as object));
  }
  return false;
};
