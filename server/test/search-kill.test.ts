import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { type FaultPoint, startDoomedServer } from './fault-points.ts';
import { caller, owner } from './rest.ts';
import { serverSettings, sharedSettings, startServerProcess } from './server-process.ts';

/** What was acknowledged is found, whenever a server is killed. */

const segments = { collection: 'searchsegments' };
const POINTS: FaultPoint[] = [
  { name: 'before words are stored', dieAt: { ...segments, method: 'insertMany', when: 'before' } },
  { name: 'after words are stored', dieAt: { ...segments, method: 'insertMany', when: 'after' } },
  {
    name: 'after a message is stored',
    dieAt: { collection: 'messages', method: 'insertOne', when: 'after' },
  },
];

type Rest = ReturnType<typeof caller>;

/** The texts of all pages of a search. */
const foundBy = async (rest: Rest, token: string, url: string, q: string): Promise<string[]> => {
  const texts: string[] = [];
  for (let next = `${url}/api/v1/search/?kind=message&limit=50&q=${q}`; next !== ''; ) {
    const answer = await fetch(next, { headers: { Authorization: `Token ${token}` } });
    expect(answer.status).toBe(200);
    for (const { matches } of (await answer.json()) as any[]) texts.push(matches[0].text);
    next = /<([^>]+)>/.exec(answer.headers.get('link') ?? '')?.[1] ?? '';
  }
  expect((await rest('GET', '/api/v1/account/')).status).toBe(200);
  return texts.sort();
};

describe('a message that was acknowledged is found', () => {
  it.each(POINTS.map((point) => [point.name, point] as const))(
    'when the server dies %s',
    { timeout: 240_000 },
    async (_, point) => {
      const settings = { ...(await serverSettings()), RATE_LIMIT: 'off' };
      // The words of the account's first rooms are stored, too.
      const doomed = await startDoomedServer(settings, point, 8);
      const { token, rest } = await owner(doomed.url);
      const room = (await rest('POST', '/api/v1/rooms/', {})).json;
      const said: string[] = [];
      for (let n = 0; n < 200; n++) {
        const body = { body: `word${n} acknowledged`, room: { uuid: room.uuid } };
        const answer = await rest('POST', '/api/v1/messages/', body).catch(() => undefined);
        if (answer?.status !== 201) break;
        said.push(body.body);
        await sleep(12);
      }
      await doomed.ended;
      expect(said.length).toBeGreaterThan(3);
      const server = await startServerProcess(settings);
      const again = caller(server.url, `Token ${token}`);
      await expect
        .poll(() => foundBy(again, token, server.url, 'acknowledged'), { timeout: 60_000, interval: 200 })
        .toEqual(expect.arrayContaining(said));
    },
  );
});

it('what was there before is found in the end, whoever is killed in between', {
  timeout: 240_000,
}, async () => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const first = await startServerProcess(settings);
  const { token, rest } = await owner(first.url);
  const room = (await rest('POST', '/api/v1/rooms/', { name: 'before' })).json;
  await first.end('SIGTERM');
  const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
  const [messages, index, progress] = ['messages', 'searchsegments', 'searchprogresses'].map((name) =>
    connection.collection<any>(name),
  );
  const { account } = (await connection.collection<any>('rooms').findOne({ _id: room.uuid })) ?? {};
  // As an older version leaves it.
  await index?.deleteMany({});
  await progress?.deleteMany({});
  const from = { room: room.uuid, account, nickname: '', email: '', phone_number: '', is_bot: false };
  for (let n = 0; n < 10; n++) {
    await messages?.insertMany(
      Array.from({ length: 2_000 }, (_, i) => ({
        _id: randomUUID(),
        ...from,
        is_support_sender: false,
        body: `${i % 100 === 0 ? 'seldom' : 'often'} said ${n}-${i}`,
        sent_at: new Date(Date.now() - (n * 2_000 + i) * 1_000),
      })),
    );
  }
  const lines = async () => {
    const found = (await index?.find({ kind: 'message' }, { projection: { count: 1 } }).toArray()) ?? [];
    return found.reduce((sum, { count }) => sum + count, 0);
  };
  const between: number[] = [];
  for (let kills = 0; kills < 3 && (await lines()) < 20_000; kills++) {
    const before = await lines();
    const server = await startServerProcess(settings);
    while ((await lines()) === before) await sleep(5);
    await server.end('SIGKILL');
    between.push(await lines());
    // Nobody waits for the lease of one that is dead.
    await progress?.updateMany({}, { $set: { leased_until: new Date(0) } });
    await connection.collection('registrationclaims').deleteMany({});
  }
  // It was killed while it was at work.
  expect(between.some((count) => count > 0 && count < 20_000)).toBe(true);
  const server = await startServerProcess(settings);
  await expect
    .poll(() => progress?.countDocuments({ is_done: false }), { timeout: 120_000, interval: 200 })
    .toBe(0);
  const again = caller(server.url, `Token ${token}`);
  expect(new Set(await foundBy(again, token, server.url, 'seldom')).size).toBe(200);
  expect((await foundBy(again, token, server.url, 'seldom')).length).toBe(200);
  expect((await again('GET', '/api/v1/search/?q=before')).json.map(({ uuid }: any) => uuid)).toEqual([
    room.uuid,
  ]);
  await connection.close();
});
