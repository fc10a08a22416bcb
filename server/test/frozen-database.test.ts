import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { SLACK_MS, startDatabase, startFrozen, TIMEOUT_MS, timed } from './frozen-server.ts';

it.skipIf(process.platform === 'win32')(
  'a frozen database is told in time, and nothing is lost of what was acknowledged before',
  { timeout: 90_000 },
  async () => {
    const { server, database, receiver, api, headers, post } = await startFrozen();
    await post('/webhooks/', { event: 'message.added', target: receiver.url });
    const room = (await (await fetch(`${api}/rooms/`, { method: 'POST', headers })).json()) as {
      uuid: string;
    };
    const say = (body: string, key: string) =>
      post('/messages/', { body, room: { uuid: room.uuid } }, { 'Idempotency-Key': key });

    // The last is acknowledged a moment before: its event has hardly left the document.
    expect((await say('before', randomUUID())).status).toBe(201);
    database.process.kill('SIGSTOP');
    const key = randomUUID();
    const [readiness, metrics, ...answers] = await Promise.all([
      timed(`${server.url}/readyz`),
      timed(`${server.url}/metrics`, { headers: { Authorization: 'Bearer m' } }),
      timed(`${api}/rooms/`, { headers }),
      say('meanwhile', key),
      post('/widgets/', {}),
    ]);
    expect(readiness).toMatchObject({ status: 503, retryAfter: '1' });
    expect(readiness?.took).toBeLessThan(2_000 + SLACK_MS);
    expect(metrics?.status).toBe(200);
    expect(metrics?.took).toBeLessThan(2_000 + SLACK_MS);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' });
      expect(answer.took).toBeLessThan(TIMEOUT_MS + SLACK_MS);
    }
    expect(await (await fetch(`${server.url}/healthz`)).json()).toEqual({ status: 'alive' });

    database.process.kill('SIGCONT');
    await expect
      .poll(async () => (await timed(`${server.url}/readyz`)).status, { timeout: 60_000 })
      .toBe(200);
    // It may have been stored all the same: its key makes it one message, whichever.
    await expect.poll(async () => (await say('meanwhile', key)).status, { timeout: 60_000 }).toBe(201);
    for (const text of ['before', 'meanwhile']) await receiver.find(({ body }) => body === text);
  },
);

it.skipIf(process.platform === 'win32')(
  'what waits when a database freezes is told soon after, and what was told so can be asked again at once',
  { timeout: 120_000 },
  async () => {
    const { server, database, api, headers, post } = await startFrozen();
    const room = (await (await fetch(`${api}/rooms/`, { method: 'POST', headers })).json()) as {
      uuid: string;
    };
    const say = (body: string, key: string) =>
      post('/messages/', { body, room: { uuid: room.uuid } }, { 'Idempotency-Key': key });
    // A list of them takes a while.
    for (let n = 0; n < 60; n++) await say('🦉'.repeat(9_900), randomUUID());
    const lists = Array.from({ length: 80 }, () =>
      timed(`${api}/rooms/?limit=1000&messages_limit=500`, { headers }),
    );
    const keys = Array.from({ length: 30 }, () => randomUUID());
    await Promise.race(lists);
    const said = keys.map((key) => say(key, key));
    await Promise.race(said);
    database.process.kill('SIGSTOP');
    const answers = await Promise.all([...lists, ...said]);
    expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 201, 503]));
    for (const { status, took } of answers) {
      expect([200, 201, 503]).toContain(status);
      // The first of them take the whole time, and the next one finds no database.
      expect(took).toBeLessThan(TIMEOUT_MS * 2 + SLACK_MS);
    }

    database.process.kill('SIGCONT');
    await expect
      .poll(async () => (await timed(`${server.url}/readyz`)).status, { timeout: 60_000 })
      .toBe(200);
    const statuses: number[] = [];
    await Promise.all(
      keys.map((key) =>
        expect
          .poll(
            async () => {
              const { status } = await say(key, key);
              statuses.push(status);
              return status;
            },
            { timeout: 60_000 },
          )
          .toBe(201),
      ),
    );
    expect(statuses).not.toContain(409);
  },
);

it.skipIf(process.platform === 'win32')(
  'a command on a frozen database has ended when it has said so',
  { timeout: 90_000 },
  async () => {
    const database = await startDatabase();
    const env = { MONGODB_URL: database.url, SECRET_KEY: 'a secret key for the tests only, 40 long' };
    database.process.kill('SIGSTOP');
    const { child, result } = spawnCommand(env, ['account', 'token', 'ada']);
    const [line] = await once(child.stderr, 'data');
    expect(String(line)).toMatch(
      /^MONGODB_URL \S+ can't be reached: Server selection timed out after 5000 ms\n$/,
    );
    // The driver's own time-out is 25 s more.
    await expect.poll(() => child.exitCode, { timeout: 20_000 }).toBe(1);
    expect(await result).toMatchObject({ code: 1, out: '' });
  },
);
