import type { Middleware } from 'koa';
import { ParlorError } from '../platform/errors.ts';
import { BODY_LIMIT_BYTES } from './body-chunks.ts';
import { createBodyReader } from './body-reader.ts';
import type { State } from './context.ts';
import { measureJson, whereJsonBreaks } from './json-breaks.ts';
import { holdParsedBody, workOnBody } from './request-bodies.ts';

/** Deeper input has no meaning here, and recursion over it would end in a stack overflow. */
export const DEPTH_LIMIT = 64;

/** How many values and names a body may have, by its commas, colons and opening brackets; a large workflow has some 20 000. */
const VALUES_LIMIT = 50_000;

const parseError = (why: string): ParlorError => new ParlorError('malformed', `JSON parse error - ${why}`);

const read = createBodyReader({ types: ['application/json'], limit: BODY_LIMIT_BYTES });

/** Reads an `application/json` body into ctx.state.body; it stands behind whatever authenticates the request. */
export const jsonBody = (): Middleware<State> => (ctx, next) =>
  workOnBody(ctx, async () => {
    const bytes = await read(ctx);
    if (bytes.length > 0) ctx.state.body = parseJson(bytes, (heapBytes) => holdParsedBody(ctx, heapBytes));
    await next();
  });

/**
 * Parses JSON bytes (RFC 8259: UTF-8).
 * @param hold is told before how much memory what they say may take (bytes); what it throws keeps them from being parsed
 * @throws ParlorError `malformed` that says why and where; `too_large`
 */
export const parseJson = (bytes: Buffer, hold: (heapBytes: number) => void = () => undefined): unknown => {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw parseError('the body is not valid UTF-8');
  }
  // Before it is parsed, which takes the longest of what is nested.
  const { depth, values, heapBytes } = measureJson(text);
  if (depth > DEPTH_LIMIT) throw parseError(`nested deeper than ${DEPTH_LIMIT} levels`);
  if (values > VALUES_LIMIT)
    throw new ParlorError('too_large', `Request body has more than ${VALUES_LIMIT} values.`);
  hold(heapBytes);
  try {
    return JSON.parse(text);
  } catch {
    throw parseError(whereItBreaks(text));
  }
};

/** V8 names the position in some of its messages only, and in others with another version. */
const whereItBreaks = (text: string): string => {
  const at = whereJsonBreaks(text);
  if (at === text.length) return `unexpected end at position ${at}`;
  return `unexpected ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))} at position ${at}`;
};
