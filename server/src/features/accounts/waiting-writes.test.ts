import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD, testMembers } from '../../../test/members.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const { change, list, member, remove } = testMembers(app);

/** Somebody else has the lease of that name, as of a process that was killed, until this is called. */
const holdLease = async (name: string) => {
  const { registrationClaims } = app.services.models;
  await registrationClaims.insertOne({ _id: name, expires_at: new Date(Date.now() + 14_000) } as never);
  return () => registrationClaims.deleteOne({ _id: name });
};

/** What is asked for, and waits, while something happens to whoever asks; longer than a second passes. */
const whileWaiting = async <T>(lease: string, ask: () => Promise<T>, happens: () => Promise<unknown>) => {
  const letGo = await holdLease(lease);
  const run = vi.spyOn(app.services.leases, 'run');
  const asked = ask();
  // It was let through, and waits.
  await expect.poll(() => run.mock.calls.some(([name]) => name === lease)).toBe(true);
  run.mockRestore();
  await happens();
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 1_500);
  onTestFinished(() => clock.mockRestore());
  await letGo();
  return asked;
};

const made = [
  ['webhooks', 'webhooks/', { event: 'chat.added', target: 'http://127.0.0.1:8/' }],
  ['widgets', 'widgets/', {}],
  ['workflows', 'workflows/', { name: 'One', nodes: [{ id: 's', type: 'start' }] }],
  ['keywords', 'keywords/', { keyword: 'refund' }],
  ['replies', 'replies/', { name: 'Hello', shortcut: 'hello', body: 'Hello' }],
  ['tokens', 'tokens/', { name: 'Program', scopes: ['leads:read'] }],
  ['members', 'members/', { email: 'friend@example.com' }],
] as const;

describe('what waits for its turn in a quota', () => {
  it.each(made)('%s: is not made by a member that was removed meanwhile', async (what, path, body) => {
    const { token, id } = await app.account();
    const admin = await member(token, 'admin');
    const ask = () => app.request('POST', `/api/v1/${path}`, { token: admin.token, body });
    // Others can't be removed while somebody invites.
    const lease = what === 'members' ? `members ${id}` : `quota ${what} ${id}`;
    const leave = () =>
      what === 'members'
        ? app.services.models.members.deleteOne({ _id: admin.uuid })
        : remove(token, admin.uuid);
    const { status } = await whileWaiting(lease, ask, leave);
    expect(status).toBe(401);
    const model = app.services.models[what];
    const left = await (model as typeof app.services.models.widgets).countDocuments({ account: id });
    expect(left).toBe(what === 'widgets' ? 1 : 0);
  });

  it.each(made.slice(0, 4))('%s: is not made by an operator, who was an admin', async (what, path, body) => {
    const { token, id } = await app.account();
    const admin = await member(token, 'admin');
    const ask = () => app.request('POST', `/api/v1/${path}`, { token: admin.token, body });
    const demote = () => change(token, admin.uuid, { role: 'operator' });
    expect((await whileWaiting(`quota ${what} ${id}`, ask, demote)).status).toBe(403);
  });

  it('makes no token by a session that has ended with its password', async () => {
    const { token, id, username } = await app.account();
    const session = await app.request('POST', '/api/v1/auth/session', {
      body: { username, password: PASSWORD },
    });
    const cookie = String(session.headers['set-cookie']).split(';')[0] ?? '';
    const body = { name: 'Program', scopes: ['leads:read'] };
    const headers = { cookie, origin: PUBLIC_URL };
    const ask = () => app.request('POST', '/api/v1/tokens/', { headers, body });
    const other = 'quite another secret';
    const replace = () =>
      app.request('POST', '/api/v1/auth/password', {
        token,
        body: { old_password: PASSWORD, password: other, password2: other },
      });
    expect((await whileWaiting(`quota tokens ${id}`, ask, replace)).status).toBe(401);
    expect(await app.services.models.tokens.countDocuments({ account: id })).toBe(0);
  });
});

describe('a change of who is a member', () => {
  it.each(['invite', 'change', 'remove'])(
    'waits, and does not %s by an API token that was replaced meanwhile',
    async (how) => {
      const { token, id, username } = await app.account();
      const friend = await member(token, 'operator');
      const before = await list(token);
      const ask = () => {
        if (how === 'change') return change(token, friend.uuid, { role: 'admin' });
        if (how === 'remove') return remove(token, friend.uuid);
        return app.request('POST', '/api/v1/members/', { token, body: { email: 'x@example.com' } });
      };
      let fresh = '';
      const reset = async () => {
        const body = { username, password: PASSWORD, reset_token: true };
        fresh = (await app.request('POST', '/api/v1/auth/api-token', { body })).json.token;
      };
      expect((await whileWaiting(`members ${id}`, ask, reset)).status).toBe(401);
      const roles = (people: { uuid: string; role: string }[]) =>
        people.map(({ uuid, role }) => [uuid, role]);
      expect(roles(await list(fresh))).toEqual(roles(before));
    },
  );
});
