import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { promisify } from 'node:util';
import { brotliDecompress, unzip } from 'node:zlib';
import Koa from 'koa';
import { ParlorError } from '../platform/errors.ts';
import { loadLater, loadLaterBy } from '../platform/load-later.ts';
import type { Context } from './context.ts';
import { holdParsedBody, holdRequestBody } from './request-bodies.ts';

/** Which bodies are read: their media types, and the most bytes that one may have, before and after it is decoded. */
export interface BodyBounds {
  types: readonly string[];
  limit: number;
}

type Decode = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const inflate: Decode = promisify(unzip);

/** The codings that a body may have (RFC 9110, 8.4.1). */
const DECODERS: ReadonlyMap<string, Decode> = new Map([
  ['gzip', inflate],
  ['deflate', inflate],
  ['br', promisify(brotliDecompress)],
]);

/** It brings readers of all kinds along. */
const koaBody = loadLater<typeof import('koa-body')>('koa-body');

const tooLarge = (limit: number): ParlorError =>
  new ParlorError('too_large', `Request body is larger than ${limit} bytes.`);

const unreadable = ({ message }: Error): ParlorError =>
  new ParlorError('malformed', `Request body can't be read: ${message}.`);

/**
 * Decodes what has come whole: a decoder in a stream goes on by itself where nobody reads it any more, and ends the process
 * where what is left is broken.
 */
const decode = async (bytes: Buffer, decoder: Decode, limit: number): Promise<Buffer> => {
  try {
    return await decoder(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
      ? tooLarge(limit)
      : unreadable(error as Error);
  }
};

// koa-body would decode broken UTF-8 to U+FFFD without a word, and lose where JSON went wrong. Read as latin1,
// its text has a character for each byte, so that nothing is lost.
const createReader = ({ types, limit }: BodyBounds) =>
  koaBody().koaBody({
    json: false,
    urlencoded: false,
    text: true,
    textTypes: [...types],
    textLimit: limit,
    encoding: 'latin1',
    parsedMethods: ['POST', 'PUT', 'PATCH', 'DELETE'] as never,
    onError: (error) => {
      const { type, status } = error as Error & { type?: string; status?: number };
      // Nobody reads this response, but it keeps a visitor's lost connection out of the list of defects.
      if (type === 'request.aborted' || type === 'stream.not.readable') {
        throw new ParlorError('malformed', 'The connection was lost before the whole body came.');
      }
      if (type === 'entity.too.large') throw tooLarge(limit);
      if (status === 400) throw unreadable(error);
      throw error;
    },
  });

/** koa-body loads its decoders of texts with the first body. */
loadLaterBy(async () => {
  const request = new IncomingMessage(new Socket());
  Object.assign(request, {
    method: 'POST',
    headers: { 'content-type': 'text/plain', 'content-length': '1' },
  });
  request.push('x');
  request.push(null);
  const read = createReader({ types: ['text/plain'], limit: 1 });
  await read(new Koa().createContext(request, new ServerResponse(request)) as never, async () => undefined);
});

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

/**
 * Makes what reads the bytes of a body, inside of `workOnBody`; it stands behind whatever authenticates the request.
 * @returns no bytes where there is no body
 * @throws ParlorError `unsupported_media_type`, `too_large`, `malformed`, `unavailable`
 */
export const createBodyReader = (bounds: BodyBounds): ((ctx: Context) => Promise<Buffer>) => {
  let read: ReturnType<typeof createReader> | undefined;
  return async (ctx) => {
    const length = announcedLength(ctx);
    if (length === 0 || (length === undefined && ctx.get('Transfer-Encoding') === '')) return Buffer.alloc(0);
    if (!ctx.is([...bounds.types])) {
      throw new ParlorError(
        'unsupported_media_type',
        `Unsupported media type "${ctx.get('Content-Type').slice(0, 100)}" in request.`,
      );
    }
    const coding = ctx.get('Content-Encoding').trim().toLowerCase();
    const isCompressed = !['', 'identity'].includes(coding);
    if (isCompressed && !ctx.state.principal) refuseCompressed();
    const decoder = DECODERS.get(coding);
    if (isCompressed && !decoder) {
      throw new ParlorError(
        'unsupported_media_type',
        `Unsupported Content-Encoding: ${coding.slice(0, 100)}.`,
      );
    }
    if (length !== undefined && length > bounds.limit) throw tooLarge(bounds.limit);
    const held = holdRequestBody(ctx, decoder ? bounds.limit : (length ?? bounds.limit));
    read ??= createReader(bounds);
    // koa-body reads what is sent, and decodes nothing.
    delete ctx.req.headers['content-encoding'];
    try {
      await read(ctx as never, async () => undefined);
    } catch (error) {
      held?.drop();
      throw error;
    }
    held?.whole();
    const request = ctx.request as unknown as { body?: string };
    const bytes = Buffer.from(request.body ?? '', 'latin1');
    // It is not to be kept twice while the request is worked on.
    delete request.body;
    if (!decoder) return bytes;
    holdParsedBody(ctx, bounds.limit);
    return decode(bytes, decoder, bounds.limit);
  };
};
