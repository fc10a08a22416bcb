import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { documentsWith } from '../../../test/everything.ts';
import { holdDeliveries } from '../../../test/late-deliveries.ts';
import { startReceiver } from '../../../test/webhooks-parts.ts';

const app = testApp();

/** A deletion may wait for its turn, and for a slow database, until a search takes it for one that never was. */
it('a room whose deletion takes more than a minute leaves no words that are told later', async () => {
  const { models, roomDeletion } = app.services;
  const { token, widget, id } = await app.account();
  const receiver = await startReceiver();
  const body = { event: 'message.added', target: receiver.url };
  expect((await app.request('POST', '/api/v1/webhooks/', { token, body })).status).toBe(201);
  const { visitor, room } = await app.session(widget);
  const { asked, release } = holdDeliveries(app);
  const said = { visitor, body: { body: 'A refund for secret5678', room: { uuid: room.uuid } } };
  expect((await app.request('POST', '/api/v1/messages/', said)).status).toBe(201);
  await expect.poll(asked, { timeout: 60_000 }).toBeGreaterThan(0);
  let goOn = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const deleted = roomDeletion.delete(id, room.label, () => turn);
  const pending = () => models.roomDeletions.countDocuments({ room: room.uuid });
  await expect.poll(pending).toBe(1);
  // Another process's search, a minute later.
  await roomDeletion.resume(new Date(Date.now() + 61_000));
  expect(await pending()).toBe(0);
  goOn();
  await deleted;
  // Its second round is as long after it was gone.
  await roomDeletion.resume(new Date(Date.now() + 30_000));
  expect(await pending()).toBe(1);
  release();
  const delivered = () => models.deliveries.countDocuments({ account: id, state: 'delivered' });
  await expect.poll(delivered, { timeout: 60_000 }).toBe(1);
  await vi.waitFor(async () => {
    await roomDeletion.resume(new Date(Date.now() + 100_000));
    expect(await documentsWith(app.services, /secret5678/)).toEqual([]);
    expect(await pending()).toBe(0);
  }, 60_000);
}, 120_000);
