import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import type { StoredRoom } from '../rooms/rooms.model.ts';

/** Lists of conversations, and who sees which. */

const app = testApp();
const people = testMembers(app);

/** Of another account. */
let stranger = '';

beforeAll(async () => {
  stranger = (await app.account()).token;
});

const call = (method: string, path: string, token: string, more: object = {}) =>
  app.request(method, `/api/v1/${path}`, { token, ...more });
const get = async (uuid: string, token: string) => (await call('GET', `conversations/${uuid}/`, token)).json;
const patch = (uuid: string, body: object, token: string) =>
  call('PATCH', `conversations/${uuid}/`, token, { body });
const list = async (query: string, token: string) =>
  (await call('GET', `conversations/?${query}`, token)).json.map(({ uuid }: { uuid: string }) => uuid);
const answer = (uuid: string, token: string) =>
  call('POST', 'messages/', token, { body: { body: 'We do', room: { uuid }, is_support_sender: true } });

/** The conversation of a visitor who has written once. */
const visitAs = async (widget: string) => {
  const { visitor, room } = await app.session(widget);
  await app.request('POST', '/api/v1/messages/', {
    visitor,
    body: { body: 'Hi', room: { uuid: room.uuid } },
  });
  return room.uuid;
};

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
    await expect.poll(() => list('waiting_on=us', token)).toEqual(all);
    await answer(all[0] ?? '', token);
    await answer(all[1] ?? '', token);
    await expect.poll(() => list('', token)).toEqual([all[2], all[3], all[1], all[0]]);
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
    await expect.poll(() => list('', token)).toHaveLength(2);
    await patch(one, { assignee: ada.uuid, tags: [tagName], is_unread: false }, token);
    await call('PATCH', `rooms/${(await get(one, token)).label}/`, token, { body: { rating: 5 } });
    await expect.poll(() => list('rating=5', token)).toEqual([one]);
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
      ['status=done&waiting_on=us', []],
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
    `tag=${'x'.repeat(41)}`,
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
    expect((await call('GET', `conversations/?${query}`, stranger)).status).toBe(400);
  });
});

describe('who sees what', () => {
  it('tells who is restricted nothing of other widgets where a page ends', async () => {
    const account = await app.account();
    const { json: second } = await call('POST', 'widgets/', account.token);
    const restricted = await people.member(account.token, 'operator', { widgets: [second.uuid] });
    const { inbox, rooms } = app.services.models;
    await visitAs(account.widget);
    await expect.poll(() => list('', account.token)).toHaveLength(1);
    const like = await inbox.findOne({ account: account.id }).lean();
    const { events, ...room } = (await rooms.findOne({ account: account.id }).lean()) as StoredRoom;
    const many = async (count: number, fields: object) => {
      const ids = Array.from({ length: count }, () => randomUUID());
      await rooms.collection.insertMany(ids.map((_id) => ({ ...room, _id, label: _id, ...fields })) as never);
      await inbox.collection.insertMany(ids.map((_id) => ({ ...like, _id, ...fields })) as never);
    };
    // More than are looked at for one page, and more than are few.
    await many(10_100, { tags: ['secret'] });
    await many(2_100, { widget: second.uuid });
    for (const query of ['tag=secret&status=open', 'is_unread=true&tag=secret']) {
      const { status, json, headers } = await call('GET', `conversations/?${query}`, restricted.token);
      expect([status, json, headers.link]).toEqual([200, [], undefined]);
    }
    // Who sees all of them reads on, though what is unread is too much to be sorted.
    const first = await call('GET', 'conversations/?is_unread=true', account.token);
    const [, next = ''] = /<https?:\/\/[^/]+([^>]+)>/.exec(first.headers.link ?? '') ?? [];
    const rest = await app.request('GET', next, { token: account.token });
    const ids = [first, rest].flatMap(({ json }) => json.map(({ uuid }: { uuid: string }) => uuid));
    expect(new Set(ids).size).toBe(200);
  });

  it('moves no entry of those who have yet to read a conversation with each message', () => {
    const { schema } = app.services.models.inbox;
    const ofUnread = schema.indexes().filter(([key]) => 'unread' in key);
    expect(ofUnread.map(([key]) => Object.keys(key))).toEqual([['account', 'unread', 'status', 'widget']]);
  });

  it("hides another account's, and those of other widgets from who is restricted", async () => {
    const account = await app.account();
    const { json: second } = await call('POST', 'widgets/', account.token);
    const restricted = await people.member(account.token, 'operator', { widgets: [second.uuid] });
    const one = await visitAs(account.widget);
    const two = await visitAs(second.token);
    await expect.poll(() => list('', account.token)).toHaveLength(2);
    expect(await list('', restricted.token)).toEqual([two]);
    expect(await list('is_unread=true', restricted.token)).toEqual([two]);
    expect((await call('GET', 'conversations/counts/', restricted.token)).json).toMatchObject({
      open: 1,
      widgets: { [second.uuid]: 1 },
    });
    for (const as of [restricted.token, stranger]) {
      expect((await call('GET', `conversations/${one}/`, as)).status).toBe(404);
      expect((await patch(one, { status: 'done' }, as)).status).toBe(404);
      const bulk = await call('POST', 'conversations/bulk/', as, { body: { uuids: [one], status: 'done' } });
      expect(bulk.json).toEqual({ changed: [], missing: [one], refused: [], outdated: [] });
    }
    const given = await patch(one, { assignee: restricted.uuid }, account.token);
    expect([given.status, Object.keys(given.json)]).toEqual([400, ['assignee']]);
    expect((await patch(two, { assignee: restricted.uuid }, account.token)).status).toBe(200);
  });
});
