import { Secret, TOTP } from 'otpauth';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PASSWORD } from '../../../test/members.ts';
import { MemberStore } from './member-store.ts';

const PUBLIC_URL = 'https://chat.example.com';
const app = testApp({ PUBLIC_URL, REGISTRATION: 'open' });
const NEW = 'quite another secret';
const wrong = { non_field_errors: ['Unable to log in with provided credentials.'] };

/** Does something in between whenever a method of the store has been through, once. */
const after = (method: 'byKey' | 'active', task: () => Promise<unknown>) => {
  const own = MemberStore.prototype[method] as (...args: unknown[]) => Promise<unknown>;
  let isDone = false;
  const spy = vi.spyOn(MemberStore.prototype, method).mockImplementation(async function (
    this: MemberStore,
    ...args: unknown[]
  ) {
    const found = await own.apply(this, args);
    if (!isDone) {
      isDone = true;
      await task();
    }
    return found as never;
  });
  onTestFinished(() => spy.mockRestore());
};

const codeOf = (secret: string) => new TOTP({ secret: Secret.fromBase32(secret) }).generate();

/** Somebody who knows a password that is replaced, or not enough any more, once it was read. */
const somebody = async () => {
  const { token, username } = await app.account();
  const post = (path: string, body: object) => app.request('POST', `/api/v1/auth/${path}`, { token, body });
  const signIn = (path: string, more: object = {}) =>
    app.request('POST', `/api/v1/auth/${path}`, { body: { username, password: PASSWORD, ...more } });
  const replace = async () => {
    const body = { old_password: PASSWORD, password: NEW, password2: NEW };
    expect((await post('password', body)).status).toBe(204);
  };
  const begin = async (): Promise<string> => (await post('totp', { password: PASSWORD })).json.secret;
  const confirm = async (secret: string) => {
    expect((await post('totp/confirm', { code: codeOf(secret) })).status).toBe(200);
  };
  const me = async () => (await app.request('GET', '/api/v1/members/me/', { token })).status;
  return { begin, confirm, me, post, replace, signIn };
};

describe('a password that is replaced once it was read for a sign-in', () => {
  it.each([
    ['shows the API token', 'api-token', {}],
    ['makes a new one', 'api-token', { reset_token: true }],
    ['begins a session', 'session', {}],
  ])('no longer %s', async (_, path, more) => {
    const { me, replace, signIn } = await somebody();
    after('byKey', replace);
    const answer = await signIn(path, more);
    expect([answer.status, answer.json]).toEqual([400, wrong]);
    expect(answer.headers).not.toHaveProperty('set-cookie');
    expect(await me()).toBe(200);
  });

  it('makes no new token right before that is written either', async () => {
    const { me, replace, signIn } = await somebody();
    const { credentials } = app.services;
    const own = credentials.resetToken;
    const spy = vi.spyOn(credentials, 'resetToken').mockImplementationOnce(async (...args) => {
      await replace();
      return own.apply(credentials, args);
    });
    onTestFinished(() => spy.mockRestore());
    const answer = await signIn('api-token', { reset_token: true });
    expect([answer.status, answer.json]).toEqual([400, wrong]);
    expect(await me()).toBe(200);
  });
});

describe('a second factor that is turned on once the password was read', () => {
  it.each([
    ['shows the API token', 'api-token', {}],
    ['makes a new one', 'api-token', { reset_token: true }],
    ['begins a session', 'session', {}],
  ])('is asked for before a sign-in %s', async (_, path, more) => {
    const { begin, confirm, me, signIn } = await somebody();
    const secret = await begin();
    after('byKey', () => confirm(secret));
    const answer = await signIn(path, more);
    expect([answer.status, answer.json]).toEqual([400, { code: ['A code is required.'] }]);
    expect(await me()).toBe(200);
  });

  it('is asked for before a new token is written, too', async () => {
    const { begin, confirm, me, signIn } = await somebody();
    const secret = await begin();
    const { credentials } = app.services;
    const own = credentials.resetToken;
    const spy = vi.spyOn(credentials, 'resetToken').mockImplementationOnce(async (...args) => {
      await confirm(secret);
      return own.apply(credentials, args);
    });
    onTestFinished(() => spy.mockRestore());
    const answer = await signIn('api-token', { reset_token: true });
    expect([answer.status, answer.json]).toEqual([400, { code: ['A code is required.'] }]);
    expect(await me()).toBe(200);
  });
});

