import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { auditOf } from '../../../../test/audit.ts';
import { testMembers } from '../../../../test/members.ts';

const app = testApp();
const people = testMembers(app);
const { trail } = auditOf(app);

let token = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token } = await app.account());
  grace = await people.member(token, 'operator', { name: 'Grace' });
});

const call = (method: string, path = '', body?: object, as = token, headers = {}) =>
  app.request(method, `/api/v1/replies/${path}`, { token: as, headers, ...(body && { body }) });

let count = 0;
const reply = (more: object = {}) => ({
  name: 'Delivery',
  shortcut: `reply-${++count}`,
  body: 'Hi {{visitor.name}}',
  ...more,
});
const save = async (more: object = {}, as = token) => (await call('POST', '', reply(more), as)).json;

it('keeps what is set with a reply, and nothing where nothing is', async () => {
  const plain = await save();
  expect(plain).toEqual({
    uuid: expect.any(String),
    name: 'Delivery',
    shortcut: plain.shortcut,
    body: 'Hi {{visitor.name}}',
    tags: [],
    assignee: null,
    status: null,
    created_at: expect.any(String),
  });
  const made = await call('POST', '', reply({ tags: ['vip', ' vip'], assignee: grace.uuid, status: 'done' }));
  expect(made.json).toMatchObject({ tags: ['vip'], assignee: grace.uuid, status: 'done' });
  expect(made.headers.location).toContain(`/api/v1/replies/${made.json.uuid}/`);
  const cleared = await call('PATCH', `${made.json.uuid}/`, { tags: [], assignee: null, status: null });
  expect(cleared.json).toMatchObject({ tags: [], assignee: null, status: null, body: 'Hi {{visitor.name}}' });
  const listed = (await call('GET')).json.map(({ uuid }: { uuid: string }) => uuid);
  expect(listed.slice(0, 2)).toEqual([made.json.uuid, plain.uuid]);
});

it.each([
  ['markup', '<script>alert(1)</script><img src=x onerror=alert(1)>'],
  ['a word of 10 000 characters', 'x'.repeat(10_000)],
  ['10 000 emoji', '\u{1f600}'.repeat(10_000)],
  ['right to left', 'שלום \u202eעולם'],
  ['placeholders', '{{visitor.name}} {{member.name}} {{constructor}} {{'],
  ['formatting of MongoDB', '$where {"$gt": ""}'],
])('answers a body of %s as it was sent', async (_, body) => {
  const { uuid } = await save({ body });
  expect((await call('GET', `${uuid}/`)).json.body).toBe(body);
});

