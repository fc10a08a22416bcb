import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { newEvent } from '../dist/events/events.js';
import { webhookModels } from '../dist/features/webhooks/create-webhooks.js';
import { newDelivery } from '../dist/features/webhooks/delivery-body.js';
import { post, register } from './account.mjs';
import { probe } from './processes.mjs';
import { median } from './ratio.mjs';

const RATE = 200;
const HANGING = 10;
const SECONDS = Number(process.env.WEBHOOK_BENCH_SECONDS ?? 10);
const BACKLOG = Number(process.env.WEBHOOK_BENCH_BACKLOG ?? 100_000);

/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:8/hook';

/** @param {number[]} values @param {number} share */
const percentile = (values, share) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ??
  Number.NaN;

/** @param {import('node:http').RequestListener} answer */
const listen = async (answer) => {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { target: `http://127.0.0.1:${port}/hook`, close };
};

/** An account with a room. @param {string} url */
const startAccount = async (url) => {
  const { headers } = await register(url);
  const room = await post(`${url}/api/v1/rooms/`, {}, headers);
  return {
    /** @param {string} target */
    subscribe: (target) => post(`${url}/api/v1/webhooks/`, { event: 'message.added', target }, headers),
    /** @param {string} body */
    write: (body) => post(`${url}/api/v1/messages/`, { body, room: { uuid: room.uuid } }, headers),
  };
};

/** An account whose healthy subscriber notes when each message's first byte came. @param {string} url */
const startClient = async (url) => {
  /** @type {Map<string, number>} */
  const arrived = new Map();
  const { target, close } = await listen((request, response) => {
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
  const { subscribe, write } = await startAccount(url);
  await subscribe(target);

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
      posts.push(write(body).then(() => void answered.set(body, performance.now())));
    }
    await Promise.all(posts);
    for (const deadline = Date.now() + 60_000; ![...answered.keys()].every((body) => arrived.has(body)); ) {
      if (Date.now() > deadline) throw new Error('not all messages arrived');
      await sleep(20);
    }
    // A subscriber may hear of a message before its writer does.
    return [...answered].map(([body, at]) => Math.max(0, (arrived.get(body) ?? 0) - at));
  };
  return { latencies, close };
};

/** @param {number[]} values */
const show = (values) =>
  `p50 ${percentile(values, 0.5).toFixed(1)} ms   p99 ${percentile(values, 0.99).toFixed(1)} ms`;

/** Puts BACKLOG rows into the queue of a dead target. @param {string} url @param {string} mongodbUrl */
const queueUp = async (url, mongodbUrl) => {
  const { subscribe, write } = await startAccount(url);
  const { uuid: _id, event, target } = await subscribe(DEAD);
  const connection = await mongoose.createConnection(mongodbUrl, { dbName: 'parlor' }).asPromise();
  const { deliveries, webhooks } = webhookModels(connection);
  const account = (await webhooks.findOne({ _id }).lean())?.account ?? '';
  for (let at = 0; at < BACKLOG; at += 1_000) {
    const rows = Array.from({ length: Math.min(1_000, BACKLOG - at) }, (_, n) =>
      newDelivery(newEvent('message.added', account, new Date(), { body: `message ${at + n}` }), {
        _id,
        event,
        target,
      }),
    );
    await deliveries.collection.insertMany(/** @type {any} */ (rows));
  }
  // The server learns of its queue by an event.
  await write('the last one');
  await sleep(3_000);
  return async () => {
    await webhooks.deleteOne({ _id });
    await deliveries.collection.deleteMany({ account });
    await connection.close();
  };
};

/**
 * From a message's 201 to its subscriber's first byte.
 * @param {{ url: string, databaseUrl: string, probeSocket: string }} servers
 */
export const webhookLatency = async ({ url, databaseUrl, probeSocket }) => {
  const memory = async () => (await probe(probeSocket, '/memory')).held / 2 ** 20;
  const client = await startClient(url);
  await client.latencies(3);

  const hanging = await Promise.all(Array.from({ length: HANGING }, () => listen(() => undefined)));
  const besides = await startAccount(url);
  for (const { target } of hanging) await besides.subscribe(target);
  for (let n = 0; n < 10; n++) await besides.write('to those that hang');
  console.log(
    `201 to first byte, ${RATE}/s, ${HANGING} others hang       ${show(await client.latencies(SECONDS))}   goal p99 at most 100 ms`,
  );
  client.close();

  const other = await startClient(url);
  await other.latencies(2);
  // In turn, so that a machine whose speed drifts treats both alike.
  const alone = [await other.latencies(SECONDS)];
  const before = await memory();
  const clear = await queueUp(url, databaseUrl);
  const beside = [await other.latencies(SECONDS), await other.latencies(SECONDS)];
  const after = await memory();
  await clear();
  alone.push(await other.latencies(SECONDS));
  const p99 = (/** @type {number[][]} */ rounds) => median(rounds.map((round) => percentile(round, 0.99)));
  console.log(
    `… alone                                ${show(alone.flat())}\n` +
      `… beside ${BACKLOG} rows for a dead one  ${show(beside.flat())}   p99 ratio ${(p99(beside) / p99(alone)).toFixed(2)}   goal at most 1.5` +
      `   memory ${before.toFixed(0)} -> ${after.toFixed(0)} MiB`,
  );
  other.close();
  for (const { close } of hanging) close();
};
