import type { IncomingMessage, Server } from 'node:http';
import { ParlorError } from '../platform/errors.ts';
import type { Handler } from './context.ts';

/** The largest JSON body that is read, in bytes (docs/contract.md#conventions). */
export const BODY_LIMIT_BYTES = 256 * 1024;

/** A body may have as many chunks of fewer bytes than that (docs/limits.md); a slow network's segments are larger. */
export const MAX_SMALL_CHUNKS = 2_048;
const SMALL_BYTES = 1_024;

const TOO_MANY = `Request body comes in more than ${MAX_SMALL_CHUNKS} chunks of less than ${SMALL_BYTES} bytes.`;
const TOO_LARGE = `Request body is larger than ${BODY_LIMIT_BYTES} bytes.`;

/** What keeping one chunk of a body takes of V8's heap at least, as a piece of a text (bytes, measured). */
const CHUNK_BYTES = 128;

/** The bytes of a body that have come. */
export interface CountedBody {
  readonly bytes: number;
  /** What keeping them takes: many small chunks take more than they have. */
  readonly keptBytes: number;
}

/** What becomes of the body of a request that is being read. */
interface Body extends CountedBody {
  bytes: number;
  keptBytes: number;
  grown?: () => void;
  refusal?: ParlorError;
  /** Who is to know of a refusal, at most one at a time. */
  refused?: (refusal: ParlorError) => void;
}

const bodies = new WeakMap<IncomingMessage, Body>();

const isCompressed = ({ headers }: IncomingMessage): boolean =>
  !['', 'identity'].includes((headers['content-encoding'] ?? '').trim().toLowerCase());

/** Counts a body's chunks as they come. @returns what takes the next one, and gives the reason when it is one too many */
const counter = (request: IncomingMessage, body: Body): ((chunk: Buffer) => string | undefined) => {
  const isLimited = isCompressed(request);
  let small = 0;
  return ({ length }) => {
    body.bytes += length;
    body.keptBytes += Math.max(length, CHUNK_BYTES);
    if (length < SMALL_BYTES && ++small > MAX_SMALL_CHUNKS) return TOO_MANY;
    return isLimited && body.bytes > BODY_LIMIT_BYTES ? TOO_LARGE : undefined;
  };
};

/** Whether a body is too short for what is counted, and becomes no more than it is. */
const isShort = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] === undefined &&
  Number(request.headers['content-length'] ?? 0) <= MAX_SMALL_CHUNKS &&
  !isCompressed(request);

/**
 * Reads no further in bodies that cost more than their size says. Each chunk is the same work, whatever its size: in chunks of
 * one byte a body of the usual limit takes half a second of the processor, and what is read away much more. And compressed
 * ones are limited by what they decompress to, which may be nothing of many gigabytes.
 */
export const limitBodyChunks = (server: Server): void => {
  server.on('request', (request: IncomingMessage) => {
    if (isShort(request)) return;
    const push = request.push.bind(request);
    const body: Body = { bytes: 0, keptBytes: 0 };
    const count = counter(request, body);
    bodies.set(request, body);
    request.push = (chunk, encoding) => {
      if (body.refusal) return false;
      const reason = chunk === null ? undefined : count(chunk);
      if (reason === undefined) {
        if (chunk !== null) body.grown?.();
        return push(chunk, encoding);
      }
      body.refusal = new ParlorError('too_large', reason);
      body.refused?.(body.refusal);
      return false;
    };
  });
};

/** What comes of a request's body; undefined where that is too short for it. */
export const countedBody = (request: IncomingMessage): CountedBody | undefined => bodies.get(request);

/** Calls `grown` with each chunk of a counted body that has come, before somebody reads it. Who asked before is told no more. */
export const onGrown = (request: IncomingMessage, grown: () => void): void => {
  const body = bodies.get(request);
  if (body) body.grown = grown;
};

/** Calls `refused` once no more of a body is read, which may be now. Who asked before is told no more. */
export const onceRefused = (request: IncomingMessage, refused: (refusal: ParlorError) => void): void => {
  const body = bodies.get(request);
  if (body?.refusal) refused(body.refusal);
  else if (body) body.refused = refused;
};

/**
 * Answers before the body has come; that nothing more of it is read, who reads it would wait for ever. Outside of whatever
 * works on a request, and inside of what makes responses of errors.
 */
export const refuseBodies: Handler = (ctx, next) =>
  new Promise((resolve, reject) => {
    onceRefused(ctx.req, reject);
    if (!bodies.get(ctx.req)?.refusal) next().then(resolve, reject);
  });
