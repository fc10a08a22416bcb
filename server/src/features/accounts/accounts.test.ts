import type { CommandStartedEvent } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();
const PASSWORD = 'a long enough secret';
const TOO_LONG = 'Ensure this field has no more than 150 characters.';

let count = 0;
const someone = (more: object = {}) => {
  const username = `person-${++count}-${process.pid}`;
  return { username, email: `${username}@example.com`, password: PASSWORD, password2: PASSWORD, ...more };
};
const register = (body: unknown) => app.request('POST', '/api/v1/auth/register', { body });
const signIn = (body: unknown) => app.request('POST', '/api/v1/auth/api-token', { body });

describe('POST /api/v1/auth/register', () => {
  it('answers 201 with the message, and makes the first widget', async () => {
    const given = someone();
    const answer = await register(given);
    expect(answer.status).toBe(201);
    expect(answer.json).toEqual({ message: 'User registered successfully.' });
    const account = await app.services.accounts.byUsername(given.username);
    expect(await app.services.widgets.firstOf(account?._id ?? '')).toBeDefined();
  });

  it('asks for every field at once', async () => {
    const required = ['This field is required.'];
    expect((await register({})).json).toEqual({
      username: required,
      email: required,
      password: required,
      password2: required,
    });
  });

  it.each([
    ['a short name', { username: 'ab' }, 'username'],
    ['a space in the name', { username: 'a b c' }, 'username'],
    ['a name of 151', { username: 'a'.repeat(151) }, 'username'],
    ['no e-mail address', { email: 'nobody' }, 'email'],
    ['an e-mail address of 255', { email: `${'a'.repeat(243)}@example.com` }, 'email'],
    ['a short password', { password: 'k3x9!', password2: 'k3x9!' }, 'password'],
    ['digits only', { password: '8301946275', password2: '8301946275' }, 'password'],
    ['a common password', { password: 'password1', password2: 'password1' }, 'password'],
    ['two passwords', { password2: 'another long secret' }, 'password2'],
    ['a null name', { username: null }, 'username'],
    ['a number for a name', { username: 12345 }, 'username'],
    ['an operator for a name', { username: { $gt: '' } }, 'username'],
    ['a name that is longer when folded', { username: '\ufdfa'.repeat(150) }, 'username'],
    ['300 combining marks on a letter', { username: `abc${'\u0315\u0300'.repeat(150)}` }, 'username'],
    ['a quarter of a megabyte of marks', { username: `a${'\u0315\u0300'.repeat(64_500)}` }, 'username'],
    ['a NUL', { username: 'nul\0nul' }, 'username'],
  ])('refuses %s', async (_, wrong, field) => {
    const answer = await register(someone(wrong));
    expect(answer.status).toBe(400);
    expect(Object.keys(answer.json)).toEqual([field]);
    expect(answer.json[field]).toHaveLength(1);
  });

  it('takes a name that is as long as it may be when folded', async () => {
    const username = `${'\ufdfa'.repeat(7)}${process.pid}`;
    expect((await register(someone({ username }))).status).toBe(201);
    const answer = await signIn({ username: username.normalize('NFKC'), password: PASSWORD });
    expect(answer.status).toBe(200);
  });

  it('refuses a password like the username or the e-mail', async () => {
    const given = someone();
    const like = `${given.username}!`;
    expect((await register({ ...given, password: like, password2: like })).json.password).toContain(
      'The password is too similar to the username.',
    );
  });

  it('holds usernames and e-mail addresses unique without regard to case', async () => {
    const given = someone();
    await register(given);
    const sameName = await register(someone({ username: given.username.toUpperCase() }));
    expect(sameName.json).toEqual({ username: ['A user with that username already exists.'] });
    const sameEmail = await register(someone({ email: given.email.toUpperCase() }));
    expect(sameEmail.json).toEqual({ email: ['A user with that email already exists.'] });
  });

  it('makes one account of ten equal requests at once', async () => {
    const given = someone();
    const answers = await Promise.all(Array.from({ length: 10 }, () => register(given)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(9);
  });
});

describe('POST /api/v1/auth/api-token', () => {
  it('shows the same token each time, without regard to the case of the name', async () => {
    const { username } = someone();
    await register(someone({ username, email: `${username}@example.com` }));
    const first = await signIn({ username, password: PASSWORD });
    expect(first.status).toBe(200);
    expect(first.json).toEqual({ token: expect.stringMatching(/^[0-9a-f]{40}$/) });
    expect(first.headers['cache-control']).toBe('no-store');
    const second = await signIn({ username: username.toUpperCase(), password: PASSWORD });
    expect(second.json).toEqual(first.json);
  });

  it('makes a new one with reset_token, and the old one is dead at once', async () => {
    const { token, username } = await app.account();
    const { json } = await signIn({ username, password: PASSWORD, reset_token: true });
    expect(json.token).not.toBe(token);
    const old = await app.request('GET', '/api/v1/rooms/', { token });
    expect([old.status, old.json]).toEqual([401, { detail: 'Invalid token.' }]);
    expect((await app.request('GET', '/api/v1/rooms/', { token: json.token })).status).toBe(200);
  });

  it('says the same of a wrong password and an unknown name, after the same queries', async () => {
    const { username } = await app.account();
    const wrong = { non_field_errors: ['Unable to log in with provided credentials.'] };
    const asked: string[][] = [];
    for (const name of [username, 'nobody-of-that-name']) {
      const queries: string[] = [];
      const listen = ({ command: { find, filter } }: CommandStartedEvent) => {
        // Not those of who looks for events that were left behind, or writes the trail a moment later.
        if (['accounts', 'members'].includes(find) && !/events|emptied_at/.test(JSON.stringify(filter))) {
          queries.push(`${find} ${Object.keys(filter)}`);
        }
      };
      const client = app.services.connection.getClient().on('commandStarted', listen);
      const { status, json } = await signIn({ username: name, password: 'not the one' });
      client.off('commandStarted', listen);
      expect([status, json]).toEqual([400, wrong]);
      asked.push(queries);
    }
    expect(asked[0]).not.toEqual([]);
    expect(asked[1]).toEqual(asked[0]);
  });

  it.each([
    ['username', { password: PASSWORD }, 'This field is required.'],
    ['password', { username: 'ada', password: '' }, 'This field may not be blank.'],
    ['reset_token', { username: 'ada', password: PASSWORD, reset_token: 'true' }, 'Must be a valid boolean.'],
    ['username', { username: { $ne: null }, password: PASSWORD }, 'Not a valid string.'],
    ['username', { username: 'a'.repeat(151), password: PASSWORD }, TOO_LONG],
    ['username', { username: '\ufdfa'.repeat(150), password: PASSWORD }, TOO_LONG],
  ])('checks %s', async (field, body, message) => {
    const answer = await signIn(body);
    expect([answer.status, answer.json]).toEqual([400, { [field]: [message] }]);
  });

  it('ignores Idempotency-Key, so that no credential is stored for a replay', async () => {
    const { username, token } = await app.account();
    const headers = { 'idempotency-key': 'one' };
    await app.request('POST', '/api/v1/auth/api-token', { headers, body: { username, password: PASSWORD } });
    const other = await app.request('POST', '/api/v1/auth/api-token', {
      headers,
      body: { username, password: 'wrong' },
    });
    expect(other.status).toBe(400);
    const stored = await app.services.models.idempotency.find({}).lean();
    expect(JSON.stringify(stored)).not.toContain(token);
  });

  it('keeps no token or password readable in the database', async () => {
    const { token, id } = await app.account();
    const stored = JSON.stringify(await app.services.models.accounts.findOne({ _id: id }).lean());
    expect(stored).not.toContain(token);
    expect(stored).not.toContain(PASSWORD);
    expect(stored).toContain('$argon2id$');
  });
});

describe('Authorization', () => {
  it('takes the scheme word without regard to case', async () => {
    const { token } = await app.account();
    for (const word of ['Token', 'token', 'TOKEN']) {
      const headers = { authorization: `${word} ${token}` };
      expect((await app.request('GET', '/api/v1/rooms/', { headers })).status).toBe(200);
    }
  });

  it.each([
    ['none', undefined, 'Authentication credentials were not provided.'],
    ['another scheme', 'Bearer abc', 'Authentication credentials were not provided.'],
    ['the word alone', 'Token', 'Invalid token.'],
    ['an unknown token', `Token ${'0'.repeat(40)}`, 'Invalid token.'],
    ['spaces in it', 'Token a b', 'Invalid token.'],
    ['an operator', 'Token {"$gt":""}', 'Invalid token.'],
    ['a broken visitor token', 'Visitor v1.x', 'Invalid token.'],
  ])('answers 401 to %s', async (_, authorization, detail) => {
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
    const answer = await app.request('GET', '/api/v1/rooms/', { headers });
    expect([answer.status, answer.json]).toEqual([401, { detail }]);
    expect(answer.headers['www-authenticate']).toBe('Token');
  });
});

describe('passwords', () => {
  it('are hashed anew at the next sign-in when the cost has changed', async () => {
    const { id, username } = await app.account();
    const { accounts } = app.services.models;
    const { hash } = await import('@node-rs/argon2');
    const cheap = await hash(PASSWORD, { algorithm: 2, memoryCost: 8_192, timeCost: 1, parallelism: 1 });
    await accounts.updateOne({ _id: id }, { $set: { password: cheap } });
    expect((await signIn({ username, password: 'wrong' })).status).toBe(400);
    expect((await accounts.findOne({ _id: id }).lean())?.password).toBe(cheap);
    expect((await signIn({ username, password: PASSWORD })).status).toBe(200);
    expect((await accounts.findOne({ _id: id }).lean())?.password).toMatch(
      /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/,
    );
    expect((await signIn({ username, password: PASSWORD })).status).toBe(200);
  });

  it('match nothing that is no hash of theirs, or of a cost that holds up others', async () => {
    const { id, username } = await app.account();
    const { accounts } = app.services.models;
    const { password: own = '' } = (await accounts.findOne({ _id: id }).lean()) ?? {};
    for (const password of [
      'x',
      '',
      own.replace('t=2', 't=4000000000'),
      own.replace('m=19456', 'm=4194304'),
    ]) {
      await accounts.updateOne({ _id: id }, { $set: { password } });
      expect((await signIn({ username, password: PASSWORD })).status).toBe(400);
    }
    await accounts.updateOne({ _id: id }, { $set: { password: own } });
    expect((await signIn({ username, password: PASSWORD })).status).toBe(200);
  });
});
