import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { holdDeliveries } from '../../../test/late-deliveries.ts';
import { startReceiver } from '../../../test/webhooks-parts.ts';

/** What is made from an event that the relay comes to late is as old as that event, where a room was made anew meanwhile. */

const PATIENCE = { timeout: 60_000, interval: 100 };

const app = testApp();

it('erases deliveries and notifications of a deleted room that are made after it was begun anew', async () => {
  const { deliveries, notifications } = app.services.models;
  const { token, widget } = await app.account();
  const rest = async (method: string, path: string, body?: object) => {
    const { status, text } = await app.request(method, `/api/v1/${path}`, { token, ...(body && { body }) });
    expect([path, status < 300, text]).toEqual([path, true, text]);
  };
  const receiver = await startReceiver();
  for (const event of ['message.added', 'keyword_notification.added']) {
    await rest('POST', 'webhooks/', { event, target: receiver.url });
  }
  await rest('POST', 'keywords/', { keyword: 'refund' });
  const { visitor, room } = await app.session(widget);
  const say = async (body: string) => {
    const message = { visitor, body: { body, room: { uuid: room.uuid } } };
    expect((await app.request('POST', '/api/v1/messages/', message)).status).toBe(201);
  };

  const { asked, release } = holdDeliveries(app);
  await say('A refund for secret1234');
  await expect.poll(asked, PATIENCE).toBeGreaterThan(0);
  await rest('DELETE', `rooms/${room.label}/`);
  await say('Another refund');
  release();

  const all = async () => [
    await deliveries.countDocuments({ subject: room.uuid, state: 'delivered' }),
    await deliveries.countDocuments({ subject: room.uuid }),
  ];
  await vi.waitFor(async () => expect(await all()).toEqual([4, 4]), PATIENCE);
  await vi.waitFor(async () => {
    await app.services.roomDeletion.resume(new Date(Date.now() + 100_000));
    expect(await documentsWith(app.services, /secret1234/)).toEqual([]);
    expect(await notifications.countDocuments({ room: room.uuid })).toBe(1);
  }, PATIENCE);
  // What was said since stays.
  const kept = await deliveries.find({ subject: room.uuid, body: { $ne: '' } }).lean();
  expect(kept.map(({ body }) => body.includes('Another refund'))).toEqual([true, true]);
});
