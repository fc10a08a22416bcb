import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD } from '../../../test/members.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const NEW = 'quite another secret';

/** A browser that is signed in, and how it is signed out from elsewhere. */
const signedIn = async () => {
  const { token, username } = await app.account();
  const { headers } = await app.request('POST', '/api/v1/auth/session', {
    body: { username, password: PASSWORD },
    headers: { origin: PUBLIC_URL },
  });
  const cookie = String(headers['set-cookie']).split(';', 1)[0] ?? '';
  const ask = (path: string, body: object) =>
    app.request('POST', `/api/v1/${path}`, { headers: { cookie, origin: PUBLIC_URL }, body });
  const signOut = async () => {
    const [session] = (await app.request('GET', '/api/v1/auth/sessions/', { token })).json;
    const path = `/api/v1/auth/sessions/${session.uuid}/`;
    expect((await app.request('DELETE', path, { token })).status).toBe(204);
  };
  const fields = { version: 1, password: 1, totp_pending_sealed: 1, deleted_at: 1 };
  const stored = () => app.services.models.accounts.findOne({ username }, fields).lean();
  return { ask, signOut, stored, username };
};

const asked = {
  'auth/password': { old_password: PASSWORD, password: NEW, password2: NEW },
  'auth/totp': { password: PASSWORD },
  'auth/totp/disable': { password: PASSWORD },
  'account/delete/': { password: PASSWORD },
};

it.each(Object.entries(asked))(
  '%s does nothing for a session that ends while its password is looked at',
  async (path, body) => {
    const { ask, signOut, stored, username } = await signedIn();
    const before = await stored();
    const { knownAddresses } = app.services.models;
    const update = knownAddresses.updateOne.bind(knownAddresses);
    // That it was right is written down before anything else is done.
    const spy = vi
      .spyOn(knownAddresses, 'updateOne')
      .mockImplementationOnce((...given) => signOut().then(() => update(...given)) as never);
    onTestFinished(() => spy.mockRestore());
    const { status } = await ask(path, path === 'account/delete/' ? { username, ...body } : body);
    expect(spy).toHaveBeenCalled();
    expect([status, await stored()]).toEqual([401, before]);
  },
);

it('replaces no password for a session that ends while the new one is hashed', async () => {
  const { ask, signOut, stored } = await signedIn();
  const before = await stored();
  const { credentials } = app.services;
  const own = credentials.choosePassword;
  const spy = vi.spyOn(credentials, 'choosePassword').mockImplementationOnce(async (...given) => {
    await signOut();
    return own.apply(credentials, given);
  });
  onTestFinished(() => spy.mockRestore());
  const { status } = await ask('auth/password', asked['auth/password']);
  expect([status, await stored()]).toEqual([401, before]);
});