describe('what happens at the very end of a sign-in', () => {
  const wanted = { code: ['A code is required.'] };

  it.each([
    ['api-token', 'a second factor', wanted],
    ['session', 'a second factor', wanted],
    ['api-token', 'another password', wrong],
  ])('%s: %s is heard', async (path, what, refusal) => {
    const { begin, confirm, replace, signIn } = await somebody();
    const secret = await begin();
    after('active', () => (what === 'another password' ? replace() : confirm(secret)));
    const answer = await signIn(path);
    expect([answer.status, answer.json]).toEqual([400, refusal]);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });
});

describe('a second factor that is being set up', () => {
  const late = { code: ['Setting it up took longer than 10 minutes. Begin again.'] };
  const none = { code: ['This code is not good.'] };
  const atOnce = (username: string) => app.services.models.accounts.findOne({ username }).lean();

  it('ends with a change of the password', async () => {
    const { begin, post, replace } = await somebody();
    const secret = await begin();
    await replace();
    const answer = await post('totp/confirm', { code: codeOf(secret) });
    expect([answer.status, answer.json]).toEqual([400, none]);
  });

  it('ends with a reset of the password', async () => {
    const { token, username } = await app.account();
    const post = (path: string, body: object) => app.request('POST', `/api/v1/auth/${path}`, { token, body });
    const { secret } = (await post('totp', { password: PASSWORD })).json;
    const found = await app.services.members.byUsername(username);
    if (!found) throw new Error('nobody has that name');
    const path = await app.services.passwordResets.issue(found, 'the mail');
    const body = { token: path.split('#token=')[1], password: NEW, password2: NEW };
    expect((await app.request('POST', '/api/v1/auth/password-reset/confirm', { body })).status).toBe(204);
    expect(await atOnce(username)).not.toHaveProperty('totp_pending_sealed');
    const answer = await post('totp/confirm', { code: codeOf(secret) });
    expect([answer.status, answer.json]).toEqual([400, none]);
  });

  it('is not begun by a password that was replaced right before', async () => {
    const { post, replace } = await somebody();
    const { secondFactor } = app.services;
    const own = secondFactor.begin;
    const spy = vi.spyOn(secondFactor, 'begin').mockImplementationOnce(async (...args) => {
      await replace();
      return own.apply(secondFactor, args);
    });
    onTestFinished(() => spy.mockRestore());
    const answer = await post('totp', { password: PASSWORD });
    expect([answer.status, answer.json]).toEqual([400, { password: ['This is not your password.'] }]);
  });

  it.each([
    ['9 minutes', 200],
    ['11 minutes', 400],
  ])('is there still after %s: %i', async (age, status) => {
    const { token, username } = await app.account();
    const post = (path: string, body: object) => app.request('POST', `/api/v1/auth/${path}`, { token, body });
    const { secret } = (await post('totp', { password: PASSWORD })).json;
    const totp_pending_at = new Date(Date.now() - Number.parseInt(age, 10) * 60_000);
    await app.services.models.accounts.updateOne({ username }, { $set: { totp_pending_at } });
    const answer = await post('totp/confirm', { code: codeOf(secret) });
    expect(answer.status).toBe(status);
    if (status === 400) expect(answer.json).toEqual(late);
    if (status === 200) expect(await atOnce(username)).not.toHaveProperty('totp_pending_at');
  });

  it('by a version that wrote down no time begins again', async () => {
    const { token, username } = await app.account();
    const post = (path: string, body: object) => app.request('POST', `/api/v1/auth/${path}`, { token, body });
    const { secret } = (await post('totp', { password: PASSWORD })).json;
    await app.services.models.accounts.updateOne({ username }, { $unset: { totp_pending_at: 1 } });
    expect((await post('totp/confirm', { code: codeOf(secret) })).json).toEqual(late);
  });
});
