import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { failOnClosedSockets } from '../src/database/closed-sockets.ts';
import { newInvitation } from '../src/features/accounts/invitations.ts';
import { testApp } from './app.ts';
import { startGate } from './database-gate.ts';
import { PASSWORD, testMembers } from './members.ts';

/**
 * Changes without an Idempotency-Key that the database has done, and whose answer was lost: what follows from them is
 * done all the same, and nothing is taken back that is there.
 */

const PATIENCE = { timeout: 60_000 };
const PUBLIC_URL = 'http://127.0.0.1:8080';

failOnClosedSockets();

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** An app whose database loses the answer of a command, by `cutAfter`. */
const gatedApp = (env: Record<string, string> = {}) => {
  let gate: Awaited<ReturnType<typeof startGate>> | undefined;
  const app = testApp(env, async () => {
    gate = await startGate((end) => ends.push(end));
    return `mongodb://127.0.0.1:${gate.port}/?directConnection=true`;
  });
  /** Loses the answer of this command on a collection, and gives what the request is answered then. */
  const lost = async (command: string, collection: string, ...request: Parameters<typeof app.request>) => {
    gate?.cutAfter(new RegExp(`${command}\0.{4}${collection}\0`, 's'));
    const answer = await app.request(...request);
    expect([request[1], answer.status]).toEqual([request[1], 503]);
    // The driver finds the database again.
    await vi.waitFor(() => app.services.models.accounts.exists({ _id: '' }), PATIENCE);
    return answer;
  };
  /** Lets the database go with this command on a collection, which does not get through, and come back afterwards. */
  const cut = async (command: string, collection: string, ...request: Parameters<typeof app.request>) => {
    gate?.shutAt(new RegExp(`${command}\0.{4}${collection}\0`, 's'));
    const answer = await app.request(...request);
    gate?.reopen();
    expect([request[1], answer.status]).toEqual([request[1], 503]);
    await vi.waitFor(() => app.services.models.accounts.exists({ _id: '' }), PATIENCE);
  };
  return { app, cut, lost };
};

const { app, cut, lost } = gatedApp({ PUBLIC_URL, REGISTRATION: 'open' });
const { accept, invite, linkOf, member } = testMembers(app);
const later = () => new Date(Date.now() + 61_000);

describe('the answer to its deletion is lost of', () => {
  it('a room: what was said in it goes, too', async () => {
    const { token, id } = await app.account();
    const room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
    const message = { body: 'Hello', room: { uuid: room.uuid } };
    await app.request('POST', '/api/v1/messages/', { token, body: message });
    await lost('delete', 'rooms', 'DELETE', `/api/v1/rooms/${room.label}/`, { token });
    await app.services.roomDeletion.resume(later());
    expect((await app.request('GET', '/api/v1/messages/', { token })).json).toEqual([]);
    expect(await app.services.models.messages.exists({ account: id })).toBeNull();
  });

  it('a member: nothing is assigned to it, and no token of its programs is left', async () => {
    const { token, id } = await app.account();
    const operator = await member(token, 'operator');
    const room = (await app.request('POST', '/api/v1/rooms/', { token })).json;
    const path = `/api/v1/conversations/${room.uuid}/`;
    await app.request('PATCH', path, { token, body: { assignee: operator.uuid } });
    const program = { name: 'Desk', scopes: ['leads:read'] };
    await app.request('POST', '/api/v1/tokens/', { token: operator.token, body: program });
    await lost('delete', 'members', 'DELETE', `/api/v1/members/${operator.uuid}/`, { token });
    expect((await app.request('DELETE', `/api/v1/members/${operator.uuid}/`, { token })).status).toBe(404);
    // What was to be announced is, a minute later.
    await app.services.roomDeletion.resume(later());
    await vi.waitFor(async () => {
      expect((await app.request('GET', path, { token })).json.assignee).toBeNull();
      expect(await app.services.models.tokens.exists({ account: id })).toBeNull();
    }, PATIENCE);
  });

  it('a workflow: its graph goes, too', async () => {
    const { token } = await app.account();
    const nodes = [{ id: 'hello', type: 'start', greeting: 'Hello!' }];
    const made = await app.request('POST', '/api/v1/workflows/', { token, body: { name: 'W', nodes } });
    const { uuid } = made.json;
    await lost('delete', 'workflows', 'DELETE', `/api/v1/workflows/${uuid}/`, { token });
    await app.services.roomDeletion.resume(later());
    const { graphs } = app.services.models;
    await vi.waitFor(async () => expect(await graphs.exists({ workflow: uuid })).toBeNull(), PATIENCE);
  });

  it('a widget: nobody is restricted to it any more, and where it was seen and by whom is forgotten', async () => {
    const { token, widget } = await app.account();
    await app.session(widget);
    const { uuid } = (await app.request('GET', `/api/v1/widgets/${widget}/`, { token })).json;
    const operator = await member(token, 'operator', { widgets: [uuid] });
    const { sessions, sightings } = app.services.models;
    const seen = { account: uuid, widget: uuid, origin: 'https://shop.example', last_seen_at: new Date() };
    await sightings.collection.insertOne({ _id: randomUUID(), ...seen } as never);
    await lost('delete', 'widgets', 'DELETE', `/api/v1/widgets/${widget}/`, { token });
    await app.services.roomDeletion.resume(later());
    const restriction = async () =>
      (await app.request('GET', `/api/v1/members/${operator.uuid}/`, { token })).json.widgets;
    await vi.waitFor(async () => expect(await restriction()).toEqual([]), PATIENCE);
    const left = async () => [
      await sessions.countDocuments({ widget: uuid }),
      await sightings.countDocuments({ widget: uuid }),
    ];
    await vi.waitFor(async () => expect(await left()).toEqual([0, 0]), PATIENCE);
  });
});

