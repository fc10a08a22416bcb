import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { notificationFor } from '../../../test/notifications.ts';

const app = testApp();

it('a notification names the first 20 keywords, in all that tells of it, and counts the others', async () => {
  const { token, id } = await app.account();
  const make = async (path: string, body: object) =>
    (await app.request('POST', `/api/v1/${path}/`, { token, body })).json;
  // Nobody takes it: it stays as it was made.
  await make('webhooks', { event: 'keyword_notification.added', target: 'http://127.0.0.1:8/' });
  const words = Array.from({ length: 30 }, (_, n) => `word ${99 - n}`);
  for (const keyword of words) await make('keywords', { keyword });
  const room = await make('rooms', {});
  await make('messages', { body: words.toReversed().join(', '), room: { uuid: room.uuid } });
  const named = { keywords: words.slice(0, 20), keyword_count: 30 };
  expect(await notificationFor(app, token)).toMatchObject(named);
  const { deliveries, notifications } = app.services.models;
  const own = { account: id };
  const sent = async () => JSON.parse((await deliveries.findOne(own).lean())?.body ?? '{}').data;
  await expect.poll(sent, { timeout: 60_000 }).toMatchObject(named);
  expect(await notifications.findOne(own).lean()).toMatchObject(named);
  // As an earlier version has stored it.
  await notifications.updateOne(own, { $set: { keywords: words }, $unset: { keyword_count: 1 } });
  expect(await notificationFor(app, token)).toMatchObject(named);
});
