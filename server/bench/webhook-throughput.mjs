import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import mongoose from 'mongoose';
import { Pool } from 'undici';
import { newEvent } from '../dist/events/events.js';
import { Tombstones } from '../dist/events/tombstones.js';
import { tombstoneModel } from '../dist/events/tombstones.model.js';
import { createWebhooks, webhookModels } from '../dist/features/webhooks/create-webhooks.js';
import { newDelivery } from '../dist/features/webhooks/delivery-body.js';
import { OriginLeases } from '../dist/jobs/origin-leases.js';
import { loadConfig } from '../dist/platform/config.js';
import { createLog } from '../dist/platform/log.js';
import { Secrets } from '../dist/platform/secrets.js';
import { startProgram } from './processes.mjs';
import { median } from './ratio.mjs';

const BODIES = Number(process.env.WEBHOOK_BENCH_BODIES ?? 5_000);
const ROUNDS = 3;

/** As many at a time as the sender has for one subscription. */
const PER_SUBSCRIPTION = 4;

const RECEIVER = fileURLToPath(new URL('./webhook-receiver.mjs', import.meta.url));

/**
 * Empties a queue of deliveries with Parlor's sender, and posts the same bodies with undici alone, in turn.
 * @param {{ databaseUrl: string }} servers
 */
export const webhookThroughput = async ({ databaseUrl }) => {
  const target = await startProgram([RECEIVER], {}, /^(http:\S+)$/m);
  const connection = await mongoose
    .createConnection(databaseUrl, {
      dbName: 'parlor_bench_webhooks',
      writeConcern: { w: 'majority', j: true },
    })
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

  const relay = { announce: () => undefined };
  const sent = async () => {
    const log = createLog('warn');
    const { webhookSenders: senders, webhookOrigins: origins } = models;
    const { webhooks, sender } = createWebhooks({
      models,
      outbox: { relay, tombstones: new Tombstones(tombstoneModel(connection), relay) },
      config: loadConfig({ WEBHOOK_ALLOW_PRIVATE: 'true' }),
      secrets: new Secrets('a secret key for the bench only, 40 long'),
      leases: new OriginLeases({ senders, origins, isOnlyProcess: true, log }),
      unfinishedImports: { has: async () => false },
      log,
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
    // Until the last one is in the log as delivered.
    while ((await models.deliveries.findOne({ queue: webhook._id }, { _id: 1 }).lean()) !== null)
      await sleep(20);
    const rate = BODIES / ((performance.now() - begun) / 1_000);
    await sender.stop();
    return { rate, bodies: rows.map(({ body }) => body) };
  };

  await bare((await sent()).bodies);
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { rate, bodies } = await sent();
    rounds.push({ rate, bareRate: await bare(bodies) });
  }
  const ratios = rounds.map(({ rate, bareRate }) => rate / bareRate);
  console.log(
    `Deliveries to one fast target         ratio ${median(ratios).toFixed(2)} ` +
      `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})   ` +
      `${median(rounds.map(({ rate }) => rate)).toFixed(0)}/s against ` +
      `${median(rounds.map(({ bareRate }) => bareRate)).toFixed(0)}/s   goal at least 0.4`,
  );
  await connection.dropDatabase();
  await connection.close();
};
