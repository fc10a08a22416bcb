import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { demoAccount } from '../demo/demo-account.ts';
import { deleteAccount } from './account-data.ts';
import { newInvitation } from './invitations.ts';

const PASSWORD = 'a long enough secret';

const registering =
  (app: ReturnType<typeof testApp>) =>
  (more: object = {}) => {
    const username = `person-${randomUUID().slice(0, 8)}`;
    const given = { username, email: `${username}@example.com`, password: PASSWORD, password2: PASSWORD };
    return app.request('POST', '/api/v1/auth/register', { body: { ...given, ...more } });
  };

const CLOSED = { status: 403, json: { detail: 'Registration is closed.' } };

describe('registration on a server for others', () => {
  const app = testApp({ PUBLIC_URL: 'https://chat.example.com' });
  const register = registering(app);

  it('is for the first account, of many that ask at once for exactly one, and closed from then on', async () => {
    // What was refused leaves the way open.
    expect((await register({ password2: 'another' })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 20 }, () => register()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(403)]);
    expect(answers.find(({ status }) => status === 403)).toMatchObject(CLOSED);
    expect(await app.services.models.accounts.countDocuments({})).toBe(1);
    expect(await register()).toMatchObject(CLOSED);
    // A wrong body learns no more than a right one.
    expect(await register({ password: '1', password2: '2' })).toMatchObject(CLOSED);
  });
});

describe('registration after a trial', () => {
  const app = testApp({ PUBLIC_URL: 'https://chat.example.com' });
  const register = registering(app);

  it('is open for the first account beside that of the trial', async () => {
    expect((await demoAccount(app.services)).username).toBe('demo');
    expect((await register()).status).toBe(201);
    expect(await register()).toMatchObject(CLOSED);
  });
});

describe('registration once an account was deleted', () => {
  const app = testApp({ PUBLIC_URL: 'https://chat.example.com' });
  const register = registering(app);
  /** Finishes deletions, and lets the lease of the first registration run out. */
  const minuteLater = async () => {
    const { accountDeletion, models } = app.services;
    await expect
      .poll(
        async () => {
          await accountDeletion.resume(new Date(Date.now() + 61_000));
          return models.accounts.countDocuments({});
        },
        { timeout: 60_000 },
      )
      .toBe(0);
    await models.registrationClaims.deleteMany({ expires_at: { $lte: new Date(Date.now() + 61_000) } });
  };

  it("is open still after a trial's, and closed for good after any other", async () => {
    await demoAccount(app.services);
    await deleteAccount(app.services, (await app.services.accounts.byUsername('demo'))?._id ?? '');
    await minuteLater();
    const username = 'the-first-one';
    expect((await register({ username })).status).toBe(201);
    const credentials = { username, password: PASSWORD };
    const { token } = (await app.request('POST', '/api/v1/auth/api-token', { body: credentials })).json;
    const deletion = { token, body: credentials };
    expect((await app.request('POST', '/api/v1/account/delete/', deletion)).status).toBe(204);
    expect(await register()).toMatchObject(CLOSED);
    await minuteLater();
    expect(await register()).toMatchObject(CLOSED);
    // The operator still makes accounts.
    const made = { username, email: 'ada@example.com', password: PASSWORD, password2: PASSWORD };
    expect(await app.services.accounts.create(made)).toMatchObject({ username });
  });
});

describe('REGISTRATION=closed', () => {
  const register = registering(testApp({ REGISTRATION: 'closed' }));

  it('lets nobody in, the first one included', async () => {
    expect(await register()).toMatchObject(CLOSED);
  });
});

describe('REGISTRATION=invite', () => {
  const app = testApp({ REGISTRATION: 'invite' });
  const register = registering(app);

  it('lets one account in for an invitation, of many that use it at once', async () => {
    expect(await register()).toMatchObject({
      status: 403,
      json: { detail: 'Registration needs an invitation.' },
    });
    const invite = newInvitation(app.services.secrets);
    // What was refused for something else does not use it up.
    expect((await register({ invite, password2: 'another' })).status).toBe(400);
    const answers = await Promise.all(Array.from({ length: 10 }, () => register({ invite })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(400)]);
    expect(answers.find(({ status }) => status === 400)?.json).toEqual({
      invite: ['This invitation is not good, has run out or was used.'],
    });
    expect((await register({ invite: newInvitation(app.services.secrets) })).status).toBe(201);
  });

  it('lets nobody in for one that has run out or was changed', async () => {
    const { secrets } = app.services;
    const old = newInvitation(secrets, new Date(Date.now() - 8 * 86_400_000));
    const changed = newInvitation(secrets).replace(/\.[0-9a-z]+\./, '.zzzzzzzz.');
    for (const invite of [old, changed, 'inv1', 'x'.repeat(200)]) {
      expect((await register({ invite })).json).toEqual({ invite: [expect.any(String)] });
    }
  });
});
