import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { conversationsOf } from '../../../test/inbox.ts';
import { testMembers } from '../../../test/members.ts';

/** `PATCH /api/v1/conversations/<uuid>/`, and the same change of many. */

const app = testApp();
const people = testMembers(app);
const { call, ...conversations } = conversationsOf(app);

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator', { name: 'Grace' });
});

const visit = () => conversations.visit(widget, token);
const get = async (uuid: string, as = token) => (await call('GET', `${uuid}/`, as)).json;
const patch = (uuid: string, body: object, as = token, headers = {}) =>
  call('PATCH', `${uuid}/`, as, { body, headers });

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
  expect((await call('GET', 'tags/', token)).json).toEqual(expect.arrayContaining(['delivery', 'vip']));
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
  const { headers } = await call('GET', `${uuid}/`, token);
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
  const tagOf = async (uuid: string) => (await call('GET', `${uuid}/`, token)).headers.etag ?? '';
  const headers = { 'if-match': `${await tagOf(one)}, W/${await tagOf(other)}` };
  const bulk = (body: object) =>
    call('POST', 'bulk/', token, { body: { uuids: [one, other], ...body }, headers });
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
  const bulk = call('POST', 'bulk/', token, { body: { uuids: [uuid], add_tags: ['bulk'] } });
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
  // That the visitor waits.
  await expect.poll(async () => (await told()).length).toBe(1);
  await patch(uuid, { status: 'done', tags: ['vip'] }, grace.token);
  await patch(uuid, { status: 'done', is_unread: true }, grace.token);
  await expect.poll(async () => (await told()).length).toBe(2);
  expect((await told()).at(-1)).toMatchObject({
    uuid,
    status: 'done',
    changed: expect.arrayContaining(['status', 'tags', 'waiting_on']),
    previous: { status: 'open', tags: [] },
    by: { uuid: grace.uuid, name: 'Grace' },
  });
});

it('changes many once under one Idempotency-Key', async () => {
  const { uuid } = await visit();
  const headers = { 'Idempotency-Key': randomUUID() };
  const ask = (status: string) =>
    app.request('POST', '/api/v1/conversations/bulk/', { token, headers, body: { uuids: [uuid], status } });
  const first = await ask('done');
  await patch(uuid, { status: 'open' });
  const again = await ask('done');
  expect([first.status, first.json.changed]).toEqual([200, [uuid]]);
  expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([
    200,
    first.text,
    'true',
  ]);
  expect((await get(uuid)).status).toBe('open');
  expect((await ask('open')).status).toBe(422);
});
