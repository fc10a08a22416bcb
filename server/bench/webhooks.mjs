// Webhooks, measured on a server and a database of their own: node server/bench/webhooks.mjs
// MONGODB_URL names a MongoDB to use instead of the embedded database.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { Pool } from 'undici';
import { loadConfig } from '../dist/config.js';
import { createLog } from '../dist/log.js';
import { newEvent } from '../dist/outbox/events.js';
import { Secrets } from '../dist/secrets.js';
import { createWebhooks, webhookModels } from '../dist/webhooks/create-webhooks.js';
import { newDelivery } from '../dist/webhooks/delivery-body.js';
import { endPrograms, startProgram } from './processes.mjs';
import { median } from './ratio.mjs';

const RATE = 200;
const HANGING = 10;
const SECONDS = Number(process.env.WEBHOOK_BENCH_SECONDS ?? 10);
const BACKLOG = Number(process.env.WEBHOOK_BENCH_BACKLOG ?? 100_000);
const BODIES = Number(process.env.WEBHOOK_BENCH_BODIES ?? 2_000);
const PER_SUBSCRIPTION = 4;

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));

/** @param {number[]} values @param {number} share */
const percentile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

/** @param {import('node:http').RequestListener} answer */
const listen = async (answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return { server, target: `http://127.0.0.1:${port}/hook` };
};

