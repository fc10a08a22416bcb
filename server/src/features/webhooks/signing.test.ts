import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newSigningSecret, signWith } from './signing.ts';

const AT = new Date('2026-11-21T09:30:00.999Z');
const ID = '2f0b1a1c-54f5-5b6e-9d57-7b0a2f8f6c11';

describe('signing', () => {
  test('a secret is whsec_ and 32 random bytes in base64', () => {
    const secret = newSigningSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSigningSecret()).not.toBe(secret);
  });

  test('the signature is HMAC-SHA256 of id, whole seconds and body, as the specification says', () => {
    const secret = newSigningSecret();
    const body = '{"data":{"body":"Grüße 🦉"}}';
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    const expected = createHmac('sha256', key).update(`${ID}.1795253400.${body}`).digest('base64');
    expect(signWith([secret])(ID, AT, body)).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1795253400',
      'webhook-signature': `v1,${expected}`,
    });
  });

  test("the specification's own example comes out", () => {
    const sign = signWith(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']);
    const headers = sign('msg_p5jXN8AQM9LWM0D4loKWxJek', new Date(1_614_265_330_000), '{"test": 2432232314}');
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  test('with two secrets a receiver that knows either accepts', () => {
    const [present, previous, other] = [newSigningSecret(), newSigningSecret(), newSigningSecret()];
    const body = '{"data":1}';
    const headers = signWith([present, previous])(ID, new Date(), body);
    expect(new Webhook(present).verify(body, headers)).toEqual({ data: 1 });
    expect(new Webhook(previous).verify(body, headers)).toEqual({ data: 1 });
    expect(() => new Webhook(other).verify(body, headers)).toThrow('No matching signature');
  });
});
