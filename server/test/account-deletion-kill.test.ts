import mongoose from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { documentsWith } from './everything.ts';
import { type FaultPoint, startDoomedServer } from './fault-points.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/**
 * The deletion of an account, killed on its way: once it is written down it is finished by whoever starts next, and
 * before that nothing has happened.
 */

const PASSWORD = 'a long enough secret';

/** What was stored while it ran goes with the second time, a minute after, or with the sweep after that (milliseconds). */
const GONE_WITHIN = { timeout: 180_000, interval: 200 };

const start = async () => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  onTestFinished(() => connection.close());
  return { settings, connection };
};

const killed = async (dieAt: FaultPoint['dieAt']) => {
  const { settings, connection } = await start();
  const doomed = await startDoomedServer(settings, { name: '', dieAt });
  const { rest } = await owner(doomed.url);
  const { uuid: room } = (await rest('POST', '/api/v1/rooms/', {})).json;
  const message = { body: 'Hello', nickname: 'Grace', room: { uuid: room } };
  expect((await rest('POST', '/api/v1/messages/', message)).status).toBe(201);
  const { uuid } = (await rest('GET', '/api/v1/account/')).json;
  await rest('POST', '/api/v1/account/delete/', { username: 'ada', password: PASSWORD }).catch(
    () => undefined,
  );
  await doomed.ended;
  const { url } = await startServerProcess(settings);
  const signIn = () => caller(url)('POST', '/api/v1/auth/api-token', { username: 'ada', password: PASSWORD });
  return { signIn, connection, uuid };
};

it('has done nothing before it is written down', async () => {
  const { signIn } = await killed({ collection: 'accounts', method: 'updateOne', when: 'before' });
  expect((await signIn()).status).toBe(200);
});

/** Where the first server is killed. */
const POINTS: Readonly<Record<string, FaultPoint['dieAt']>> = {
  'as it is written down': { collection: 'accounts', method: 'updateOne', when: 'after' },
  'after messages': { collection: 'messages', method: 'deleteMany', when: 'after' },
  'after widgets': { collection: 'widgets', method: 'deleteMany', when: 'after' },
  'before the account itself is emptied': { collection: 'accounts', method: 'replaceOne', when: 'before' },
};

it('is finished by the next start once it is written down', { timeout: 240_000 }, async () => {
  const finished = async ([when, dieAt]: [string, FaultPoint['dieAt']]) => {
    const { connection, signIn, uuid } = await killed(dieAt);
    // That it is gone stands there for a minute, and whose it was does not.
    const gone = `accounts {"_id":"${uuid}","username":""`;
    await vi.waitFor(async () => {
      const left = await documentsWith({ connection }, uuid);
      expect(
        left.filter((one) => !one.startsWith(gone)),
        when,
      ).toEqual([]);
    }, GONE_WITHIN);
    expect(await documentsWith({ connection }, /"ada/), when).toEqual([]);
    expect((await signIn()).status, when).toBe(400);
  };
  // Each mostly waits for the second time: all of them wait together.
  await Promise.all(Object.entries(POINTS).map(finished));
});
