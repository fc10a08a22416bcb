import { randomBytes } from 'node:crypto';
import { loadLater } from '../../platform/load-later.ts';

const standardWebhooks = loadLater<typeof import('standardwebhooks')>('standardwebhooks');

/** Standard Webhooks asks for 24 to 64 bytes. */
const SECRET_BYTES = 32;

/** A new signing secret: `whsec_` and base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

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
