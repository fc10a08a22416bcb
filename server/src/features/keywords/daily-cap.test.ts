import { describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { MAX_OF_CONVERSATION } from './daily-cap.ts';

const BEHIND_PROXY = { TRUST_PROXY: '1', PUBLIC_URL: 'https://chat.example.com', REGISTRATION: 'open' };

/** Each from another address, whose share is another test's (address-share.test.ts). */
let sent = 0;
const elsewhere = () => ({ 'x-forwarded-for': `198.51.${sent >> 8}.${sent++ & 255}` });

const app = testApp({ ...BEHIND_PROXY, KEYWORD_NOTIFICATIONS_PER_DAY: '3' });

describe('the notifications of one day', () => {
  it('are no more than KEYWORD_NOTIFICATIONS_PER_DAY for an account', async () => {
    const [{ token: flooded }, { token: other, id }] = [await app.account(), await app.account()];
    for (const account of [flooded, other]) {
      await app.request('POST', '/api/v1/keywords/', { token: account, body: { keyword: 'refund' } });
    }
    const say = async (account: string, count: number) => {
      const room = (await app.request('POST', '/api/v1/rooms/', { token: account })).json;
      for (let n = 0; n < count; n++) {
        const body = { body: `refund ${n}`, room: { uuid: room.uuid } };
        await app.request('POST', '/api/v1/messages/', { token: account, body });
      }
    };
    const listed = async (account: string) =>
      (await app.request('GET', '/api/v1/keyword_notifications/', { token: account })).json.length;
    const raise = vi.spyOn(app.services.notifications, 'raise');
    await say(flooded, 5);
    await say(other, 2);
    await vi.waitFor(async () => expect(await listed(other)).toBe(2), { timeout: 60_000 });
    await vi.waitFor(
      async () =>
        expect(await app.services.models.messages.countDocuments({ events: { $exists: true } })).toBe(0),
      { timeout: 60_000 },
    );
    expect(await listed(flooded)).toBe(3);
    // What is told again, as after a crash, takes no place of what has yet to come.
    const told = raise.mock.calls.flatMap(([events]) => events);
    await app.services.notifications.raise(told.filter(({ account }) => account === id));
    await say(other, 1);
    await vi.waitFor(async () => expect(await listed(other)).toBe(3), { timeout: 60_000 });
  });

  it('are counted by that day alone, also after the clock was put back', async () => {
    const { token, id } = await app.account();
    await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
    const room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
    const say = (text: string) =>
      app.request('POST', '/api/v1/messages/', { token, body: { body: text, room: { uuid: room.uuid } } });
    const { notifications, usage } = app.services.models;
    const counts = (count: number) =>
      vi.waitFor(async () => expect(await notifications.countDocuments({ account: id })).toBe(count), {
        timeout: 60_000,
      });
    for (const text of ['refund 1', 'refund 2']) await say(text);
    await counts(2);
    const then = new Date(Date.now() + 3 * 86_400_000);
    await notifications.updateMany({ account: id }, { $set: { created_at: then } });
    await usage.deleteMany({ _id: { $regex: `^${id} keyword notifications ` } });
    for (const text of ['refund 3', 'refund 4', 'refund 5']) await say(text);
    await counts(5);
  });
});

describe('one visitor', () => {
  const wide = testApp({ ...BEHIND_PROXY, KEYWORD_NOTIFICATIONS_PER_DAY: '50' });

  /** An account that hears of a word, and conversations of its visitors. */
  const start = async (on: typeof app) => {
    const { token, widget, id } = await on.account();
    await on.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
    const { messages, notifications } = on.services.models;
    const conversation = async () => {
      const { visitor, room } = await on.session(widget);
      const say = async (count: number) => {
        for (let n = 0; n < count; n++) {
          const body = { body: `refund ${n}`, room: { uuid: room.uuid } };
          const write = { visitor, body, headers: elsewhere() };
          expect((await on.request('POST', '/api/v1/messages/', write)).status).toBe(201);
        }
      };
      const raised = () => notifications.countDocuments({ room: room.uuid });
      return { say, raised };
    };
    const settled = () =>
      vi.waitFor(
        async () => expect(await messages.countDocuments({ account: id, events: { $exists: true } })).toBe(0),
        { timeout: 60_000 },
      );
    return { conversation, settled };
  };

  it('keeps no notification of a new conversation back, whatever it writes', async () => {
    const { conversation, settled } = await start(app);
    const flood = await conversation();
    await flood.say(8);
    await settled();
    expect(await flood.raised()).toBe(3);
    // As many conversations as the reserve has.
    const others = [await conversation(), await conversation(), await conversation(), await conversation()];
    for (const other of others) {
      await other.say(2);
      await settled();
    }
    expect(await Promise.all(others.map((other) => other.raised()))).toEqual([1, 1, 1, 0]);
  });

  it('has a share from half of the day’s on', async () => {
    const { conversation, settled } = await start(wide);
    const [flood, second, other] = [await conversation(), await conversation(), await conversation()];
    await flood.say(28);
    await settled();
    await second.say(MAX_OF_CONVERSATION + 2);
    await settled();
    await other.say(2);
    await settled();
    const raised = await Promise.all([flood.raised(), second.raised(), other.raised()]);
    expect(raised).toEqual([25, MAX_OF_CONVERSATION, 2]);
  });
});
