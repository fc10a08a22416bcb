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
