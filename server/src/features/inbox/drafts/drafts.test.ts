import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../../test/app.ts';
import { conversationsOf, HARMLESS_TEXTS, REFUSED_TEXTS } from '../../../../test/inbox.ts';
import { testMembers } from '../../../../test/members.ts';

const app = testApp();
const people = testMembers(app);
const { call, visit } = conversationsOf(app);

const NONE = { body: '', is_note: false, updated_at: null };

let token = '';
let widget = '';
let grace: Awaited<ReturnType<typeof people.member>>;

beforeAll(async () => {
  ({ token, widget } = await app.account());
  grace = await people.member(token, 'operator');
});

const get = (uuid: string, as = token) => call('GET', `${uuid}/draft/`, as);
const put = (uuid: string, body: object, as = token, headers = {}) =>
  call('PUT', `${uuid}/draft/`, as, { body, headers });
const remove = (uuid: string, as = token, headers = {}) => call('DELETE', `${uuid}/draft/`, as, { headers });

it('is each member’s own, and empty where there is none', async () => {
  const { uuid } = await visit(widget, token);
  expect((await get(uuid)).json).toEqual(NONE);
  const kept = await put(uuid, { body: 'We deliver', is_note: true });
  expect([kept.status, kept.json]).toEqual([
    200,
    { body: 'We deliver', is_note: true, updated_at: expect.any(String) },
  ]);
  expect((await get(uuid)).json).toEqual(kept.json);
  expect((await get(uuid, grace.token)).json).toEqual(NONE);
  expect((await put(uuid, { body: 'On Sundays' })).json).toMatchObject({ is_note: false });
  expect((await remove(uuid)).status).toBe(204);
  expect((await remove(uuid)).status).toBe(204);
  expect((await get(uuid)).json).toEqual(NONE);
  await put(uuid, { body: 'Again' });
  expect((await put(uuid, { body: '' })).json).toEqual(NONE);
  expect(await app.services.models.drafts.countDocuments({ room: uuid })).toBe(0);
});

it.each(HARMLESS_TEXTS)('answers %s as it was sent', async (_, body) => {
  const { uuid } = await visit(widget, token);
  await put(uuid, { body });
  expect((await get(uuid)).json.body).toBe(body);
});

it.each([...REFUSED_TEXTS, [null, 'This field may not be null.'], [undefined, 'This field is required.']])(
  'refuses %j',
  async (body, message) => {
    const { uuid } = await visit(widget, token);
    const refused = await put(uuid, { body });
    expect([refused.status, refused.json]).toEqual([400, { body: [message] }]);
  },
);

it('holds If-Match: of several who write on the same draft one is not told, also on none', async () => {
  const { uuid } = await visit(widget, token);
  for (let round = 0; round < 2; round++) {
    const { headers } = await get(uuid);
    const matching = { 'if-match': headers.etag ?? '' };
    const writes = ['a', 'b', 'c'].map((body) => put(uuid, { body: `${body} ${round}` }, token, matching));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412, 412]);
    expect((await remove(uuid, token, matching)).status).toBe(412);
  }
  const bodies = Array.from({ length: 10 }, (_, n) => `${n}`);
  const answers = await Promise.all(bodies.map((body) => put(uuid, { body })));
  expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200));
  expect(bodies).toContain((await get(uuid)).json.body);
});

it('is nobody’s who does not see the conversation, and no program’s', async () => {
  const { uuid, visitor } = await visit(widget, token);
  await put(uuid, { body: 'Mine' }, grace.token);
  const scopes = ['conversations:write'];
  const made = { token: grace.token, body: { name: 'sync', scopes } };
  const program = (await app.request('POST', '/api/v1/tokens/', made)).json.token;
  const restricted = await people.member(token, 'operator', { widgets: [] });
  const stranger = (await app.account()).token;
  for (const [as, status] of [
    [program, 403],
    [restricted.token, 404],
    [stranger, 404],
  ] as const) {
    expect((await get(uuid, as)).status).toBe(status);
    expect((await put(uuid, { body: 'Theirs' }, as)).status).toBe(status);
    expect((await remove(uuid, as)).status).toBe(status);
  }
  const path = `/api/v1/conversations/${uuid}/draft/`;
  expect((await app.request('GET', path, { visitor })).status).toBe(403);
  expect((await get(uuid, grace.token)).json.body).toBe('Mine');
});

it('goes with its room, with what its visitor erases, and with its member', async () => {
  const { drafts } = app.services.models;
  const [one, two, three] = [
    await visit(widget, token),
    await visit(widget, token),
    await visit(widget, token),
  ];
  const leaver = await people.member(token, 'operator');
  await put(one.uuid, { body: 'About a visitor' });
  await put(two.uuid, { body: 'About a visitor' });
  await put(three.uuid, { body: 'Mine' }, leaver.token);
  await app.request('DELETE', `/api/v1/rooms/${one.label}/`, { token });
  await app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, { visitor: two.visitor });
  await app.request('DELETE', `/api/v1/members/${leaver.uuid}/`, { token });
  for (const { uuid } of [one, two, three]) expect(await drafts.countDocuments({ room: uuid })).toBe(0);
});
