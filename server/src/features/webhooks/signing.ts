import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { loadLater } from '../../platform/load-later.ts';

const standardWebhooks = loadLater<typeof import('standardwebhooks')>('standardwebhooks');

/** Those of a new one. */
const SECRET_BYTES = 32;

/** As Standard Webhooks bounds them. */
const MIN_SECRET_BYTES = 24;
const MAX_SECRET_BYTES = 64;

const PREFIX = 'whsec_';

/** Whether deliveries can be signed with a text. */
export const isSigningSecret = (text: string): boolean => {
  const base64 = text.slice(PREFIX.length);
  const bytes = Buffer.from(base64.slice(0, 2 * MAX_SECRET_BYTES), 'base64');
  const isWhole = text.startsWith(PREFIX) && bytes.toString('base64') === base64;
  return isWhole && bytes.length >= MIN_SECRET_BYTES && bytes.length <= MAX_SECRET_BYTES;
};

/** The same as an import checks it (database/collection-data.ts). */
export const SIGNING_SECRET = z.string().refine(isSigningSecret, { error: 'No signing secret.' });

/** A new signing secret: `whsec_` and base64. */
export const newSigningSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;

/** Makes the headers of an attempt. */
export type Sign = (id: string, at: Date, body: string) => Record<string, string>;

/**
 * Signs by Standard Webhooks with each of `secrets`, the present one first: a receiver that knows any of them
 * accepts the delivery.
 */
export const signWith = (secrets: readonly string[]): Sign => {
  const { Webhook: Signer } = standardWebhooks();
  const signers = secrets.map((secret) => new Signer(secret));
  return (id, at, body) => ({
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signers.map((signer) => signer.sign(id, at, body)).join(' '),
  });
};
