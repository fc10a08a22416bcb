import { newUuid } from '../../platform/ids.ts';
import type { Secrets } from '../../platform/secrets.ts';

/** How long an invitation can be used. */
const LIFETIME_MS = 7 * 86_400_000;

export interface Invitation {
  id: string;
  expires: Date;
}

/** `inv1.<id>.<expiry in milliseconds, base 36>.<HMAC-SHA256>`: whoever holds it may register one account. */
export const newInvitation = (secrets: Secrets, now = new Date()): string => {
  const signed = `inv1.${newUuid()}.${(now.getTime() + LIFETIME_MS).toString(36)}`;
  return `${signed}.${secrets.fingerprint('invitation', signed)}`;
};

/** The invitation of a text that is whole and has not run out at `now`; undefined for any other text. */
export const readInvitation = (secrets: Secrets, text: string, now = new Date()): Invitation | undefined => {
  const [, signed = '', id = '', expiry = '', signature = ''] =
    /^(inv1\.([0-9a-f-]{36})\.([0-9a-z]{1,11}))\.([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  if (signed === '' || !secrets.verify('invitation', signed, signature)) return undefined;
  const expires = new Date(Number.parseInt(expiry, 36));
  return expires > now ? { id, expires } : undefined;
};
