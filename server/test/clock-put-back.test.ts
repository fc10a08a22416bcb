import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { newEvent } from '../src/events/events.ts';
import { addedMessage } from '../src/features/messages/added-message.ts';
import type { StoredMessage } from '../src/features/messages/messages.model.ts';
import { testAgent } from './agent.ts';
import { testApp } from './app.ts';
import { keywordMails, mailedAccount, PATIENCE } from './mailed-account.ts';
import { startSmtpReceiver } from './smtp-receiver.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/**
 * What a process left behind that died before the clock was put back: it stands there with times of then, and is gone on
 * with at once and not when the clock is there again.
 */

const DAY = 86_400_000;

/** A time of before. */
const then = (): Date => new Date(Date.now() + 3 * DAY);

const smtp = await startSmtpReceiver();
const app = testApp({
  SMTP_URL: smtp.url,
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
  MAIL_DIGEST_WINDOW: '1s',
  WEBHOOK_RETRY_DELAYS: '1h',
});

const subscribe = async (token: string, event: string) => {
  const receiver = await startWebhookReceiver();
  const body = { event, target: receiver.url };
  const { json } = await app.request('POST', '/api/v1/webhooks/', { token, body });
  return { receiver, webhook: json.uuid as string };
};

it('an event is announced', async () => {
  const { token, id } = await app.account();
  const { receiver } = await subscribe(token, 'message.added');
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
  const event = newEvent('message.added', id, then(), { uuid: randomUUID(), room: { uuid: room.uuid } });
  await app.services.models.rooms.updateOne({ _id: room.uuid }, { $set: { events: [event] } } as never);
  const { uuid } = event.data as { uuid: string };
  expect((await receiver.find((data) => data.uuid === uuid)).headers['webhook-id']).toBeDefined();
});

it('a deletion that was interrupted is told', async () => {
  const { id } = await app.account();
  const { realtimeEntries, tombstones } = app.services.models;
  const [_id, room] = [randomUUID(), randomUUID()];
  const event = newEvent('room.deleted', id, new Date(), { uuid: room }, { room });
  const deletion = { collection: 'rooms', holder: room, created_at: then(), event };
  await tombstones.collection.insertOne({ _id, subject: room, made_at: then(), deletion } as never);
  await app.services.tombstones.clear();
  const told = () => realtimeEntries.findOne({ room, name: 'room.deleted' }).lean();
  await vi.waitFor(async () => expect(await told()).not.toBeNull(), PATIENCE);
});

