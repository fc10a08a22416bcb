import { createHash } from 'node:crypto';
import { ParlorError } from '../platform/errors.ts';
import type { Context } from './context.ts';

/** The strong entity tag of a representation (RFC 9110, 8.8.3). */
const etagOf = (representation: string): string =>
  `"${createHash('sha256').update(representation).digest('base64url').slice(0, 27)}"`;

/** What a tag says of the form beside the object; a tag of the object alone has no full stop. */
const VARIANT = /\.[\w-]+(?="$)/;

/**
 * What proxies that compress add to a strong tag, inside its quotes: Apache, Caddy and lighttpd `-gzip` and the like, old
 * Apaches `;gzip`. Our tags have lengths of their own, so that none is another one with this at its end.
 */
const COMPRESSED = /[-;](?:gzip|br|zstd|deflate)(?="$)/;

/** The entity tags of a list, without the mark of weak ones: as they are, and without what a proxy may have added. */
const tags = (header: string): string[] =>
  header.split(',').flatMap((sent) => {
    const tag = sent.trim().replace(/^W\//, '');
    return [tag, tag.replace(COMPRESSED, '')];
  });

/**
 * Answers with one object and its ETag; a GET whose If-None-Match names it gets 304 (RFC 9110, 13.1.2: compared
 * weakly).
 */
export const sendObject = (ctx: Context, object: object, status = 200): void =>
  sendRepresentation(ctx, representationOf(object), status);

/** An object as it is sent, with its ETag; for objects that are sent often without a change. */
export interface Representation {
  body: string | Buffer;
  etag: string;
}

/**
 * @param variant the object in another form, such as in a visitor's language: its tag names both, so that If-Match
 *   with it means the object, and If-None-Match the form
 */
export const representationOf = (object: object, variant?: object): Representation => {
  const text = JSON.stringify(object);
  const etag = etagOf(text);
  if (!variant) return { body: text, etag };
  const inForm = JSON.stringify(variant);
  return { body: inForm, etag: `${etag.slice(0, -1)}.${etagOf(inForm).slice(1, 9)}"` };
};

/** Sets the ETag of what is answered; 304 to a GET whose If-None-Match names it. */
export const sendTag = (ctx: Context, etag: string): void => {
  ctx.set('ETag', etag);
  const known = ctx.get('If-None-Match');
  if ((ctx.method === 'GET' || ctx.method === 'HEAD') && known !== '') {
    if (known.trim() === '*' || tags(known).includes(etag)) ctx.status = 304;
  }
};

/** `sendObject` for a representation that was made before. */
export const sendRepresentation = (ctx: Context, { body, etag }: Representation, status = 200): void => {
  ctx.status = status;
  ctx.type = 'application/json';
  ctx.body = body;
  if (!ctx.response.get('Cache-Control')) ctx.set('Cache-Control', 'no-cache');
  sendTag(ctx, etag);
};

/** Answers 201 with the new object and its address (docs/contract.md#entity-tags). */
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
  // An empty one names nothing, as of a client that has lost its tag.
  if (!('if-match' in ctx.headers)) return undefined;
  const wanted = ctx.get('If-Match');
  return (current) => {
    const etag = etagOf(JSON.stringify(current));
    const named = tags(wanted).map((tag) => tag.replace(VARIANT, ''));
    if (wanted.trim() === '*' || named.includes(etag)) return;
    throw new ParlorError(
      'precondition_failed',
      'The object has changed since: If-Match does not name its ETag.',
    );
  };
};
