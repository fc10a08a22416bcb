import { mongo } from 'mongoose';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { notificationFor } from '../../../test/notifications.ts';

const app = testApp();
let token = '';
let stranger = '';

beforeAll(async () => {
  token = (await app.account()).token;
  stranger = (await app.account()).token;
});

const configure = (keyword: unknown, as = token) =>
  app.request('POST', '/api/v1/keywords/', { token: as, body: { keyword } });

describe('/api/v1/keywords/', () => {
  it('creates, lists, shows and destroys', async () => {
    const made = await configure('Refund');
    expect([made.status, made.json]).toEqual([
      201,
      { uuid: expect.any(String), keyword: 'Refund', created_at: expect.stringMatching(/\+00:00$/) },
    ]);
    expect((await app.request('GET', '/api/v1/keywords/', { token })).json).toEqual([made.json]);
    const path = `/api/v1/keywords/${made.json.uuid}/`;
    expect((await app.request('GET', path, { token })).json).toEqual(made.json);
    expect((await app.request('DELETE', path, { token: stranger })).status).toBe(404);
    expect((await app.request('DELETE', path, { token })).status).toBe(204);
    expect((await app.request('DELETE', path, { token })).status).toBe(404);
    expect((await app.request('GET', '/api/v1/keywords/', { token })).json).toEqual([]);
  });

  it('refuses one that is equal after folding', async () => {
    expect((await configure('Café  au lait')).status).toBe(201);
    for (const same of ['CAFE AU LAIT', ' café au\tlait ']) {
      const answer = await configure(same);
      expect([answer.status, answer.json]).toEqual([400, { keyword: ['This field must be unique.'] }]);
    }
    expect((await configure('cafe au lait', stranger)).status).toBe(201);
  });

  it.each([
    [undefined, 'This field is required.'],
    [null, 'This field may not be null.'],
    ['', 'This field may not be blank.'],
    ['?!', 'A keyword must hold a letter or a digit.'],
    ['x'.repeat(101), 'Ensure this field has no more than 100 characters.'],
    ['\ufdfa'.repeat(6), 'Ensure this field has no more than 100 characters.'],
    ['\ufdfa'.repeat(100), 'Ensure this field has no more than 100 characters.'],
    [5, 'Not a valid string.'],
  ])('refuses %j', async (keyword, message) => {
    const answer = await configure(keyword);
    expect([answer.status, answer.json]).toEqual([400, { keyword: [message] }]);
  });

  it('holds at most 1000', async () => {
    const account = await app.account();
    const { keywords } = app.services.models;
    await keywords.insertMany(
      Array.from({ length: 999 }, (_, n) => ({
        _id: `${account.id}-${n}`,
        keyword: `word ${n}`,
        folded: `word ${n}`,
        created_at: new Date(),
        account: account.id,
      })),
    );
    const words = ['one', 'two', 'three', 'four', 'five', 'six'];
    const answers = await Promise.all(words.map((word) => configure(word, account.token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(400)]);
    expect(answers.find(({ status }) => status === 400)?.json).toEqual({
      non_field_errors: ['An account may have at most 1000 keywords.'],
    });
    // The trail tells of nothing that was refused.
    const made = () => app.request('GET', '/api/v1/audit/?action=createKeyword', { token: account.token });
    await vi.waitFor(async () => expect((await made()).json).not.toEqual([]), 20_000);
    const uuids = answers.flatMap(({ status, json }) => (status === 201 ? [json.uuid] : []));
    expect((await made()).json.map(({ object }: any) => object.uuid)).toEqual(uuids);
  });
});

describe('GET /api/v1/keyword_notifications/', () => {
  const say = (account: string, room: string, body: string, more = {}) =>
    app.request('POST', '/api/v1/messages/', {
      token: account,
      body: { body, room: { uuid: room }, ...more },
    });

  it('lists what customers’ messages raised, with the conversation up to them', async () => {
    const account = await app.account();
    await configure('refund', account.token);
    await configure('Delivery', account.token);
    const room = (await app.request('POST', '/api/v1/rooms/', { token: account.token })).json;
    for (let n = 0; n < 25; n++) await say(account.token, room.uuid, `line ${n}`);
    await say(account.token, room.uuid, 'A refund?', { is_support_sender: true });
    const message = (
      await say(account.token, room.uuid, 'DELIVERY or refund!', { nickname: 'Ada', email: 'ada@x.test' })
    ).json;
    const notification = await notificationFor(app, account.token);
    expect(notification).toEqual({
      uuid: expect.any(String),
      customer_request: 'DELIVERY or refund!',
      keywords: ['refund', 'Delivery'],
      keyword_count: 2,
      nickname: 'Ada',
      email: 'ada@x.test',
      transcripts: expect.any(Array),
      room: { uuid: room.uuid, label: room.label },
      created_at: expect.stringMatching(/\+00:00$/),
      sent_at: null,
    });
    expect(notification.transcripts).toHaveLength(20);
    expect(notification.transcripts[0].body).toBe('line 7');
    expect(notification.transcripts[18]).toMatchObject({ body: 'A refund?', is_support_sender: true });
    expect(notification.transcripts[19]).toEqual({
      nickname: 'Ada',
      body: 'DELIVERY or refund!',
      is_support_sender: false,
      sent_at: message.sent_at,
    });
    const events = await app.services.models.notifications.find({ account: account.id }).lean();
    expect(events).toHaveLength(1);
    await app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token: account.token });
    const after = await app.request('GET', '/api/v1/keyword_notifications/', { token: account.token });
    for (const one of after.json) expect(one.room).toBeNull();
    expect((await app.request('GET', '/api/v1/keyword_notifications/', { token: stranger })).json).toEqual(
      [],
    );
  });

  it('is raised once, however often the event comes, and marked as sent once', async () => {
    const account = await app.account();
    await configure('refund', account.token);
    const room = (await app.request('POST', '/api/v1/rooms/', { token: account.token })).json;
    const message = (await say(account.token, room.uuid, 'refund')).json;
    const event = {
      id: 'x',
      name: 'message.added' as const,
      account: account.id,
      at: new Date(),
      data: { ...message, room },
    };
    const { notifications } = app.services;
    await Promise.all([notifications.raise([event]), notifications.raise([event, event])]);
    const { uuid } = await notificationFor(app, account.token);
    const first = new Date('2026-11-21T09:30:00.123Z');
    await notifications.markSent([uuid], first);
    await notifications.markSent([uuid], new Date());
    const listed = (await app.request('GET', '/api/v1/keyword_notifications/', { token: account.token }))
      .json;
    expect(listed.map(({ sent_at }: { sent_at: string }) => sent_at)).toEqual([
      '2026-11-21T09:30:00.123+00:00',
    ]);
  });

  it('keeps references, and tells 2 kB of the conversation, however long its messages are', async () => {
    const account = await app.account();
    await configure('refund', account.token);
    // Nobody takes them: they stay as they were made.
    const target = 'http://127.0.0.1:8/';
    const event = 'keyword_notification.added';
    await app.request('POST', '/api/v1/webhooks/', { token: account.token, body: { event, target } });
    const room = (await app.request('POST', '/api/v1/rooms/', { token: account.token })).json;
    const body = `refund ${'🦉'.repeat(9_990)}`;
    const count = 30;
    for (let n = 0; n < count; n++) await say(account.token, room.uuid, body, { email: 'ada@x.test' });
    const { notifications, deliveries } = app.services.models;
    const own = { account: account.id };
    await vi.waitFor(
      async () => {
        expect(await deliveries.countDocuments(own)).toBe(count);
        expect(await notifications.countDocuments({ ...own, events: { $exists: true } })).toBe(0);
      },
      { timeout: 60_000, interval: 50 },
    );
    const sizes = async (model: { find(filter: object): { lean(): Promise<unknown[]> } }) =>
      (await model.find(own).lean()).map((document) => mongo.BSON.calculateObjectSize(document as object));
    expect(Math.max(...(await sizes(notifications as never)))).toBeLessThan(2_048);
    // The customer's own message, what is told of those before it, and what the log says.
    const limit = Buffer.byteLength(body) + 2_048 + 4_096;
    expect(Math.max(...(await sizes(deliveries as never)))).toBeLessThan(limit);
    const { json } = await app.request('GET', '/api/v1/keyword_notifications/', { token: account.token });
    expect(json).toHaveLength(count);
    for (const { customer_request, email, transcripts } of json) {
      expect([customer_request, email]).toEqual([body, 'ada@x.test']);
      const told = transcripts.map((line: { body: string }) => line.body).join('');
      expect(Buffer.byteLength(told)).toBeLessThanOrEqual(2_048);
      expect(transcripts.at(-1).body).toMatch(/^refund 🦉+…$/u);
    }
  });

  it('tells each of those that come together of what was said before it', async () => {
    const account = await app.account();
    await configure('refund', account.token);
    const room = (await app.request('POST', '/api/v1/rooms/', { token: account.token })).json;
    for (let n = 0; n < 30; n++)
      await say(account.token, room.uuid, n % 3 === 0 ? `refund ${n}` : `line ${n}`);
    const listed = () => app.request('GET', '/api/v1/keyword_notifications/', { token: account.token });
    await vi.waitFor(async () => expect((await listed()).json).toHaveLength(10), { timeout: 60_000 });
    for (const { customer_request, transcripts } of (await listed()).json) {
      const last = Number(customer_request.slice('refund '.length));
      const said = Array.from({ length: 30 }, (_, n) => (n % 3 === 0 ? `refund ${n}` : `line ${n}`));
      const bodies = transcripts.map((line: { body: string }) => line.body);
      expect(bodies).toEqual(said.slice(Math.max(0, last - 19), last + 1));
    }
  });
});