it('a delivery that was put off goes out, and one that waits for its time goes on waiting', async () => {
  const { token } = await app.account();
  const { receiver, webhook } = await subscribe(token, 'chat.added');
  receiver.answer = 500;
  const make = async () => (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid;
  const [late, waiting] = [await make(), await make()];
  const { deliveries } = app.services.models;
  const rows = () => deliveries.find({ queue: webhook, tries: 1 }).lean();
  await vi.waitFor(async () => expect(await rows()).toHaveLength(2), PATIENCE);
  receiver.answer = 200;
  receiver.received.length = 0;
  const row = (await rows()).find(({ body }) => body.includes(late));
  await deliveries.updateOne({ _id: row?._id }, { $set: { due_at: then() } });
  app.services.sender.wake();
  await receiver.find(({ uuid }) => uuid === late);
  expect(receiver.received.map(({ body }) => JSON.parse(body).data.uuid)).toEqual([late]);
  const waits = async () => (await rows()).map(({ body }) => body.includes(waiting));
  await vi.waitFor(async () => expect(await waits()).toEqual([true]), PATIENCE);
});

describe('a mail', () => {
  it('that was put off goes out, and one that follows waits for its window', async () => {
    const { ask, id, to } = await mailedAccount(app);
    const { outgoingMails } = app.services.models;
    const mailed = (count: number) =>
      vi.waitFor(() => expect(keywordMails(smtp.mails, to)).toHaveLength(count), PATIENCE);
    const own = { account: id, kind: 'digest' } as const;
    const allMailed = () =>
      vi.waitFor(
        async () => expect(await outgoingMails.exists({ ...own, due_at: { $exists: true } })).toBeNull(),
        PATIENCE,
      );
    await ask('A refund, please');
    await mailed(1);
    await allMailed();
    await outgoingMails.updateOne(own, { $set: { last_at: then() } });
    await ask('A refund, again');
    await mailed(2);
    await allMailed();
    await outgoingMails.updateOne(own, { $set: { last_at: new Date() } });
    await ask('A refund at last');
    // As another process has put it off.
    await outgoingMails.updateOne(own, { $set: { due_at: then() } });
    await mailed(3);
  });
});

describe('of a conversation with a bot', () => {
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
    { id: 'q', type: 'question', text: 'And then?', next: 'q' },
  ];
  const start = async () => {
    const { account, rest } = await testAgent(app, nodes, { is_room_bot: true });
    await rest('PATCH', `widgets/${account.widget}/`, { is_bot_use: true });
    const { visitor, room } = await app.session(account.widget);
    const body = { body: 'Hi', room: { uuid: room.uuid } };
    const { json } = await app.request('POST', '/api/v1/messages/', { visitor, body });
    const { messages } = app.services.models;
    await vi.waitFor(async () => {
      const said = await messages.findOne({ _id: json.uuid }, { support_answer: 1 }).lean();
      expect(said?.support_answer).toBe('And then?');
    }, PATIENCE);
    return { messages, room: room.uuid, message: await messages.findOne({ _id: json.uuid }).lean() };
  };

  it('an unanswered message is answered', async () => {
    const { messages, message } = await start();
    const { support_answer: _, events: _e, ...asked } = message as NonNullable<typeof message>;
    const _id = randomUUID();
    await messages.collection.insertOne({ ...asked, _id, sent_at: new Date(), answer_due: then() } as never);
    await vi.waitFor(async () => {
      expect((await messages.findOne({ _id }).lean())?.support_answer).toBe('And then?');
    }, PATIENCE);
  });

  it('a turn that is not published is', async () => {
    const { messages, room, message } = await start();
    const { events: _, ...said } = message as NonNullable<typeof message>;
    const _id = randomUUID();
    const pending = { turn: randomUUID(), at: then(), messages: [{ ...said, _id }], leads: [] };
    await vi.waitFor(async () => {
      const without = { _id: room, 'bot.pending': { $exists: false } } as never;
      const { modifiedCount } = await app.services.models.rooms.updateOne(without, {
        $set: { 'bot.pending': pending },
      } as never);
      expect(modifiedCount).toBe(1);
    }, PATIENCE);
    await vi.waitFor(async () => expect(await messages.exists({ _id })).not.toBeNull(), PATIENCE);
  });
});

describe('what was claimed is free:', () => {
  it('an Idempotency-Key', async () => {
    const { token, id } = await app.account();
    const post = () =>
      app.request('POST', '/api/v1/rooms/', {
        token,
        body: { name: 'One' },
        headers: { 'idempotency-key': 'the-only' },
      });
    const first = await post();
    const held = { $set: { leased_until: then() }, $unset: { answer: 1 } } as const;
    await app.services.models.idempotency.updateOne({ account: id }, held);
    const again = await post();
    expect([again.status, again.json?.uuid]).toEqual([201, first.json.uuid]);
  });

  it('the right to count what an account has', async () => {
    const { token, id } = await app.account();
    const { registrationClaims } = app.services.models;
    await registrationClaims.insertOne({ _id: `quota webhooks ${id}`, expires_at: then() });
    const body = { event: 'chat.added', target: 'http://127.0.0.1:8/' };
    expect((await app.request('POST', '/api/v1/webhooks/', { token, body })).status).toBe(201);
  }, 30_000);

  it('the walk through what an imported account brought', async () => {
    const { token, id } = await app.account();
    const { searchProgress, searchSegments } = app.services.models;
    await app.request('POST', '/api/v1/leads/', { token, body: { nickname: 'Ada' } });
    const fresh = { account: id, is_fresh: true };
    await vi.waitFor(async () => expect(await searchSegments.exists(fresh)).not.toBeNull(), PATIENCE);
    await searchSegments.updateMany(fresh, { $set: { made_at: then() } });
    await app.services.earlierObjects.request(id);
    await searchProgress.updateOne({ _id: id }, { $set: { leased_until: then() } });
    await app.services.earlierObjects.sweep();
    // The sweeper of the application may have taken it first.
    await expect.poll(() => searchProgress.exists({ _id: id }), PATIENCE).toBeNull();
    await expect.poll(() => searchSegments.exists(fresh), PATIENCE).toBeNull();
  });
});

