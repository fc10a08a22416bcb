import { join } from 'node:path';
import mongoose from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { documentsWith } from './everything.ts';
import { type FaultPoint, startDoomedServer, startSlowServer } from './fault-points.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * The deletion of an account, killed or stalled on its way: once it is written down it is finished by whoever starts next,
 * before that nothing has happened, and nothing is deleted of an account that is read in after it.
 */

const PASSWORD = 'a long enough secret';

const PATIENCE = { timeout: 120_000, interval: 100 };

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

type AnAccount = { _id: string; username: string; emptied_at?: Date };

/** A server that stalls for `ms` milliseconds in the deletion of an account, and what comes after it. */
const stalled = async (collection: string, ms: number) => {
  const { settings, connection } = await start();
  const slowAt = { collection, method: 'deleteMany', ms };
  const server = await startSlowServer({ ...settings, LOG_LEVEL: 'info' }, slowAt);
  const { rest, widget } = await owner(server.url);
  await rest('POST', '/api/v1/rooms/', { label: 'ours' }, { 'Idempotency-Key': 'made once' });
  expect((await caller(server.url)('POST', `/api/v1/widgets/${widget}/sessions/`, {})).status).toBe(201);
  const { uuid } = (await rest('GET', '/api/v1/account/')).json;
  const file = join(await temporaryFolder(), 'ada.jsonl');
  const parlor = (...args: string[]) => spawnCommand(settings, args).result;
  expect(await parlor('export', 'ada', file)).toMatchObject({ code: 0 });
  const body = { username: 'ada', password: PASSWORD };
  expect((await rest('POST', '/api/v1/account/delete/', body)).status).toBe(204);
  return {
    server,
    settings,
    connection,
    uuid,
    readIn: async () => {
      const accounts = connection.collection<AnAccount>('accounts');
      const isEmptied = async () => (await accounts.findOne({ _id: uuid }))?.emptied_at;
      await expect.poll(isEmptied, PATIENCE).toBeInstanceOf(Date);
      expect(await parlor('import', file)).toEqual({ code: 0, out: 'imported ada\n', err: '' });
    },
    /** Where the one that stalled has ended, one way or the other. */
    left: async () => {
      await expect.poll(server.stderr, PATIENCE).toMatch(/account deleted|waits to be deleted/);
      const [rooms, widgets] = ['rooms', 'widgets'].map((name) => connection.collection(name));
      return [
        await rooms?.countDocuments({ account: uuid }),
        await widgets?.countDocuments({ account: uuid }),
        (await connection.collection<AnAccount>('accounts').findOne({ _id: uuid }))?.username,
      ];
    },
  };
};

it("is one process's at a time: nothing goes of the account that is read in after it", {
  timeout: 240_000,
}, async () => {
  const { settings, readIn, left } = await stalled('visitorsessions', 40_000);
  await startServerProcess(settings);
  await readIn();
  expect(await left()).toEqual([1, 1, 'ada']);
});

it('ends in a process that was stopped until another one had finished it', { timeout: 240_000 }, async () => {
  const { server, settings, connection, uuid, readIn, left } = await stalled('idempotencyclaims', 15_000);
  const widgets = () => connection.collection('widgets').countDocuments({ account: uuid });
  await expect.poll(widgets, PATIENCE).toBe(0);
  process.kill(server.pid, 'SIGSTOP');
  // As when its lease has run out.
  await connection.collection('registrationclaims').deleteMany({});
  await startServerProcess(settings);
  await readIn();
  process.kill(server.pid, 'SIGCONT');
  expect(await left()).toEqual([1, 1, 'ada']);
});
