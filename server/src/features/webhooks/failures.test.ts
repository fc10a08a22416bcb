import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { Failures } from './failures.ts';

const HOUR_MS = 3_600_000;

const app = testApp();

/** A webhook, and what records a failed attempt at a time offset from now, in hours. */
const failingWebhook = async () => {
  const { token } = await app.account();
  const target = 'https://example.com/hook';
  const body = { event: 'message.added', target };
  const { uuid } = (await app.request('POST', '/api/v1/webhooks/', { token, body })).json;
  const { webhooks } = app.services.models;
  let isUnsubscribed = false;
  const failures = new Failures({
    webhooks,
    knownWebhooks: { forget: () => undefined },
    unsubscribed: async () => {
      isUnsubscribed = true;
    },
    audited: { delete: async () => webhooks.findOne({ _id: uuid }).lean() },
    log: { warn: () => undefined },
  } as never);
  const known = { id: uuid, target, isFailing: true } as never;
  const failed = (hours: number) =>
    failures.learn(known, { at: new Date(Date.now() + hours * HOUR_MS) }, 'retry');
  const failedFor = async (): Promise<number> => {
    const { failing_since, failed_at } = (await webhooks.findOne({ _id: uuid }).lean()) ?? {};
    return (Number(failed_at) - Number(failing_since)) / HOUR_MS;
  };
  return { failed, failedFor, isUnsubscribed: () => isUnsubscribed };
};

it('is unsubscribed by failures of five days', async () => {
  const { failed, isUnsubscribed } = await failingWebhook();
  for (let n = 0; n < 20; n++) {
    expect(isUnsubscribed()).toBe(false);
    await failed(n * 7);
  }
  expect(isUnsubscribed()).toBe(true);
});

it.each([6 * 24, 50 * 365 * 24])('counts a clock that was %i hours back as a pause', async (hours) => {
  const { failed, failedFor, isUnsubscribed } = await failingWebhook();
  for (let n = 0; n < 19; n++) await failed(n * 0.05);
  await failed(-hours);
  for (let n = 0; n < 5; n++) await failed(1 + n * 0.05);
  expect(isUnsubscribed()).toBe(false);
  expect(await failedFor()).toBeLessThan(31);
});