/** @param {string} url @param {string} [token] @returns {(path: string, body: object) => Promise<any>} */
const poster = (url, token) => async (path, body) => {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Token ${token}` }) },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
};

/** An account with a room and a healthy subscriber that notes when each message's first byte came. @param {string} url */
const startClient = async (url) => {
  /** @type {Map<string, number>} */
  const arrived = new Map();
  const { server, target } = await listen((request, response) => {
    const at = performance.now();
    let text = '';
    request.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
    });
    request.once('end', () => {
      arrived.set(JSON.parse(text).data.body, at);
      response.end();
    });
  });
  const username = `bench-${randomUUID().slice(0, 8)}`;
  const password = 'a long enough secret';
  const email = `${username}@example.com`;
  await poster(url)('/api/v1/auth/register', { username, email, password, password2: password });
  const { token } = await poster(url)('/api/v1/auth/api-token', { username, password });
  const post = poster(url, token);
  const room = await post('/api/v1/rooms/', {});
  await post('/api/v1/webhooks/', { event: 'message.added', target });

  /** Posts at a steady rate; the milliseconds from each 201 to the subscriber's first byte. @param {number} seconds */
  const latencies = async (seconds) => {
    /** @type {Map<string, number>} */
    const answered = new Map();
    const begun = performance.now();
    /** @type {Promise<void>[]} */
    const posts = [];
    for (let n = 0; n < seconds * RATE; n++) {
      await sleep(Math.max(0, begun + (n * 1_000) / RATE - performance.now()));
      const body = randomUUID();
      posts.push(
        post('/api/v1/messages/', { body, room: { uuid: room.uuid } }).then(() => {
          answered.set(body, performance.now());
        }),
      );
    }
    await Promise.all(posts);
    for (const deadline = Date.now() + 60_000; ![...answered.keys()].every((body) => arrived.has(body)); ) {
      if (Date.now() > deadline) throw new Error('not all messages arrived');
      await sleep(20);
    }
    // A subscriber may hear of a message before its writer does.
    return [...answered].map(([body, at]) => Math.max(0, (arrived.get(body) ?? 0) - at));
  };
  return { post, latencies, close: () => server.closeAllConnections() ?? server.close() };
};

/** @param {number[]} values */
const show = (values) =>
  `p50 ${percentile(values, 0.5).toFixed(1)} ms   p99 ${percentile(values, 0.99).toFixed(1)} ms`;

/** @param {{ url: string, mongodbUrl: string }} servers */
const measureLatency = async ({ url, mongodbUrl }) => {
  const client = await startClient(url);
  await client.latencies(2);
  const alone = await client.latencies(SECONDS);
  console.log(`201 to first byte, ${RATE}/s, alone           ${show(alone)}`);

  const dead = await listen(() => undefined);
  const connection = await mongoose.createConnection(mongodbUrl, { dbName: 'parlor' }).asPromise();
  const { deliveries, webhooks } = webhookModels(connection);
  const webhook = { _id: randomUUID(), event: /** @type {const} */ ('message.added'), target: dead.target };
  const known = await webhooks.findOne({}).lean();
  await webhooks.collection.insertOne(
    /** @type {any} */ ({
      ...known,
      ...webhook,
      account: 'backlog',
      target_key: 'backlog',
      since: new Date(),
    }),
  );
  for (let at = 0; at < BACKLOG; at += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, BACKLOG - at) }, (_, n) =>
      newDelivery(newEvent('message.added', 'backlog', new Date(), { body: `message ${at + n}` }), webhook),
    );
    await deliveries.collection.insertMany(/** @type {any} */ (rows));
  }
  // The first look at what waits is once a minute; the pause begins when ten attempts have timed out.
  if (BACKLOG > 0) await sleep(65_000 + 5_000);
  const beside = await client.latencies(SECONDS);
  const ratio = percentile(beside, 0.99) / percentile(alone, 0.99);
  console.log(
    `… beside ${BACKLOG} rows for a dead target      ${show(beside)}   p99 ratio ${ratio.toFixed(2)}   goal at most 1.5`,
  );
  await webhooks.deleteOne({ _id: webhook._id });
  await deliveries.collection.deleteMany({ account: 'backlog' });
  await connection.close();
  dead.server.closeAllConnections();
  dead.server.close();

  const hanging = await Promise.all(Array.from({ length: HANGING }, () => listen(() => undefined)));
  for (const { target } of hanging)
    await client.post('/api/v1/webhooks/', { event: 'message.added', target });
  const besideHanging = await client.latencies(SECONDS);
  console.log(
    `… while ${HANGING} other targets hang                ${show(besideHanging)}   goal p99 at most 100 ms`,
  );
  for (const { server } of hanging) {
    server.closeAllConnections();
    server.close();
  }
  client.close();
};

/** Empties a queue of deliveries with Parlor's sender, and posts the same bodies with undici alone, in turn. */
const measureThroughput = async (/** @type {string} */ mongodbUrl) => {
  const target = await startProgram([here('./webhook-receiver.mjs')], {}, /^(http:\S+)$/m);
  const connection = await mongoose
    .createConnection(mongodbUrl, { dbName: 'parlor_bench_webhooks' })
    .asPromise();
  await connection.dropDatabase();
  const models = webhookModels(connection);
  for (const model of Object.values(models)) await model.createIndexes();

  const bare = async (/** @type {string[]} */ bodies) => {
    const pool = new Pool(new URL(target).origin, { connections: PER_SUBSCRIPTION });
    const begun = performance.now();
    let next = 0;
    const loop = async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const answer = await pool.request({
          method: 'POST',
          path: '/hook',
          headers: { 'content-type': 'application/json' },
          body,
        });
        await answer.body.dump();
      }
    };
    await Promise.all(Array.from({ length: PER_SUBSCRIPTION }, loop));
    await pool.close();
    return bodies.length / ((performance.now() - begun) / 1_000);
  };

  const sent = async () => {
    const { webhooks, sender } = createWebhooks({
      models,
      config: loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'true' }),
      secrets: new Secrets('a secret key for the bench only, 40 long'),
      isOnlyProcess: true,
      log: createLog('warn'),
    });
    const account = randomUUID();
    const webhook = await webhooks.create(account, { event: 'message.added', target });
    const data = {
      uuid: randomUUID(),
      nickname: 'Ada',
      email: 'ada@example.com',
      body: 'Do you deliver on Sundays?',
    };
    const rows = Array.from({ length: BODIES }, () =>
      newDelivery(newEvent('message.added', account, new Date(), data), webhook),
    );
    await models.deliveries.collection.insertMany(/** @type {any} */ (rows));
    const begun = performance.now();
    sender.start();
    while ((await models.deliveries.findOne({ queue: webhook._id }, { _id: 1 }).lean()) !== null)
      await sleep(20);
    const rate = BODIES / ((performance.now() - begun) / 1_000);
    await sender.stop();
    return { rate, bodies: rows.map(({ body }) => body) };
  };

  await bare((await sent()).bodies);
  const rounds = [];
  for (let round = 0; round < 3; round++) {
    const { rate, bodies } = await sent();
    rounds.push({ rate, bareRate: await bare(bodies) });
  }
  const ratio = median(rounds.map(({ rate, bareRate }) => rate / bareRate));
  console.log(
    `Deliveries to one fast target         ratio ${ratio.toFixed(2)}   ` +
      `${median(rounds.map(({ rate }) => rate)).toFixed(0)}/s against ` +
      `${median(rounds.map(({ bareRate }) => bareRate)).toFixed(0)}/s   goal at least 0.4`,
  );
  await connection.dropDatabase();
  await connection.close();
};

const dataDir = await mkdtemp(join(tmpdir(), 'parlor-bench-'));
try {
  const given = process.env.MONGODB_URL;
  const socket = join(dataDir, 'mongodb.sock');
  const mongodbUrl = given ?? `mongodb://${encodeURIComponent(socket)}/?directConnection=true`;
  const url = await startProgram(
    [here('../dist/main.js')],
    {
      PORT: '0',
      DATA_DIR: join(dataDir, 'data'),
      SECRET_KEY: 'a secret key for the bench only, 40 long',
      LOG_LEVEL: 'error',
      RATE_LIMIT: 'off',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      ...(!given && { EMBEDDED_MONGODB_LISTEN: socket }),
    },
    /^Parlor is ready: (\S+)\/$/m,
  );
  console.log(`Webhooks on ${given ? 'the MongoDB of MONGODB_URL' : 'the embedded database'}:`);
  const wanted = process.argv[2];
  if (wanted !== 'latency') await measureThroughput(mongodbUrl);
  if (wanted !== 'throughput') await measureLatency({ url, mongodbUrl });
} finally {
  await endPrograms();
  await rm(dataDir, { recursive: true, force: true });
}