it('the list reads no more of long messages than it tells, and tells the latest lines whatever their lengths', async () => {
  const account = await app.account();
  await configure('refund', account.token);
  const room = (await app.request('POST', '/api/v1/rooms/', { token: account.token })).json;
  // Runs of long and of short ones, so that lines that tell of one notification stand amid those of another.
  const long = (n: number) => n % 9 < 5 || n >= 36;
  const said = Array.from({ length: 42 }, (_, n) => `refund ${n} ${'x'.repeat(long(n) ? 900 : 20)}`);
  for (const body of said) {
    await app.request('POST', '/api/v1/messages/', {
      token: account.token,
      body: { body, room: { uuid: room.uuid } },
    });
  }
  const path = '/api/v1/keyword_notifications/';
  const listed = (query = '') => app.request('GET', path + query, { token: account.token });
  await vi.waitFor(async () => expect((await listed()).json).toHaveLength(42), { timeout: 60_000 });
  for (const { customer_request, transcripts } of (await listed()).json) {
    const last = Number(customer_request.split(' ')[1]);
    const fitting: string[] = [];
    for (const body of said.slice(Math.max(0, last - 19), last + 1).reverse()) {
      const shown = body.length > 512 ? `${body.slice(0, 509)}…` : body;
      if (fitting.reduce((sum, line) => sum + Buffer.byteLength(line), Buffer.byteLength(shown)) > 2_048)
        break;
      fitting.unshift(shown);
    }
    expect(transcripts.map((line: { body: string }) => line.body)).toEqual(fitting);
  }

  const read: number[] = [];
  const client = app.services.connection.getClient();
  const count = ({ reply }: { reply: { cursor?: { ns: string; firstBatch?: unknown[] } } }) => {
    const { ns, firstBatch } = reply.cursor ?? {};
    if (ns?.endsWith('.messages')) read.push(firstBatch?.length ?? 0);
  };
  client.on('commandSucceeded', count as never);
  // The last of them, and all before it are long.
  expect((await listed('?limit=1')).json).toHaveLength(1);
  client.off('commandSucceeded', count as never);
  // The page is read with the one that follows it.
  expect(read.reduce((sum, documents) => sum + documents, 0)).toBeLessThanOrEqual(10);
});