it('of a new password: no other session goes on', async () => {
  const { username } = await app.account();
  const signIn = async () => {
    const headers = { origin: PUBLIC_URL };
    const body = { username, password: PASSWORD };
    const answer = await app.request('POST', '/api/v1/auth/session', { headers, body });
    return { ...headers, cookie: String(answer.headers['set-cookie']).split(';')[0] as string };
  };
  const [own, other] = [await signIn(), await signIn()];
  const isIn = async (headers: Record<string, string>) =>
    (await app.request('GET', '/api/v1/auth/session', { headers })).status;
  expect([await isIn(own), await isIn(other)]).toEqual([200, 200]);
  const password = 'another long secret';
  const body = { old_password: PASSWORD, password, password2: password };
  await lost('update', 'accounts\0.*password', 'POST', '/api/v1/auth/password', { headers: own, body });
  const signedIn = await app.request('POST', '/api/v1/auth/api-token', { body: { username, password } });
  expect(signedIn.status).toBe(200);
  expect([await isIn(own), await isIn(other)]).toEqual([200, 401]);
  const listed = await app.request('GET', '/api/v1/auth/sessions/', { headers: own });
  expect(listed.json).toHaveLength(1);
});

describe('a link to a new password', () => {
  const CONFIRM = '/api/v1/auth/password-reset/confirm';
  const asked = async () => {
    const account = await app.account();
    const { members, passwordResets } = app.services;
    const link = async () => {
      const member = await members.byUsername(account.username);
      return (await passwordResets.issue(member as never, randomUUID())).split('#token=')[1] as string;
    };
    const signIn = async (password: string) => {
      const body = { username: account.username, password };
      return (await app.request('POST', '/api/v1/auth/api-token', { body })).status;
    };
    return { ...account, link, signIn };
  };
  const chosen = (token: string, password = 'another long secret') => ({
    body: { token, password, password2: password },
  });

  it('is good still where the password could not be set', async () => {
    const { link, signIn } = await asked();
    const token = await link();
    await cut('update', 'accounts', 'POST', CONFIRM, chosen(token));
    expect((await app.request('POST', CONFIRM, chosen(token))).status).toBe(204);
    expect([await signIn(PASSWORD), await signIn('another long secret')]).toEqual([400, 200]);
  });

  it('is used up where it was, and so are all others', async () => {
    const { link, signIn } = await asked();
    const [token, other] = [await link(), await link()];
    await lost('update', 'accounts\0.*password', 'POST', CONFIRM, chosen(token));
    for (const one of [token, other]) {
      const again = await app.request('POST', CONFIRM, chosen(one, 'a third long secret'));
      expect(again.json).toEqual({ token: ['This link is not good, has run out or was used.'] });
    }
    expect(await signIn('another long secret')).toBe(200);
  });
});

it('of a workflow that takes the place of another: the trail tells of it once', async () => {
  const { token } = await app.account();
  const nodes = [{ id: 'hello', type: 'start', greeting: 'Hello!' }];
  const make = async (name: string) => {
    const body = { name, nodes, is_published: true };
    return (await app.request('POST', '/api/v1/workflows/', { token, body })).json.uuid as string;
  };
  const [one, other] = [await make('One'), await make('Other')];
  const path = `/api/v1/workflows/${other}/`;
  const body = { is_room_bot: true, name: 'Another' };
  // Events that are out leave their workflows by an update, which is not the one that is meant.
  const waiting = { 'events.0': { $exists: true } };
  await vi.waitFor(
    async () => expect(await app.services.models.workflows.countDocuments(waiting)).toBe(0),
    PATIENCE,
  );
  await lost('update', 'workflows', 'PATCH', path, { token, body });
  expect((await app.request('PATCH', path, { token, body })).json).toMatchObject(body);
  expect((await app.request('GET', `/api/v1/workflows/${one}/`, { token })).json.is_room_bot).toBe(false);
  await app.request('DELETE', path, { token });
  await vi.waitFor(async () => {
    const { json } = await app.request('GET', '/api/v1/audit/', { token });
    const told = json.filter(({ object }: { object: { uuid: string } }) => object.uuid === other);
    expect(told.map(({ action }: { action: string }) => action)).toEqual([
      'deleteWorkflow',
      'changeWorkflow',
      'createWorkflow',
    ]);
    expect(told[1].changes.map(({ field }: { field: string }) => field)).toEqual(['name', 'is_room_bot']);
  }, PATIENCE);
});

