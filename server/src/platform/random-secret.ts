import { createHash, randomBytes } from 'node:crypto';

/** A secret for links and cookies: 256 random bits, in base64url. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

/** What one looks like. */
export const SECRET = /^[\w-]{43}$/;

/** What is kept of a random secret: SHA-256, in hex. Nobody guesses such a secret, so that no slow hash is needed. */
export const secretHash = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** What that looks like. */
export const SECRET_HASH = /^[0-9a-f]{64}$/;
