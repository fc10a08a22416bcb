import type { Secrets } from '../../platform/secrets.ts';

/** What a visitor's token says. */
export interface VisitorClaims {
  session: string;
  expires: Date;
}

/**
 * `v1.<session>.<expiry in milliseconds, base 36>.<HMAC-SHA256>`: signed with a key of its own derived from
 * SECRET_KEY; the version lets the form change with an overlap.
 */
export const signVisitorToken = (secrets: Secrets, { session, expires }: VisitorClaims): string => {
  const signed = `v1.${session}.${expires.getTime().toString(36)}`;
  return `${signed}.${secrets.fingerprint('visitor-session', signed)}`;
};

/** The claims of a token that is whole and has not run out at `now`; undefined for any other text. */
export const readVisitorToken = (secrets: Secrets, token: string, now: Date): VisitorClaims | undefined => {
  const [, signed, session, expiry, signature] =
    /^((?:v1)\.([0-9a-f-]{36})\.([0-9a-z]{1,11}))\.([0-9a-f]{64})$/.exec(token) ?? [];
  if (!signed || !session || !expiry || !signature) return undefined;
  if (!secrets.verify('visitor-session', signed, signature)) return undefined;
  const expires = new Date(Number.parseInt(expiry, 36));
  return expires > now ? { session, expires } : undefined;
};
