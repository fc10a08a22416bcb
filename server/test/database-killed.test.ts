import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { expect, inject, it, onTestFinished } from 'vitest';
import { countsOf, type Talk } from './conversation-model.ts';
import { Steps } from './conversation-steps.ts';
import { testMembers } from './members.ts';
import { connect } from './realtime-client.ts';
import { seeded } from './realtime-seeded.ts';
import { remoteApp } from './remote-app.ts';
import { startServerProcess } from './server-process.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

const BIN = fileURLToPath(new URL('../embedded-mongodb/dist/bin.js', import.meta.url));

/** How often the database is killed; more by the environment. */
const ROUNDS = Number(process.env.DATABASE_KILL_ROUNDS ?? 3);
const TALKS = 6;

/** A database in a process of its own, which is killed and started again on the same data. */
const startDatabase = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-killed-'));
  const args = [BIN, join(folder, 'data'), join(folder, 'db.sock')];
  let child: ChildProcess;
  const start = async (): Promise<string> => {
    child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const [line] = await once(child.stdout as NonNullable<typeof child.stdout>, 'data');
    return String(line).trim();
  };
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  onTestFinished(async () => {
    await kill();
    await rm(folder, { recursive: true, force: true });
  });
  return { url: await start(), start, kill };
};

// The engine that stands in for a MongoDB in tests loses the last of what it has acknowledged with `j: true` when it is killed.
it.skipIf(inject('isRealMongodb'))(
  `keeps what was acknowledged and what follows from it when its database is killed, ${ROUNDS} times`,
  {
    timeout: 60_000 + ROUNDS * 30_000,
  },
  async () => {
    const database = await startDatabase();
    const receiver = await startWebhookReceiver();
    const settings = {
      PORT: '0',
      MONGODB_URL: database.url,
      SECRET_KEY: 'a secret key for the tests only, 40 long',
      REGISTRATION: 'open',
      RATE_LIMIT: 'off',
      DATABASE_TIMEOUT: '3s',
      WEBHOOK_RETRY_DELAYS: Array(30).fill('250ms').join(),
    };
    const servers = [await startServerProcess(settings), await startServerProcess(settings)];
    const apps = servers.map(({ url }) => remoteApp(url));
    const connection = await mongoose.createConnection(database.url, { dbName: 'parlor' }).asPromise();
    connection.on('error', () => undefined);
    onTestFinished(() => connection.close());

    let turn = 0;
    /** Asks again, under the same key, until it is acknowledged. */
    const request: (typeof apps)[number]['request'] = async (method, path, options = {}) => {
      const headers = { ...options.headers, ...(method === 'POST' && { 'idempotency-key': randomUUID() }) };
      for (;;) {
        const app = apps[turn++ % apps.length] as (typeof apps)[number];
        const answer = await app.request(method, path, { ...options, headers }).catch(() => undefined);
        if (answer && answer.status < 500 && answer.status !== 409) return answer;
        await sleep(100);
      }
    };
    const world = {
      ...remoteApp(servers[0]?.url ?? ''),
      request,
      database: connection,
      people: testMembers({ request }),
    };
    const steps = new Steps(world, seeded(ROUNDS));
    await steps.begin(TALKS);
    const { owner } = steps;
    await request('POST', '/api/v1/webhooks/', {
      token: owner.token,
      body: { event: 'message.added', target: receiver.url },
    });
    const allSaid = () => steps.talks.flatMap((talk) => talk.said.map(({ id }) => id));
    const early = new Set(allSaid());
    const listening = await connect(servers[1]?.url ?? '', { token: owner.token });

    let isOn = true;
    const talkOn = async (talk: Talk): Promise<void> => {
      for (; isOn; await sleep(20 * steps.random())) {
        await (steps.chance(0.6) ? steps.visitorSays(talk) : steps.memberSays(talk));
      }
    };
    const talking = steps.talks.map(talkOn);
    const known = () => allSaid().length;
    for (let round = 0; round < ROUNDS; round++) {
      const before = known();
      await expect.poll(known).toBeGreaterThan(before + 20);
      await sleep(200 * Math.random());
      await database.kill();
      await sleep(500 * Math.random());
      await database.start();
    }
    const before = known();
    await expect.poll(known, { timeout: 30_000 }).toBeGreaterThan(before + 20);
    isOn = false;
    await Promise.all(talking);

    const waiting = () =>
      Promise.all(
        ['messages', 'rooms', 'conversations'].map((name) =>
          connection.collection(name).countDocuments({ 'events.0': { $exists: true } }),
        ),
      ).then((counts) => counts.reduce((sum, count) => sum + count));
    await expect.poll(waiting, { timeout: 30_000 }).toBe(0);

    // What was acknowledged is there, once; what was told follows from it.
    const found = await connection
      .collection('messages')
      .find({}, { projection: { _id: 1 } })
      .toArray();
    const stored = found.map(({ _id }) => String(_id)).sort();
    expect(stored).toEqual(allSaid().sort());
    for (const one of steps.people) {
      const seen = steps.talks.filter((talk) => talk.isSeenBy(one));
      for (const talk of seen) {
        const { json } = await steps.ask(200, one.token, 'GET', `conversations/${talk.uuid}/`);
        const time = (text: string | null) => (text === null ? null : Date.parse(text));
        const shown = {
          ...json,
          waiting_since: time(json.waiting_since),
          first_response_at: time(json.first_response_at),
          last_message: json.last_message?.uuid ?? null,
          name: json.visitor.name,
        };
        expect(shown, talk.history.join('\n')).toMatchObject(talk.shownTo(one.uuid));
      }
      const widgets = steps.widgets.map(({ uuid }) => uuid);
      const { json } = await steps.ask(200, one.token, 'GET', 'conversations/counts/');
      expect(json).toEqual(countsOf(seen, one, { widgets, tags: steps.tags }));
    }

    // Each message under one id, at least once; those of before the webhook under none.
    const ids = new Map<string, Set<unknown>>();
    const hear = () => {
      for (const { body, headers } of receiver.received.splice(0)) {
        const { uuid } = JSON.parse(body).data;
        ids.set(uuid, (ids.get(uuid) ?? new Set()).add(headers['webhook-id']));
      }
      return ids.size;
    };
    const missing = () => hear() && stored.filter((id) => !early.has(id) && !ids.has(id));
    await expect.poll(missing, { timeout: 60_000 }).toEqual([]);
    expect([...ids.values()].filter(({ size }) => size !== 1)).toEqual([]);

    // The socket that was open all the time is told of what comes now, and was told of the rest or to read it.
    const [talk] = steps.talks as [Talk];
    await steps.visitorSays(talk);
    const last = talk.said.at(-1)?.id;
    await listening.find(
      ({ type, ...frame }) => type === 'message.added' && (frame as any).data.uuid === last,
    );
    const told = new Set(listening.events().map(({ data }) => data.uuid));
    const isBehind = listening.frames.some(({ type }) => type === 'resync');
    expect(isBehind || stored.every((id) => told.has(id) || early.has(id))).toBe(true);
  },
);
