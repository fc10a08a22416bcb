import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CookieBrowser } from './cookie-browser.ts';
import { askFrom, introduce, invite, refusal, signInAt, startWithProvider, whoIs } from './oidc-parts.ts';
import { caller, owner } from './rest.ts';

/** Invitations that are accepted by signing in at a provider. */

type Started = Awaited<ReturnType<typeof startWithProvider>>;
let server: Started['server'];
let provider: Started['provider'];
let ada: Awaited<ReturnType<typeof owner>>;
const ends: (() => Promise<void>)[] = [];
beforeAll(async () => {
  ({ server, provider } = await startWithProvider({}, (end) => void ends.unshift(end)));
  ada = await owner(server.url);
});
afterAll(async () => {
  for (const end of ends) await end();
});

const signIn = (login: string, browser = new CookieBrowser()) => signInAt(provider, browser, server, login);
const ask = askFrom(() => server.url);

describe('an invitation', () => {
  const listed = async (uuid: string) => (await ada.rest('GET', `/api/v1/members/${uuid}/`)).json;

  it('is accepted by signing in at its address, with the username of there and without a password', async () => {
    introduce(provider, 'grace', { preferred_username: 'grace.h' });
    const uuid = await invite(ada.rest, 'Grace@example.com', { role: 'admin', name: 'Grace' });
    const browser = new CookieBrowser();
    expect((await signIn('grace', browser)).status).toBe(200);
    const grace = { uuid, username: 'grace.h', name: 'Grace', role: 'admin', has_password: false };
    expect(await whoIs(browser, server)).toMatchObject({ ...grace, invitation_expires_at: null });
    expect(await listed(uuid)).toMatchObject(grace);
    // The audit trail says who accepted, and who signed in.
    const ofHers = async () => {
      const { json } = await ada.rest('GET', '/api/v1/audit/');
      return json.filter((entry: { object: { uuid: string } }) => entry.object.uuid === uuid);
    };
    await expect
      .poll(ofHers)
      .toMatchObject([
        { action: 'finishOidc', actor: { uuid, name: 'grace.h' } },
        { action: 'finishOidc', actor: { uuid, name: 'grace.h' } },
        { action: 'inviteMember' },
      ]);
    // No password is hers.
    for (const password of ['', 'undefined', 'a long enough secret']) {
      const body = { username: 'grace.h', password };
      expect((await caller(server.url)('POST', '/api/v1/auth/session', body)).status).toBe(400);
    }
    // Having just signed in is enough instead of one, for as long as there is none.
    const begun = await ask(browser, 'POST', '/api/v1/auth/totp', {});
    expect([begun.status, Object.keys(begun.json)]).toEqual([200, ['secret', 'uri']]);
    // She chooses one.
    const password = 'a long enough secret';
    const chosen = await ask(browser, 'POST', '/api/v1/auth/password', { password, password2: password });
    expect(chosen.status).toBe(204);
    const { status, json } = await caller(server.url)('POST', '/api/v1/auth/session', {
      username: 'grace.h',
      password,
    });
    expect([status, json.uuid, json.has_password]).toEqual([200, uuid, true]);
    // From now on the old one is needed, and the provider is as good as before.
    const again = await ask(browser, 'POST', '/api/v1/auth/password', { password, password2: password });
    expect(again.json).toEqual({ old_password: ['This field is required.'] });
    const later = new CookieBrowser();
    await signIn('grace', later);
    expect(await whoIs(later, server)).toMatchObject({ uuid });
  });

  it('makes another username where that one is taken, or none', async () => {
    introduce(provider, 'first', { preferred_username: 'ADA' });
    introduce(provider, 'second', { preferred_username: 'no good/' });
    introduce(provider, 'o’hara', { preferred_username: 7, email: "o'hara@example.com" });
    for (const [login, email, username] of [
      ['first', 'first@example.com', 'first@example.com'],
      ['second', 'second@example.com', 'second@example.com'],
      ['o’hara', "o'hara@example.com", /^member-\d+$/],
    ] as const) {
      const uuid = await invite(ada.rest, email);
      const browser = new CookieBrowser();
      await signIn(login, browser);
      expect(await whoIs(browser, server)).toMatchObject({
        uuid,
        username: typeof username === 'string' ? username : expect.stringMatching(username),
      });
    }
  });

  it('is accepted once by two browsers at the same time', async () => {
    introduce(provider, 'twin');
    const uuid = await invite(ada.rest, 'twin@example.com');
    const browsers = [new CookieBrowser(), new CookieBrowser(), new CookieBrowser()];
    await Promise.all(browsers.map((browser) => signIn('twin', browser)));
    for (const browser of browsers) expect(await whoIs(browser, server)).toMatchObject({ uuid });
  });

  it('that is withdrawn is none', async () => {
    introduce(provider, 'late');
    const uuid = await invite(ada.rest, 'late@example.com');
    await ada.rest('DELETE', `/api/v1/members/${uuid}/`);
    expect(refusal(await signIn('late'))).toEqual([403, 'no_member']);
  });

  it('of several accounts waits for its link', async () => {
    introduce(provider, 'wanted');
    const bob = await owner(server.url, 'bob');
    await invite(ada.rest, 'wanted@example.com');
    const second = await invite(bob.rest, 'WANTED@example.com');
    expect(refusal(await signIn('wanted'))).toEqual([409, 'several_invitations']);
    await bob.rest('DELETE', `/api/v1/members/${second}/`);
    expect((await signIn('wanted')).status).toBe(200);
  });
});
