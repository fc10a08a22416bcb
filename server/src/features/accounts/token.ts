import { randomBytes } from 'node:crypto';
import type { SealedPlace, Secrets } from '../../platform/secrets.ts';
import type { MemberFields } from './member-fields.ts';

/** 40 hexadecimal characters (docs/contract.md#accounts). */
export const newToken = (): string => randomBytes(20).toString('hex');

/** What is stored of a token. */
export const sealedToken = (
  secrets: Secrets,
  place: SealedPlace,
  token: string,
): Pick<MemberFields, 'token_fingerprint' | 'token_sealed'> => ({
  token_fingerprint: secrets.fingerprint('token-fingerprint', token),
  token_sealed: secrets.encrypt(token, place),
});