it('of a conversation that begins: it is that one also when it was refused in between', async () => {
  const { token, id } = await app.account();
  const nodes = [{ id: 'hello', type: 'start', greeting: 'Hello!' }];
  const made = { name: 'W', nodes, is_published: true };
  const { uuid, public_key } = (await app.request('POST', '/api/v1/workflows/', { token, body: made })).json;
  const headers = { 'x-api-key': public_key, 'idempotency-key': randomUUID() };
  const start = ['POST', '/api/v1/public/conversations/start', { headers, body: {} }] as const;
  await lost('insert', 'rooms', ...start);
  const publish = (is_published: boolean) =>
    app.request('PATCH', `/api/v1/workflows/${uuid}/`, { token, body: { is_published } });
  await publish(false);
  expect((await app.request(...start)).status).toBe(404);
  await publish(true);
  expect((await app.request(...start)).status).toBe(200);
  expect(await app.services.models.rooms.countDocuments({ account: id })).toBe(1);
});

it('of an invitation that replaces one: the next one replaces both', async () => {
  const { token } = await app.account();
  const email = `${randomUUID()}@example.com`;
  const first = linkOf(await invite(token, { email, role: 'admin' }));
  await lost('insert', 'members', 'POST', '/api/v1/members/', { token, body: { email } });
  await invite(token, { email });
  expect((await accept(first)).status).toBe(400);
  const all = (await app.request('GET', '/api/v1/members/', { token })).json;
  expect(all.filter((one: { email: string }) => one.email === email)).toHaveLength(1);
});

it('of a webhook that goes elsewhere: it begins anew there', async () => {
  const { token } = await app.account();
  const webhook = { event: 'chat.added', target: 'http://127.0.0.1:8/' };
  const { uuid } = (await app.request('POST', '/api/v1/webhooks/', { token, body: webhook })).json;
  const { webhooks } = app.services.models;
  await webhooks.updateOne({ _id: uuid }, { $set: { failing_since: new Date(0), failed_attempts: 99 } });
  const body = { target: 'http://127.0.0.1:8/new' };
  await lost('findAndModify', 'webhooks', 'PATCH', `/api/v1/webhooks/${uuid}/`, { token, body });
  expect((await app.request('PATCH', `/api/v1/webhooks/${uuid}/`, { token, body })).json).toMatchObject(body);
  expect(await webhooks.findOne({ _id: uuid }).lean()).not.toHaveProperty('failing_since');
});

it('of an account: it has its widget', async () => {
  const username = `user-${randomUUID().slice(0, 8)}`;
  const person = { username, password: PASSWORD };
  const body = { ...person, password2: PASSWORD, email: `${username}@example.com` };
  await lost('insert', 'accounts', 'POST', '/api/v1/auth/register', { body });
  const { token } = (await app.request('POST', '/api/v1/auth/api-token', { body: person })).json;
  expect((await app.request('GET', '/api/v1/widgets/', { token })).json).toHaveLength(1);
});

describe('with REGISTRATION=invite', () => {
  const invited = gatedApp({ REGISTRATION: 'invite' });

  it('of an account: its invitation makes no second one', async () => {
    const invite = newInvitation(invited.app.services.secrets);
    const register = () => {
      const username = `user-${randomUUID().slice(0, 8)}`;
      const body = { username, email: `${username}@example.com`, password: PASSWORD, password2: PASSWORD };
      return ['POST', '/api/v1/auth/register', { body: { ...body, invite } }] as const;
    };
    await invited.lost('insert', 'accounts', ...register());
    const again = await invited.app.request(...register());
    expect(again.json).toEqual({ invite: ['This invitation is not good, has run out or was used.'] });
    expect(await invited.app.services.models.accounts.countDocuments({})).toBe(1);
  });

  it('of no account: its invitation is good again within a minute', async () => {
    const { models, secrets } = invited.app.services;
    const username = `user-${randomUUID().slice(0, 8)}`;
    const person = { username, password: PASSWORD };
    const given = { ...person, password2: PASSWORD, email: `${username}@example.com` };
    const body = { ...given, invite: newInvitation(secrets) };
    await invited.cut('insert', 'accounts', 'POST', '/api/v1/auth/register', { body });
    const minuteLater = { expires_at: { $lte: new Date(Date.now() + 61_000) } };
    await models.registrationClaims.updateMany(minuteLater, { $set: { expires_at: new Date(0) } });
    expect((await invited.app.request('POST', '/api/v1/auth/register', { body })).status).toBe(201);
    const { token } = (await invited.app.request('POST', '/api/v1/auth/api-token', { body: person })).json;
    expect((await invited.app.request('GET', '/api/v1/widgets/', { token })).json).toHaveLength(1);
    // It is used up for as long as it runs, whatever becomes of the account.
    const stored = await models.accounts.findOneAndDelete({ username_key: username }).lean();
    expect(stored).not.toBeNull();
    const other = { ...body, username: `${username}-2`, email: `${username}-2@example.com` };
    expect((await invited.app.request('POST', '/api/v1/auth/register', { body: other })).status).toBe(400);
  });
});
