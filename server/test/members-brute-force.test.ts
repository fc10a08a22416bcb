import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type AtEnd, type ServerProcess, sharedSettings, startServerProcess } from './server-process.ts';
import { afterThem } from './shared-server.ts';

/** Guessing what members sign in with, at two processes on one database. */

const PASSWORD = 'a long enough secret';

interface Answer {
  status: number;
  text: string;
  json: any;
  headers: Headers;
}

const startPair = async (limits: Record<string, string>, atEnd: AtEnd = onTestFinished) => {
  const settings = { ...(await sharedSettings(atEnd)), ...limits };
  return Promise.all([1, 2].map(() => startServerProcess(settings, undefined, atEnd)));
};

let shared: ServerProcess[];
const atEnd = afterThem();
beforeAll(async () => {
  // What one username has is limited more closely, and is what this is about.
  shared = await startPair({ RATE_LIMIT_SIGN_IN: '100' }, atEnd);
});

/** Guesses at one of two processes after the other. */
const start = (servers = shared) => {
  let turn = 0;
  /** Asks one process after the other. */
  const post = async (path: string, body: object, token = ''): Promise<Answer> => {
    const { url } = servers[turn++ % 2] ?? { url: '' };
    const answer = await fetch(`${url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Token ${token}` }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      text,
      json: text ? JSON.parse(text) : undefined,
      headers: answer.headers,
    };
  };
  const register = async (username: string) => {
    await post('register', {
      username,
      email: `${username}@example.com`,
      password: PASSWORD,
      password2: PASSWORD,
    });
    return (await post('api-token', { username, password: PASSWORD })).json.token as string;
  };
  onTestFinished(async () => {
    for (const server of servers) {
      // Whatever was guessed, nobody reads it in a log.
      expect(server.stdout() + server.stderr()).not.toContain('guess');
      expect(server.stdout() + server.stderr()).not.toContain(PASSWORD);
    }
  });
  return { post, register };
};

const statusesOf = (answers: readonly Answer[]): number[] => answers.map(({ status }) => status);

describe('guesses', () => {
  it('of a password are five a minute, whichever route and process they are tried at', async () => {
    const { post, register } = start();
    const token = await register('ada');
    const tries = [
      await post('api-token', { username: 'ada', password: 'guess 1' }),
      await post('session', { username: 'ADA', password: 'guess 2' }),
      await post('password', { old_password: 'guess 3', password: 'x', password2: 'x' }, token),
      await post('totp', { password: 'guess 4' }, token),
      await post('totp/disable', { password: 'guess 5' }, token),
    ];
    expect(statusesOf(tries)).toEqual([400, 400, 400, 400, 400]);
    // Now the right one is not tried either.
    const late = [
      await post('api-token', { username: 'ada', password: PASSWORD }),
      await post('session', { username: 'ada', password: PASSWORD }),
      await post('totp/disable', { password: PASSWORD }, token),
    ];
    expect(statusesOf(late)).toEqual([429, 429, 429]);
    for (const { headers } of late) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('of a code count as those of a password', async () => {
    const { post, register } = start();
    const token = await register('grace');
    const { secret } = (await post('totp', { password: PASSWORD }, token)).json;
    const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
    expect((await post('totp/confirm', { code }, token)).status).toBe(200);
    const guess = (text: string) => post('session', { username: 'grace', password: PASSWORD, code: text });
    const tries = [];
    for (const text of ['000000', 'guess-guess-guess-guess', code, '', '999999'])
      tries.push(await guess(text));
    expect(statusesOf(tries)).toEqual([400, 400, 400, 400, 400]);
    expect((await guess('123456')).status).toBe(429);
  });

  it('of a username that nobody has are answered like those of one that somebody has', async () => {
    const { post, register } = start();
    await register('hedy');
    const known: Answer[] = [];
    const unknown: Answer[] = [];
    for (let count = 0; count < 6; count++) {
      known.push(await post('session', { username: 'hedy', password: 'guess' }));
      unknown.push(await post('session', { username: 'nobody', password: 'guess' }));
    }
    const shapes = (answers: readonly Answer[]) =>
      answers.map(({ status, text, headers }) => [
        status,
        text.replace(/\d+ seconds/, 'n seconds'),
        [...headers.keys()].sort(),
      ]);
    expect(shapes(known)).toEqual(shapes(unknown));
    expect(statusesOf(known)).toEqual([400, 400, 400, 400, 400, 429]);
  });

  it('of an invitation are few from one address', async () => {
    const { post } = start(await startPair({}));
    const answers: Answer[] = [];
    for (let count = 0; count < 14; count++) {
      answers.push(
        await post('accept-invitation', {
          token: `guess-${count}`,
          username: `somebody-${count}`,
          password: PASSWORD,
          password2: PASSWORD,
        }),
      );
    }
    expect(statusesOf(answers)).toEqual([...Array(10).fill(400), ...Array(4).fill(429)]);
  });
});
