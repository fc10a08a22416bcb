import { describe, expect, it } from 'vitest';
import { Secrets } from '../../platform/secrets.ts';
import { readVisitorToken, signVisitorToken } from './tokens.ts';

const OLD = 'the secret key before, 40 characters long';
const NEW = 'the secret key of today, 40 characters or so';
const claims = { session: '01a1fd05-a164-734a-b022-d510a0649649', expires: new Date(Date.now() + 60_000) };

describe('a change of SECRET_KEY', () => {
  it('keeps tokens good on servers that know both keys, whichever signed', () => {
    const servers = [new Secrets(OLD, NEW), new Secrets(NEW, OLD)];
    for (const signer of servers) {
      const token = signVisitorToken(signer, claims);
      for (const reader of servers) expect(readVisitorToken(reader, token, new Date())).toEqual(claims);
    }
  });

  it('ends the old tokens where the old key is gone', () => {
    const token = signVisitorToken(new Secrets(OLD), claims);
    expect(readVisitorToken(new Secrets(NEW), token, new Date())).toBeUndefined();
  });

  it('finds a secret that was stored under either key', () => {
    const stored = new Secrets(OLD).fingerprint('token-fingerprint', 'x');
    expect(new Secrets(NEW, OLD).fingerprints('token-fingerprint', 'x')).toContain(stored);
    expect(new Secrets(NEW).fingerprints('token-fingerprint', 'x')).not.toContain(stored);
  });
});