it.each([
  [{ name: '' }, { name: ['This field may not be blank.'] }],
  [{ name: 'x'.repeat(101) }, { name: ['Ensure this field has no more than 100 characters.'] }],
  [{ name: 'a\0b' }, { name: ['Null characters are not allowed.'] }],
  [{ body: 'x'.repeat(10_001) }, { body: ['Ensure this field has no more than 10000 characters.'] }],
  [{ body: 'a\0b' }, { body: ['Null characters are not allowed.'] }],
  [{ body: '\ud800' }, { body: ['Lone surrogates are not allowed.'] }],
  [{ shortcut: 'a b' }, { shortcut: ['Letters, digits, - and _ are allowed.'] }],
  [{ shortcut: '/a' }, { shortcut: ['Letters, digits, - and _ are allowed.'] }],
  [{ shortcut: '\u{1f600}' }, { shortcut: ['Letters, digits, - and _ are allowed.'] }],
  [{ shortcut: 'x'.repeat(33) }, { shortcut: ['Ensure this field has no more than 32 characters.'] }],
  [{ shortcut: '\ufdfa'.repeat(3) }, { shortcut: ['Ensure this field has no more than 32 characters.'] }],
  [{ tags: 'vip' }, { tags: ['Expected a list of items.'] }],
  [{ tags: ['x'.repeat(41)] }, { tags: { 0: ['Ensure this field has no more than 40 characters.'] } }],
  [{ status: 'snoozed' }, { status: ['"snoozed" is not a valid choice.'] }],
  [{ assignee: 'grace' }, { assignee: ['Must be a valid UUID.'] }],
  [
    { assignee: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11' },
    { assignee: ['Object with uuid=0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11 does not exist.'] },
  ],
])('refuses %j', async (wrong, errors) => {
  const { uuid } = await save();
  const answers = [await call('POST', '', reply(wrong)), await call('PATCH', `${uuid}/`, wrong)];
  for (const { status, json } of answers) expect([status, json]).toEqual([400, errors]);
});

describe('a shortcut', () => {
  it('is one reply’s, however it is spelt', async () => {
    const { uuid } = await save({ shortcut: 'Größe_1' });
    for (const shortcut of ['Größe_1', 'GRÖSSE_1', 'GRÖẞE_1', 'grosse_1']) {
      expect((await call('POST', '', reply({ shortcut }))).json).toEqual({
        shortcut: ['This field must be unique.'],
      });
    }
    const other = await save();
    expect((await call('PATCH', `${other.uuid}/`, { shortcut: 'grosse_1' })).status).toBe(400);
    expect((await call('PATCH', `${uuid}/`, { shortcut: 'grosse_1' })).json.shortcut).toBe('grosse_1');
    const { token: elsewhere } = await app.account();
    expect((await call('POST', '', reply({ shortcut: 'grosse_1' }), elsewhere)).status).toBe(201);
    expect((await call('DELETE', `${uuid}/`)).status).toBe(204);
    expect((await call('POST', '', reply({ shortcut: 'GROSSE_1' }))).status).toBe(201);
  });

  it('goes to one of those who ask for it at the same time', async () => {
    const bodies = Array.from({ length: 6 }, () => reply({ shortcut: 'race' }));
    const answers = await Promise.all(bodies.map((body) => call('POST', '', body)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400]);
  });
});

describe('a shortcut that an earlier version has folded otherwise', () => {
  const FOLDED = { GRÖẞE: 'große', größe: 'grosse', ['ẞ'.repeat(20)]: 'ß'.repeat(20) };

  /** Replies of an account as they were stored, by their shortcuts. */
  const store = async (...shortcuts: (keyof typeof FOLDED)[]) => {
    const account = await app.account();
    const { replies } = app.services.models;
    const uuids: string[] = [];
    for (const _ of shortcuts) uuids.push((await save({}, account.token)).uuid);
    for (const [n, shortcut] of shortcuts.entries()) {
      await replies.updateOne({ _id: uuids[n] }, { $set: { shortcut, folded: FOLDED[shortcut] } });
    }
    return { as: account.token, uuids };
  };
  const TAKEN = { shortcut: ['This field must be unique.'] };

  it('is one reply’s', async () => {
    const { as } = await store('GRÖẞE');
    expect((await call('POST', '', reply({ shortcut: 'größe' }), as)).json).toEqual(TAKEN);
    const { as: owner, uuids } = await store('GRÖẞE');
    const other = await save({}, owner);
    expect((await call('PATCH', `${other.uuid}/`, { shortcut: 'grösse' }, owner)).json).toEqual(TAKEN);
    const renamed = await call('PATCH', `${uuids[0]}/`, { shortcut: 'grösse' }, owner);
    expect([renamed.status, renamed.json.shortcut]).toEqual([200, 'grösse']);
  });

  it('is read, changed and deleted beside one that is alike by now, and when it is longer by now', async () => {
    const { as, uuids } = await store('GRÖẞE', 'größe', 'ẞ'.repeat(20));
    for (const uuid of uuids) {
      const { shortcut, name, body } = (await call('GET', `${uuid}/`, undefined, as)).json;
      const changed = await call('PATCH', `${uuid}/`, { name: `${name}!`, shortcut, body }, as);
      expect([changed.status, changed.json]).toMatchObject([200, { name: `${name}!`, shortcut }]);
    }
    const made = () => call('POST', '', reply({ shortcut: 'GRÖSSE' }), as);
    for (const uuid of [uuids[1], uuids[0]]) {
      expect((await made()).json).toEqual(TAKEN);
      expect((await call('DELETE', `${uuid}/`, undefined, as)).status).toBe(204);
    }
    expect((await made()).status).toBe(201);
  });
});

it('holds If-Match: of two who change the same thing one is told', async () => {
  const { uuid } = await save();
  const { headers } = await call('GET', `${uuid}/`);
  const matching = { 'if-match': headers.etag ?? '' };
  const changes = ['a', 'b'].map((name) => call('PATCH', `${uuid}/`, { name }, token, matching));
  expect((await Promise.all(changes)).map(({ status }) => status).sort()).toEqual([200, 412]);
  expect((await call('DELETE', `${uuid}/`, undefined, token, matching)).status).toBe(412);
});

it('is made once by an Idempotency-Key', async () => {
  const body = reply();
  const key = { 'idempotency-key': 'once' };
  const [one, two] = [await call('POST', '', body, token, key), await call('POST', '', body, token, key)];
  expect([two?.status, two?.json]).toEqual([one?.status, one?.json]);
});

it('is written by operators, also by those who are restricted, and leaves entries in the audit trail', async () => {
  const account = await app.account();
  const restricted = await people.member(account.token, 'operator', { widgets: [] });
  const { uuid } = await save({ name: 'Mine' }, restricted.token);
  const change = { name: 'Ours', body: 'Secret plans' };
  expect((await call('PATCH', `${uuid}/`, change, restricted.token)).status).toBe(200);
  await call('PATCH', `${uuid}/`, change, restricted.token);
  expect((await call('DELETE', `${uuid}/`, undefined, account.token)).status).toBe(204);
  const entries = await trail(account.token, `?object=${uuid}`);
  expect(entries.map(({ action, object }: any) => [action, object.kind, object.label])).toEqual([
    ['deleteReply', 'reply', 'Ours'],
    ['changeReply', 'reply', 'Mine'],
    ['createReply', 'reply', 'Mine'],
  ]);
  expect(JSON.stringify(entries)).not.toContain('Secret plans');
});

it('assigns nobody any more once its member is removed', async () => {
  const leaver = await people.member(token, 'operator');
  const { uuid } = await save({ assignee: leaver.uuid });
  expect((await app.request('DELETE', `/api/v1/members/${leaver.uuid}/`, { token })).status).toBe(204);
  expect((await call('GET', `${uuid}/`)).json.assignee).toBe(null);
});

it('is refused beyond 500', async () => {
  const account = await app.account();
  const { replies } = app.services.models;
  const { uuid } = await save({}, account.token);
  const one = await replies.findOne({ _id: uuid }).lean();
  const many = Array.from({ length: 499 }, (_, n) => ({ ...one, _id: `${uuid}-${n}`, folded: `f${n}` }));
  await replies.collection.insertMany(many as never);
  const refused = await call('POST', '', reply(), account.token);
  expect([refused.status, refused.json]).toEqual([
    400,
    { non_field_errors: ['An account may have at most 500 replies.'] },
  ]);
});
