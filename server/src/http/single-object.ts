import { createHash } from 'node:crypto';
import { ParlorError } from '../errors.ts';
import type { Context } from './context.ts';

/** The strong entity tag of a representation (RFC 9110, 8.8.3). */
const etagOf = (representation: string): string =>
  `"${createHash('sha256').update(representation).digest('base64url').slice(0, 27)}"`;

const tags = (header: string): string[] => header.split(',').map((tag) => tag.trim());

/**
 * Answers with one object and its ETag; a GET whose If-None-Match names it gets 304 (RFC 9110, 13.1.2: compared
 * weakly).
 */
export const sendObject = (ctx: Context, object: object, status = 200): void =>
  sendRepresentation(ctx, representationOf(object), status);

/** An object as it is sent, with its ETag; for objects that are sent often without a change. */
export interface Representation {
  text: string;
  etag: string;
}

export const representationOf = (object: object): Representation => {
  const text = JSON.stringify(object);
  return { text, etag: etagOf(text) };
};

/** `sendObject` for a representation that was made before. */
export const sendRepresentation = (ctx: Context, { text, etag }: Representation, status = 200): void => {
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = text;
  ctx.set('ETag', etag);
  if (!ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-cache');
  const known = ctx.get('If-None-Match');
  if ((ctx.method === 'GET' || ctx.method === 'HEAD') && known !== '') {
    if (known.trim() === '*' || tags(known).some((tag) => tag.replace(/^W\//, '') === etag)) ctx.status = 304;
  }
};

/** Answers 201 with the new object and its address (contract 1). */
export const sendCreated = (ctx: Context, object: object, location: string): void => {
  sendObject(ctx, object, 201);
  ctx.set('Location', location);
};

/**
 * The caller's If-Match as a check of the object as it stands; services run it inside their compare-and-set, so
 * that of two writers with the same tag exactly one wins.
 * @returns undefined when the request has no If-Match.
 */
export const precondition = (ctx: Context): ((current: object) => void) | undefined => {
  const wanted = ctx.get('If-Match');
  if (wanted === '') return undefined;
  return (current) => {
    if (wanted.trim() === '*' || tags(wanted).includes(etagOf(JSON.stringify(current)))) return;
    throw new ParlorError(
      'precondition_failed',
      'The object has changed since: If-Match does not name its ETag.',
    );
  };
};
