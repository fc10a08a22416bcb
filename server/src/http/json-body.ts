import type { Middleware } from 'koa';
import { ParlorError } from '../platform/errors.ts';
import { loadLater } from '../platform/load-later.ts';
import type { Context, State } from './context.ts';

/** The largest body that is read, in bytes (docs/contract.md#conventions). */
export const BODY_LIMIT_BYTES = 256 * 1024;

/** Deeper input has no meaning here, and recursion over it would end in a stack overflow. */
export const DEPTH_LIMIT = 64;

const tooLarge = (): ParlorError =>
  new ParlorError('too_large', `Request body is larger than ${BODY_LIMIT_BYTES} bytes.`);

const parseError = (why: string): ParlorError => new ParlorError('malformed', `JSON parse error - ${why}`);

/** What zlib calls input that is not gzip, deflate or Brotli. */
const BROKEN_COMPRESSION = /^(Z|ERR__ERROR|ERR_BROTLI|ERR_ZLIB)_/;

/** Loaded by the first body: it brings readers of all kinds along. */
const koaBody = loadLater<typeof import('koa-body')>('koa-body');

// koa-body would decode broken UTF-8 to U+FFFD without a word, and lose where JSON went wrong. Read as latin1,
// its text has a character for each byte, so that nothing is lost until it is decoded strictly below.
const createReader = () =>
  koaBody().koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textTypes: ['application/json'],
    textLimit: BODY_LIMIT_BYTES,
    encoding: 'latin1',
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      const { type, status } = error as Error & { type?: string; status?: number };
      // Nobody reads this response, but it keeps a visitor's lost connection out of the list of defects.
      if (type === 'request.aborted' || type === 'stream.not.readable') {
        throw new ParlorError('malformed', 'The connection was lost before the whole body came.');
      }
      if (type === 'entity.too.large') throw tooLarge();
      if (status === 415) throw new ParlorError('unsupported_media_type', `${error.message}.`);
      if (status === 400 || BROKEN_COMPRESSION.test((error as NodeJS.ErrnoException).code ?? '')) {
        throw new ParlorError('malformed', `Request body can't be read: ${error.message}.`);
      }
      throw error;
    },
  });

let readBytes: ReturnType<typeof createReader> | undefined;

/** A few bytes can decompress to the whole limit: that is for callers who have shown who they are (RFC 9110, 12.5.3). */
const refuseCompressed = (): never => {
  throw new ParlorError('unsupported_media_type', 'A compressed request body needs a credential.', {
    headers: { 'Accept-Encoding': 'identity' },
  });
};

/** Content-Length in bytes; Koa's own `request.length` has 32 bits, and takes 4 GiB for an empty body. */
export const announcedLength = (ctx: Pick<Context, 'get'>): number | undefined => {
  const length = ctx.get('Content-Length');
  return length === '' ? undefined : Number(length);
};

/** Reads an `application/json` body into ctx.state.body; it stands behind whatever authenticates the request. */
export const jsonBody = (): Middleware<State> => async (ctx, next) => {
  const length = announcedLength(ctx);
  if (length === 0 || (length === undefined && ctx.get('Transfer-Encoding') === '')) return next();
  if (!ctx.is('application/json')) {
    throw new ParlorError(
      'unsupported_media_type',
      `Unsupported media type "${ctx.get('Content-Type').slice(0, 100)}" in request.`,
    );
  }
  const encoding = ctx.get('Content-Encoding').trim().toLowerCase();
  if (!['', 'identity'].includes(encoding) && !ctx.state.principal) refuseCompressed();
  if (length !== undefined && length > BODY_LIMIT_BYTES) throw tooLarge();
  readBytes ??= createReader();
  await readBytes(ctx as never, async () => undefined);
  const bytes = Buffer.from((ctx.request as unknown as { body?: string }).body ?? '', 'latin1');
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
