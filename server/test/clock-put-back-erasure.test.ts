import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from './app.ts';
import { documentsWith } from './everything.ts';
import { PATIENCE } from './mailed-account.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** What was written before the clock was put back is erased like everything else: it says a time that has not come yet. */

const app = testApp();

it.each([180_000, 86_400_000])(
  'a room and a lead of %i ms ahead are deleted with every word',
  async (ahead) => {
    const word = `word${ahead}`;
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ahead });
    onTestFinished(() => void vi.useRealTimers());
    const { token, widget } = await app.account();
    const rest = async (method: string, path: string, body?: object) => {
      const { status, json, text } = await app.request(method, `/api/v1/${path}`, {
        token,
        ...(body && { body }),
      });
      expect([path, status, text]).toEqual([path, expect.toSatisfy((one) => one < 300), text]);
      return json;
    };
    await rest('POST', 'keywords/', { keyword: 'refund' });
    const receiver = await startWebhookReceiver();
    for (const event of ['message.added', 'lead.added']) {
      await rest('POST', 'webhooks/', { event, target: receiver.url });
    }
    const { visitor, room } = await app.session(widget);
    const said = await app.request('POST', '/api/v1/messages/', {
      visitor,
      headers: { 'Idempotency-Key': 'k' },
      body: { body: `A refund for ${word}`, room: { uuid: room.uuid } },
    });
    expect(said.status).toBe(201);
    await rest('POST', `conversations/${room.uuid}/notes/`, { body: `A note of ${word}` });
    await rest('PUT', `conversations/${room.uuid}/draft/`, { body: `Dear ${word}` });
    const lead = await rest('POST', 'leads/', { nickname: word });
    const notified = () => app.services.models.notifications.countDocuments({ room: room.uuid });
    const found = () => documentsWith(app.services, new RegExp(word));
    await vi.waitFor(async () => {
      const held = new Set((await found()).map((text) => text.split(' ')[0]));
      expect([...held]).toEqual(expect.arrayContaining(['deliveries', 'messages', 'searchsegments']));
      expect(receiver.received).toHaveLength(2);
      expect(await notified()).toBe(1);
    }, PATIENCE);
    await vi.waitFor(async () => {
      const waiting = await app.services.models.deliveries.countDocuments({ state: 'pending' });
      expect(waiting).toBe(0);
    }, PATIENCE);

    vi.useRealTimers();
    await rest('DELETE', `rooms/${room.label}/`);
    await rest('DELETE', `leads/${lead.uuid}/`);
    await vi.waitFor(async () => {
      // What was still to be announced came out once more meanwhile, and is erased the next time.
      await app.services.roomDeletion.resume(new Date(Date.now() + 100_000));
      expect(await found()).toEqual([]);
      expect(await notified()).toBe(0);
    }, PATIENCE);
  },
);