describe('what was to be deleted is:', () => {
  it('the rest of a room', async () => {
    const { token, id } = await app.account();
    const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
    const body = { body: 'Hello', room: { uuid: room.uuid } };
    await app.request('POST', '/api/v1/messages/', { token, body });
    const { messages, roomDeletions, rooms } = app.services.models;
    await rooms.deleteOne({ _id: room.uuid });
    await roomDeletions.insertOne({ _id: randomUUID(), account: id, room: room.uuid, begun_at: then() });
    await app.services.roomDeletion.resume();
    expect(await messages.exists({ account: id })).toBeNull();
  });

  it('what a visitor wrote who has asked for that', async () => {
    const { id, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    const body = { body: 'Hello', room: { uuid: room.uuid } };
    await app.request('POST', '/api/v1/messages/', { visitor, body });
    await app.services.models.sessions.updateMany({ account: id }, { $set: { closed_at: then() } });
    await app.services.erasure.resume();
    expect(await app.services.models.messages.exists({ account: id })).toBeNull();
  });

  it('the rest of an account', async () => {
    const { id } = await app.account();
    const gone = { $set: { deleted_at: then(), emptied_at: then() } };
    await app.services.models.accounts.updateOne({ _id: id }, gone);
    await app.services.accountDeletion.resume();
    expect(await app.services.models.accounts.exists({ _id: id })).toBeNull();
  });
});

describe('a message', () => {
  const begin = async () => {
    const { token, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    const say = async (by: { token: string } | { visitor: string }, body: string) => {
      const given = { body, room: { uuid: room.uuid }, is_support_sender: 'token' in by };
      const { status, text } = await app.request('POST', '/api/v1/messages/', { ...by, body: given });
      expect([status, text]).toEqual([201, text]);
    };
    const listed = async () => {
      const { json } = await app.request('GET', `/api/v1/messages/?room=${room.uuid}`, { token });
      return json.map(({ body }: { body: string }) => body);
    };
    const waits = () =>
      vi.waitFor(async () => {
        const { json } = await app.request('GET', `/api/v1/conversations/${room.uuid}/`, { token });
        expect([json.waiting_on, json.last_message.body]).toEqual(['us', 'And now?']);
      }, PATIENCE);
    return { token, visitor, room, say, listed, waits };
  };

  it('comes after those that were sent before the clock was put back', async () => {
    const { token, visitor, say, listed, waits } = await begin();
    await say({ visitor }, 'Do you deliver?');
    const now = Date.now;
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() - DAY);
    onTestFinished(() => clock.mockRestore());
    await say({ token }, 'We do.');
    await say({ visitor }, 'And now?');
    clock.mockRestore();
    expect(await listed()).toEqual(['And now?', 'We do.', 'Do you deliver?']);
    await waits();
  });

  it('comes after those of a server whose clock is ahead', async () => {
    const { visitor, room, say, listed, waits } = await begin();
    await say({ visitor }, 'Do you deliver?');
    const { channel, models, relay } = app.services;
    const { events: _, ...like } = (await models.messages
      .findOne({ room: room.uuid })
      .lean()) as StoredMessage;
    const answer = addedMessage(
      { ...like, _id: room.uuid, label: room.label },
      {
        ...like,
        _id: randomUUID(),
        body: 'We do.',
        is_support_sender: true,
        sent_at: new Date(Date.now() + 30_000),
      },
    );
    await models.messages.collection.insertOne(answer as never);
    relay.announce(models.messages, answer);
    await vi.waitFor(
      () =>
        expect(
          channel.recent.after(0)?.some(({ entry }) => entry.room === room.uuid && entry.at > new Date()),
        ).toBe(true),
      PATIENCE,
    );
    await say({ visitor }, 'And now?');
    expect(await listed()).toEqual(['And now?', 'We do.', 'Do you deliver?']);
    await waits();
  });
});
