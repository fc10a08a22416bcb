import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { notificationFor } from '../../test/notifications.ts';

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
    expect((await configure('the last', account.token)).status).toBe(201);
    const over = await configure('one too many', account.token);
    expect([over.status, over.json]).toEqual([
      400,
      { non_field_errors: ['At most 1000 keywords can be configured.'] },
    ]);
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
      nickname: 'Ada',
      email: 'ada@x.test',
      transcripts: expect.any(Array),
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
    await notifications.markSent(uuid, first);
    await notifications.markSent(uuid, new Date());
    const listed = (await app.request('GET', '/api/v1/keyword_notifications/', { token: account.token }))
      .json;
    expect(listed.map(({ sent_at }: { sent_at: string }) => sent_at)).toEqual([
      '2026-11-21T09:30:00.123+00:00',
    ]);
  });
});
