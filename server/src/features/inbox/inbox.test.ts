import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const people = testMembers(app);

let token = '';
let widget = '';
let owner = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  owner = (await app.request('GET', '/api/v1/members/me/', { token })).json.uuid;
  grace = await people.member(token, 'operator', { name: 'Grace' });
});

const call = (method: string, path: string, as = token, more: object = {}) =>
  app.request(method, `/api/v1/${path}`, { token: as, ...more });
const get = async (uuid: string, as = token) => (await call('GET', `conversations/${uuid}/`, as)).json;
const patch = (uuid: string, body: object, as = token, headers = {}) =>
  call('PATCH', `conversations/${uuid}/`, as, { body, headers });
const list = async (query = '', as = token) =>
  (await call('GET', `conversations/?${query}`, as)).json.map(({ uuid }: { uuid: string }) => uuid);
const answer = (uuid: string, as = token, body = 'We do') =>
  call('POST', 'messages/', as, { body: { body, room: { uuid }, is_support_sender: true } });

/** A visitor whose conversation has begun. */
const visit = async (on = widget, body = 'Do you deliver?') => {
  const { visitor, room } = await app.session(on);
  const say = (text: string, more = {}) =>
    app.request('POST', '/api/v1/messages/', {
      visitor,
      body: { body: text, room: { uuid: room.uuid }, ...more },
    });
  const said = await say(body);
  await vi.waitFor(async () => expect((await get(room.uuid)).last_message?.uuid).toBe(said.json.uuid));
  return { uuid: room.uuid, label: room.label, visitor, say };
};

/** What follows from what is said follows at once, and not in the same moment. */
const until = (uuid: string, expected: object, as = token) =>
  vi.waitFor(async () => expect(await get(uuid, as)).toMatchObject(expected), { timeout: 5_000 });

describe('what follows from what is said', () => {
  it('waits on us, then on the visitor, each since that side began', async () => {
    const { uuid, say } = await visit();
    const first = (await get(uuid)).last_message;
    expect(await get(uuid)).toMatchObject({
      status: 'open',
      waiting_on: 'us',
      waiting_since: first.sent_at,
      first_response_at: null,
      assignee: null,
      tags: [],
      is_unread: true,
      rating: null,
      is_bot_use: false,
    });
    const second = (await say('On Sundays?')).json;
    await until(uuid, { last_message: { uuid: second.uuid }, waiting_since: first.sent_at });
    const reply = (await answer(uuid)).json;
    await until(uuid, {
      waiting_on: 'visitor',
      waiting_since: reply.sent_at,
      first_response_at: reply.sent_at,
    });
    await answer(uuid);
    const third = (await say('Thanks')).json;
    await until(uuid, {
      waiting_on: 'us',
      waiting_since: third.sent_at,
      first_response_at: reply.sent_at,
      updated_at: third.sent_at,
    });
  });

  it('is taken by the first member who answers, never by a program or one who is away', async () => {
    const { uuid, say } = await visit();
    await answer(uuid);
    await until(uuid, { waiting_on: 'visitor', assignee: null });
    await call('PATCH', 'members/me/', grace.token, { body: { is_away: true } });
    await answer(uuid, grace.token);
    const thanks = (await say('Thanks')).json;
    await until(uuid, { last_message: { uuid: thanks.uuid }, assignee: null });
    await call('PATCH', 'members/me/', grace.token, { body: { is_away: false } });
    await answer(uuid, grace.token);
    await until(uuid, { assignee: grace.uuid, waiting_on: 'visitor' });
    expect((await get(uuid, grace.token)).is_unread).toBe(false);
    expect((await get(uuid)).is_unread).toBe(true);
  });

  it('opens again when the visitor writes', async () => {
    const { uuid, say } = await visit();
    for (const closed of [
      { status: 'done' },
      { snoozed_until: new Date(Date.now() + 3_600_000).toISOString() },
    ]) {
      expect((await patch(uuid, closed)).status).toBe(200);
      await say('And on Sundays?');
      await until(uuid, { status: 'open', snoozed_until: null, waiting_on: 'us' });
    }
  });

  it('stays done where what was said before is told only then', async () => {
    const { uuid, say } = await visit();
    const consume = vi.spyOn(app.services.follower, 'follow');
    consume.mockImplementation(async () => {
      throw new Error('not now');
    });
    await say('Thanks!');
    expect((await patch(uuid, { status: 'done' })).json).toMatchObject({
      status: 'done',
      waiting_on: null,
      last_message: { body: 'Thanks!' },
    });
    consume.mockRestore();
    // The event comes again by the relay's sweep.
    await vi.waitFor(
      async () => {
        const waiting = await app.services.models.messages.countDocuments({
          room: uuid,
          'events.0': { $exists: true },
        });
        expect(waiting).toBe(0);
      },
      { timeout: 10_000 },
    );
    expect((await get(uuid)).status).toBe('done');
  });

  it('waits on nobody while a bot answers, and is everybody’s once it has handed over', async () => {
    const { json: room } = await call('POST', 'rooms/', token, { body: { is_bot_use: true } });
    await call('POST', 'messages/', token, { body: { body: 'Hi', room: { uuid: room.uuid } } });
    await until(room.uuid, { waiting_on: null, is_bot_use: true, is_unread: false });
    await call('PATCH', `rooms/${room.label}/`, token, { body: { is_bot_use: false } });
    await until(room.uuid, { waiting_on: 'us', is_bot_use: false, is_unread: true });
  });

  it('says what is known of the visitor', async () => {
    const { visitor, room } = await app.session(widget);
    const body = { body: 'Hi', room: { uuid: room.uuid }, nickname: 'Ada' };
    await app.request('POST', '/api/v1/messages/', { visitor, body });
    await vi.waitFor(async () => expect((await get(room.uuid)).visitor?.name).toBe('Ada'));
    await app.request('POST', '/api/v1/leads/', {
      visitor,
      body: { nickname: 'Ada L.', email: 'ada@example.com' },
    });
    expect((await get(room.uuid)).visitor).toMatchObject({
      name: 'Ada L.',
      email: 'ada@example.com',
      is_online: false,
      page: null,
    });
  });
});

