import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { placeOf, Secrets } from '../../platform/secrets.ts';
import { MAX_PREVIOUS_SECRETS, previousSecrets, withPresentReplaced } from './previous-secrets.ts';
import { newSigningSecret } from './signing.ts';
import type { StoredWebhook } from './webhooks.model.ts';

const secrets = new Secrets('a secret key for the tests only, 40 long');
const HOUR = 3_600_000;
const BEGIN = Date.parse('2026-11-21T00:00:00Z');
const at = (hours: number): Date => new Date(BEGIN + hours * HOUR);

const own = { _id: 'webhook', account: 'ada' };
const sealed = (secret: string, field = 'secret_sealed') => secrets.encrypt(secret, placeOf(own, field));

/** A signing secret by which it is told from others. */
const named = (name: string): string => `whsec_${createHash('sha256').update(name).digest('base64')}`;

const webhookWith = (secret: string) => ({ ...own, secret_sealed: sealed(secret) }) as StoredWebhook;

/** Rotates to the secret of each of `names` in turn, an hour apart, the first at hour 0. */
const rotated = (webhook: StoredWebhook, names: string[]): StoredWebhook => {
  const current = { ...webhook };
  for (const [hour, name] of names.entries()) {
    Object.assign(current, withPresentReplaced(current, secrets, at(hour)));
    current.secret_sealed = sealed(named(name));
  }
  return current;
};

test('each secret that was replaced signs until its own end', () => {
  const webhook = rotated(webhookWith(named('first')), ['second', 'third']);
  const signing = (hours: number) => previousSecrets(webhook, secrets, at(hours)).map(({ secret }) => secret);
  expect(signing(1)).toEqual([named('second'), named('first')]);
  expect(signing(23.9)).toEqual([named('second'), named('first')]);
  expect(signing(24)).toEqual([named('second')]);
  expect(signing(25)).toEqual([]);
});

test('a rotation too many says when the next one may be', () => {
  const names = Array.from({ length: MAX_PREVIOUS_SECRETS }, (_, index) => `secret ${index}`);
  const webhook = rotated(webhookWith(named('first')), names);
  expect(() => withPresentReplaced(webhook, secrets, at(23))).toThrow(
    'A secret can be rotated 10 times in 24 hours. Expected available in 3600 seconds.',
  );
  expect(
    previousSecrets({ ...webhook, ...withPresentReplaced(webhook, secrets, at(24)) }, secrets, at(24)),
  ).toHaveLength(MAX_PREVIOUS_SECRETS);
});

test('a secret that was stored by itself keeps its promise, over a further rotation too', () => {
  const alone = newSigningSecret();
  const webhook: StoredWebhook = {
    ...webhookWith(named('present')),
    previous_sealed: sealed(alone, 'previous_sealed'),
    previous_expires_at: at(24),
  };
  const signing = (of: StoredWebhook, hours: number) =>
    previousSecrets(of, secrets, at(hours)).map(({ secret }) => secret);
  expect([signing(webhook, 23), signing(webhook, 24)]).toEqual([[alone], []]);
  const again = rotated(webhook, ['next']);
  expect(signing(again, 23)).toEqual([named('present'), alone]);
});

test('what signs nothing is kept by no rotation, and keeps back none that signs', () => {
  const good = named('good');
  const list = JSON.stringify([{ secret: 'x', expires_at: at(24).toISOString() }]);
  for (const previous of ['x', 'whsec_', list]) {
    const webhook: StoredWebhook = {
      ...webhookWith('whsec_!'),
      previous_sealed: sealed(previous, 'previous_sealed'),
      previous_expires_at: at(24),
    };
    expect(previousSecrets(webhook, secrets, at(0))).toEqual([]);
    const replaced = {
      ...webhook,
      ...withPresentReplaced(webhook, secrets, at(0)),
      secret_sealed: sealed(good),
    };
    expect(previousSecrets(replaced, secrets, at(1))).toEqual([]);
    const again = { ...replaced, ...withPresentReplaced(replaced, secrets, at(1)) };
    expect(previousSecrets(again, secrets, at(2)).map(({ secret }) => secret)).toEqual([good]);
  }
});
