import { createCipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { placeOf, Secrets } from './secrets.ts';

const OLD = 'the key before, of more than 32 characters';
const NEW = 'the key after it, of more than 32 characters';
const place = placeOf({ _id: 'webhook', account: 'ada' }, 'secret_sealed');

it('opens what is sealed where it was sealed, and nowhere else', () => {
  const secrets = new Secrets(NEW);
  const sealed = secrets.encrypt('a secret', place);
  expect(sealed).toMatch(/^v2\./);
  expect(secrets.decrypt(sealed, place)).toBe('a secret');
  for (const moved of [{ owner: 'bob' }, { document: 'another' }, { field: 'previous_sealed' }]) {
    expect(() => secrets.decrypt(sealed, { ...place, ...moved })).toThrow();
  }
  // Nor as the version that was bound to no place.
  expect(() => secrets.decrypt(sealed.replace('v2.', 'v1.'), place)).toThrow();
  expect(() => secrets.decrypt(`${sealed.slice(0, -2)}AA`, place)).toThrow();
});

it('opens what version 1 or the other key sealed, and knows that it is not current', () => {
  const nonce = randomBytes(12);
  const key = Buffer.from(hkdfSync('sha256', OLD, '', 'parlor:encryption', 32));
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const bytes = Buffer.concat([cipher.update('a secret'), cipher.final(), cipher.getAuthTag()]);
  const first = `v1.${nonce.toString('base64url')}.${bytes.toString('base64url')}`;
  const both = new Secrets(NEW, OLD);
  for (const sealed of [first, new Secrets(OLD).encrypt('a secret', place)]) {
    expect(both.decrypt(sealed, place)).toBe('a secret');
    expect(both.isCurrent(sealed, place)).toBe(false);
    expect(() => new Secrets(NEW).decrypt(sealed, place)).toThrow();
  }
  expect(both.isCurrent(both.encrypt('a secret', place), place)).toBe(true);
  expect(both.isCurrent(both.encrypt('a secret', place), { ...place, owner: 'bob' })).toBe(false);
});
