import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const { invite, member } = testMembers(app);

const change = (token: string, uuid: string, body: object, headers: Record<string, string> = {}) =>
  app.request('PATCH', `/api/v1/members/${uuid}/`, { token, body, headers });
const me = async (token: string) => (await app.request('GET', '/api/v1/members/me/', { token })).json;
const addWidget = async (token: string) => (await app.request('POST', '/api/v1/widgets/', { token })).json;

/** An account with two widgets. */
const withTwo = async () => {
  const account = await app.account();
  const [first] = (await app.request('GET', '/api/v1/widgets/', account)).json;
  return { ...account, first, second: await addWidget(account.token) };
};

const ONLY_OPERATORS = { widgets: ['Owners and admins see all widgets.'] };

describe('the widgets of a member', () => {
  it('are all, unless an invitation or a change names some', async () => {
    const { token, first, second } = await withTwo();
    expect((await invite(token)).json.widgets).toBeNull();
    const invited = await invite(token, { widgets: [first.uuid] });
    expect(invited.json.widgets).toEqual([first.uuid]);
    const operator = await member(token, 'operator', { widgets: [first.uuid] });
    expect((await me(operator.token)).widgets).toEqual([first.uuid]);
    const both = [second.uuid, first.uuid.toUpperCase(), first.uuid];
    const changed = await change(token, operator.uuid, { widgets: both });
    expect(changed.json.widgets).toEqual([second.uuid, first.uuid]);
    // A change of something else leaves them.
    expect((await change(token, operator.uuid, { name: 'Grace' })).json.widgets).toHaveLength(2);
    expect((await change(token, operator.uuid, { widgets: [] })).json.widgets).toEqual([]);
    expect((await change(token, operator.uuid, { widgets: null })).json.widgets).toBeNull();
    expect((await me(operator.token)).widgets).toBeNull();
  });

  it('are changed by admins, with If-Match, and not by the member itself', async () => {
    const { token, first } = await withTwo();
    const admin = await member(token, 'admin');
    const operator = await member(token, 'operator', { widgets: [first.uuid] });
    const path = `/api/v1/members/${operator.uuid}/`;
    const { etag = '' } = (await app.request('GET', path, { token: admin.token })).headers;
    const body = { widgets: [] };
    expect((await change(admin.token, operator.uuid, body, { 'if-match': etag })).status).toBe(200);
    expect((await change(admin.token, operator.uuid, body, { 'if-match': etag })).status).toBe(412);
    expect((await change(operator.token, operator.uuid, { widgets: null })).status).toBe(403);
    const own = { token: operator.token, body: { widgets: null } };
    await app.request('PATCH', '/api/v1/members/me/', own);
    expect((await me(operator.token)).widgets).toEqual([]);
  });

  it('are uuids of widgets of the account', async () => {
    const { token, first } = await withTwo();
    const foreign = (await withTwo()).first.uuid;
    const operator = await member(token, 'operator');
    const refused = async (widgets: unknown) => {
      const answers = [await invite(token, { widgets }), await change(token, operator.uuid, { widgets })];
      for (const { status } of answers) expect(status).toBe(400);
      expect(answers[0]?.json).toEqual(answers[1]?.json);
      return answers[0]?.json;
    };
    for (const uuid of [foreign, randomUUID()]) {
      expect(await refused([first.uuid, uuid])).toEqual({
        widgets: [`Object with uuid=${uuid} does not exist.`],
      });
    }
    expect(await refused([first.token])).toEqual({ widgets: { 0: ['Must be a valid UUID.'] } });
    expect(await refused(first.uuid)).toEqual({ widgets: ['Expected a list of items.'] });
    const many = Array.from({ length: 101 }, () => randomUUID());
    expect(await refused(many)).toEqual({ widgets: ['Ensure this list has no more than 100 items.'] });
    expect((await me(operator.token)).widgets).toBeNull();
  });

  it("are an operator's alone", async () => {
    const { token, id, first } = await withTwo();
    const widgets = [first.uuid];
    expect((await invite(token, { role: 'admin', widgets })).json).toEqual(ONLY_OPERATORS);
    const admin = await member(token, 'admin');
    const operator = await member(token, 'operator', { widgets });
    for (const [uuid, body] of [
      [id, { widgets }],
      [admin.uuid, { widgets }],
      [operator.uuid, { role: 'admin', widgets }],
    ] as const) {
      expect((await change(token, uuid, body)).json).toEqual(ONLY_OPERATORS);
    }
    expect((await me(operator.token)).role).toBe('operator');
    // Whoever sees all has no list, and gets none back.
    expect((await change(token, operator.uuid, { role: 'admin' })).json.widgets).toBeNull();
    expect((await change(token, operator.uuid, { role: 'operator' })).json.widgets).toBeNull();
    expect((await change(token, admin.uuid, { role: 'operator', widgets })).json).toMatchObject({
      role: 'operator',
      widgets,
    });
  });

  it('restrict whoever founded the account and is an operator now, until it is an owner again', async () => {
    const { token, id, first } = await withTwo();
    const heir = await member(token, 'owner');
    const demoted = await change(heir.token, id, { role: 'operator', widgets: [first.uuid], name: 'Ada' });
    expect(demoted.json).toMatchObject({ uuid: id, role: 'operator', widgets: [first.uuid], name: 'Ada' });
    expect((await me(token)).widgets).toEqual([first.uuid]);
    expect((await change(heir.token, id, { role: 'owner' })).json.widgets).toBeNull();
    // It takes the place in the account again, where a list would be of no account.
    expect((await change(token, heir.uuid, { role: 'operator', widgets: [] })).json.widgets).toEqual([]);
    expect((await me(token)).role).toBe('owner');
  });

  it('lose one that is deleted, and are none when it was the last one', async () => {
    const { token, first, second } = await withTwo();
    const { token: own, uuid } = await member(token, 'operator', { widgets: [first.uuid, second.uuid] });
    const { visitor, room } = await app.session(second.token);
    const body = { body: 'Hi', room: { uuid: room.uuid } };
    await app.request('POST', '/api/v1/messages/', { visitor, body });
    const rooms = async () => (await app.request('GET', '/api/v1/rooms/', { token: own })).json;
    expect(await rooms()).toHaveLength(1);
    for (const widget of [second, first]) {
      await app.request('DELETE', `/api/v1/widgets/${widget.token}/`, { token });
      expect(await rooms()).toEqual([]);
      const expected = widget === second ? [first.uuid] : [];
      expect((await me(own)).widgets).toEqual(expected);
    }
    // Nor do they count where a process died before it had taken them out of the list.
    await app.services.models.members.updateOne({ _id: uuid }, { $set: { widgets: [second.uuid] } });
    expect(await rooms()).toEqual([]);
  });
});

it('a colleague who is restricted learns of no other widgets by the list of members', async () => {
  const { token, first, second } = await withTwo();
  const one = await member(token, 'operator', { widgets: [first.uuid] });
  const other = await member(token, 'operator', { widgets: [first.uuid, second.uuid] });
  const list = (await app.request('GET', '/api/v1/members/', { token: one.token })).json;
  const [found] = list.filter(({ uuid }: { uuid: string }) => uuid === other.uuid);
  expect(found.widgets).toEqual([first.uuid]);
  const path = `/api/v1/members/${other.uuid}/`;
  expect((await app.request('GET', path, { token: one.token })).json).toEqual(found);
  expect((await app.request('GET', path, { token })).json.widgets).toEqual([first.uuid, second.uuid]);
});