it('two keywords that an earlier version told apart are both mentioned', async () => {
  const { id } = await app.account();
  const { keywords: service, models } = app.services;
  const words = ['Kündi\u00adgung', 'Kündigung'];
  await models.keywords.insertMany(
    words.map((keyword, n) => ({
      ...{ _id: `${id}-${n}`, keyword, folded: `${n}`, account: id, created_at: new Date(1_000 * n) },
    })),
  );
  expect(await service.mentionedIn(id, ['Meine Kündigung'])).toEqual([{ named: words, count: 2 }]);
});

it('messages that come while keywords are made ready meet those that are there when they come', async () => {
  const account = await app.account();
  const { keywords: service, models } = app.services;
  const words = Array.from({ length: 900 }, (_, n) => `${n} ${'refund '.repeat(13)}`.trim());
  await models.keywords.insertMany(
    words.map((keyword, n) => ({
      ...{ _id: `${account.id}-${n}`, keyword, folded: keyword, account: account.id },
      created_at: new Date(),
    })),
  );
  const texts = [`x ${words[0]} x`, 'x', `${words[899]}`];
  const asked = async () => (await service.mentionedIn(account.id, texts)).map(({ named }) => named);
  const all = [[words[0]], [], [words[899]]];
  const together = [asked(), asked()];
  await service.delete(account.id, `${account.id}-0`);
  const after = asked();
  // Whichever comes first, the deletion or the question.
  for (const found of await Promise.all(together)) expect(found.slice(1)).toEqual(all.slice(1));
  expect(await after).toEqual([[], ...all.slice(1)]);
  expect(await asked()).toEqual([[], ...all.slice(1)]);
});