describe('PATCH /api/v1/conversations/<uuid>/', () => {
  it('sets status, assignee, tags and whether one has read it', async () => {
    const { uuid } = await visit();
    const until = new Date(Date.now() + 86_400_000).toISOString().replace('Z', '+00:00');
    const changed = await patch(uuid, {
      snoozed_until: until,
      assignee: grace.uuid,
      tags: ['delivery', ' delivery', 'vip'],
      is_unread: false,
    });
    expect([changed.status, changed.json]).toMatchObject([
      200,
      {
        status: 'snoozed',
        snoozed_until: until,
        assignee: grace.uuid,
        tags: ['delivery', 'vip'],
        is_unread: false,
      },
    ]);
    expect((await patch(uuid, { snoozed_until: null })).json).toMatchObject({
      status: 'open',
      snoozed_until: null,
    });
    expect((await get(uuid, grace.token)).is_unread).toBe(true);
    expect((await call('GET', 'conversations/tags/')).json).toEqual(
      expect.arrayContaining(['delivery', 'vip']),
    );
  });

  it.each([
    [{ status: 'snoozed' }, { snoozed_until: ['This field is required.'] }],
    [
      { snoozed_until: '2020-01-01T00:00:00Z' },
      { snoozed_until: ['A time within the next 366 days is required.'] },
    ],
    [
      { snoozed_until: '2999-01-01T00:00:00Z' },
      { snoozed_until: ['A time within the next 366 days is required.'] },
    ],
    [
      { status: 'done', snoozed_until: '2027-01-01T00:00:00Z' },
      { snoozed_until: ['Only what is snoozed has a time.'] },
    ],
    [{ status: 'closed' }, { status: ['"closed" is not a valid choice.'] }],
    [{ status: null }, { status: ['This field may not be null.'] }],
    [{ assignee: 'grace' }, { assignee: ['Must be a valid UUID.'] }],
    [
      { assignee: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' },
      { assignee: ['Object with uuid=0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11 does not exist.'] },
    ],
    [{ tags: ['x'.repeat(41)] }, { tags: { 0: ['Ensure this field has no more than 40 characters.'] } }],
    [{ tags: [' '] }, { tags: { 0: ['This field may not be blank.'] } }],
    [
      { tags: Array.from({ length: 21 }, (_, n) => `${n}`) },
      { tags: ['Ensure this list has no more than 20 items.'] },
    ],
    [{ is_unread: 1 }, { is_unread: ['Must be a valid boolean.'] }],
  ])('refuses %j', async (body, errors) => {
    const { uuid } = await visit();
    const refused = await patch(uuid, body);
    expect([refused.status, refused.json]).toEqual([400, errors]);
  });

  it('holds If-Match: of two who change the same thing one is told', async () => {
    const { uuid } = await visit();
    const { headers } = await call('GET', `conversations/${uuid}/`);
    const matching = { 'if-match': headers.etag ?? '' };
    // Having read it is nobody else's business.
    expect((await patch(uuid, { is_unread: false }, token, matching)).status).toBe(200);
    const answers = await Promise.all([
      patch(uuid, { status: 'done' }, token, matching),
      patch(uuid, { assignee: grace.uuid }, grace.token, matching),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412]);
  });

  it('holds If-Match for each conversation of a bulk change', async () => {
    const [one, other] = [(await visit()).uuid, (await visit()).uuid];
    const tagOf = async (uuid: string) => (await call('GET', `conversations/${uuid}/`)).headers.etag ?? '';
    const headers = { 'if-match': `${await tagOf(one)}, W/${await tagOf(other)}` };
    const bulk = (body: object) =>
      call('POST', 'conversations/bulk/', token, { body: { uuids: [one, other], ...body }, headers });
    expect((await patch(other, { tags: ['mine'] })).status).toBe(200);
    const gone = randomUUID();
    const { json } = await bulk({ uuids: [one, other, gone], status: 'done', add_tags: ['bulk'] });
    expect(json).toEqual({ changed: [one], missing: [gone], refused: [], outdated: [other] });
    expect(await get(other)).toMatchObject({ status: 'open', tags: ['mine'] });
    // A second time both have changed since.
    expect((await bulk({ status: 'open' })).json).toMatchObject({ changed: [], outdated: [one, other] });
    expect(await get(one)).toMatchObject({ status: 'done', tags: ['bulk'] });
  });

  it('loses nothing where two and a bulk change come at the same time', async () => {
    const { uuid } = await visit();
    const bulk = call('POST', 'conversations/bulk/', token, { body: { uuids: [uuid], add_tags: ['bulk'] } });
    const answers = await Promise.all([
      patch(uuid, { status: 'done' }),
      patch(uuid, { assignee: grace.uuid }),
      bulk,
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await get(uuid)).toMatchObject({ status: 'done', assignee: grace.uuid, tags: ['bulk'] });
  });

  it('tells subscribers what changed, once, and nothing where nothing did', async () => {
    const { uuid } = await visit();
    const told = async () => {
      const found = await app.services.models.realtimeEntries
        .find({ room: uuid, name: 'conversation.updated' })
        .sort({ _id: 1 })
        .lean();
      return found.map(({ data }) => data as Record<string, unknown>);
    };
    const before = (await told()).length;
    await patch(uuid, { status: 'done', tags: ['vip'] }, grace.token);
    await patch(uuid, { status: 'done', is_unread: true }, grace.token);
    await vi.waitFor(async () => expect((await told()).length).toBe(before + 1));
    expect((await told()).at(-1)).toMatchObject({
      uuid,
      status: 'done',
      changed: expect.arrayContaining(['status', 'tags', 'waiting_on']),
      previous: { status: 'open', tags: [] },
      by: { uuid: grace.uuid, name: 'Grace' },
    });
  });
});

describe('GET /api/v1/conversations/', () => {
  it('puts the longest waiting first, then what changed last', async () => {
    const { token, widget } = await app.account();
    const all: string[] = [];
    for (let n = 0; n < 4; n++) {
      const { visitor, room } = await app.session(widget);
      await app.request('POST', '/api/v1/messages/', {
        visitor,
        body: { body: `${n}`, room: { uuid: room.uuid } },
      });
      all.push(room.uuid);
    }
    await vi.waitFor(async () => expect(await list('waiting_on=us', token)).toEqual(all));
    await answer(all[0] ?? '', token);
    await answer(all[1] ?? '', token);
    await vi.waitFor(async () => expect(await list('', token)).toEqual([all[2], all[3], all[1], all[0]]));
    expect(await list('order=updated', token)).toEqual([all[1], all[0], all[3], all[2]]);
    const pages: string[] = [];
    let path = '/api/v1/conversations/?limit=1';
    for (;;) {
      const page = await app.request('GET', path, { token });
      pages.push(...page.json.map(({ uuid }: { uuid: string }) => uuid));
      const next = /<https?:\/\/[^/]+([^>]+)>/.exec(page.headers.link ?? '')?.[1];
      if (!next) break;
      path = next;
    }
    expect(pages).toEqual([all[2], all[3], all[1], all[0]]);
  });

  it('filters by each field, and by all of them', async () => {
    const account = await app.account();
    const { token } = account;
    const ada = await people.member(token, 'admin');
    const one = await visitAs(account.widget);
    const other = await visitAs(account.widget);
    const tagName = `tag ${randomUUID()}`.slice(0, 40);
    await vi.waitFor(async () => expect(await list('', token)).toHaveLength(2));
    await patch(one, { assignee: ada.uuid, tags: [tagName], is_unread: false }, token);
    await call('PATCH', `rooms/${(await get(one, token)).label}/`, token, { body: { rating: 5 } });
    await vi.waitFor(async () => expect(await list('rating=5', token)).toEqual([one]));
    await patch(other, { status: 'done' }, token);
    const widgetUuid = (await get(one, token)).widget;
    const tag = encodeURIComponent(tagName);
    const expected: [string, string[]][] = [
      ['status=open', [one]],
      ['status=done', [other]],
      ['status=snoozed', []],
      [`assignee=${ada.uuid}`, [one]],
      ['assignee=none', [other]],
      ['assignee=me', []],
      [`widget=${widgetUuid}&status=open`, [one]],
      ['widget=0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11', []],
      [`tag=${tag}`, [one]],
      ['tag=other', []],
      ['waiting_on=us', [one]],
      ['waiting_on=visitor', []],
      ['is_unread=true', [other]],
      ['is_unread=false', [one]],
      ['rating=4', []],
      [
        `status=open&assignee=${ada.uuid}&widget=${widgetUuid}&tag=${tag}&waiting_on=us&is_unread=false&rating=5`,
        [one],
      ],
    ];
    for (const [query, uuids] of expected) {
      for (const order of ['waiting', 'updated']) {
        expect([query, await list(`${query}&order=${order}`, token)]).toEqual([query, uuids]);
      }
    }
    expect(await list('assignee=me', ada.token)).toEqual([one]);
    expect((await call('GET', 'conversations/counts/', ada.token)).json).toEqual({
      open: 1,
      mine: 1,
      unassigned: 0,
      waiting: 1,
      unread: 1,
      snoozed: 0,
      widgets: { [widgetUuid]: 1 },
      tags: { [tagName]: 1 },
    });
  });

  it.each([
    'status=closed',
    'assignee=grace',
    'widget=x',
    'tag=',
    `tag=${'x'.repeat(81)}`,
    'waiting_on=me',
    'is_unread=1',
    'rating=6',
    'rating=0',
    'order=newest',
    'limit=201',
    'limit=0',
    'cursor=x',
    'status=open&status=done',
  ])('refuses %s', async (query) => {
    expect((await call('GET', `conversations/?${query}`)).status).toBe(400);
  });
});

const visitAs = async (widget: string) => {
  const { visitor, room } = await app.session(widget);
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
  return room.uuid;
};

describe('who sees what', () => {
  it("hides another account's, and those of other widgets from who is restricted", async () => {
    const account = await app.account();
    const { json: second } = await call('POST', 'widgets/', account.token);
    const restricted = await people.member(account.token, 'operator', { widgets: [second.uuid] });
    const one = await visitAs(account.widget);
    const two = await visitAs(second.token);
    await vi.waitFor(async () => expect(await list('', account.token)).toHaveLength(2));
    expect(await list('', restricted.token)).toEqual([two]);
    expect(await list('is_unread=true', restricted.token)).toEqual([two]);
    expect((await call('GET', 'conversations/counts/', restricted.token)).json).toMatchObject({
      open: 1,
      widgets: { [second.uuid]: 1 },
    });
    for (const as of [restricted.token, token]) {
      expect((await call('GET', `conversations/${one}/`, as)).status).toBe(404);
      expect((await patch(one, { status: 'done' }, as)).status).toBe(404);
      const bulk = await call('POST', 'conversations/bulk/', as, { body: { uuids: [one], status: 'done' } });
      expect(bulk.json).toEqual({ changed: [], missing: [one], refused: [], outdated: [] });
    }
    const given = await patch(one, { assignee: restricted.uuid }, account.token);
    expect([given.status, Object.keys(given.json)]).toEqual([400, ['assignee']]);
    expect((await patch(two, { assignee: restricted.uuid }, account.token)).status).toBe(200);
  });

  it('belongs to nobody any more once its member is removed', async () => {
    const leaver = await people.member(token, 'operator');
    const { uuid } = await visit();
    await patch(uuid, { assignee: leaver.uuid });
    expect((await call('DELETE', `members/${leaver.uuid}/`)).status).toBe(204);
    expect((await get(uuid)).assignee).toBe(null);
    expect(owner).not.toBe('');
  });
});

it('wakes what was snoozed', async () => {
  const { uuid } = await visit();
  await patch(uuid, { snoozed_until: new Date(Date.now() + 500).toISOString() });
  await until(uuid, { status: 'open', snoozed_until: null });
});

it('is gone with its room', async () => {
  const { uuid, label } = await visit();
  expect((await call('DELETE', `rooms/${label}/`)).status).toBe(204);
  expect((await call('GET', `conversations/${uuid}/`)).status).toBe(404);
  expect(await list('limit=200')).not.toContain(uuid);
});

it('is there as soon as its room is', async () => {
  for (const change of [true, false]) {
    const { json: room } = await call('POST', 'rooms/');
    const first = change
      ? await patch(room.uuid, { tags: ['new'] })
      : await call('GET', `conversations/${room.uuid}/`);
    expect(first.status).toBe(200);
    await until(room.uuid, { tags: change ? ['new'] : [] });
  }
});

it('gives rooms of before their conversations', async () => {
  const { uuid, say } = await visit();
  await answer(uuid);
  await say('Thanks');
  await until(uuid, { last_message: { body: 'Thanks' } });
  const before = await get(uuid);
  await app.services.models.inbox.deleteOne({ _id: uuid });
  await app.services.backfill.run();
  expect(await get(uuid)).toEqual(before);
});
