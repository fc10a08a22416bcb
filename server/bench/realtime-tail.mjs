// node realtime-tail.mjs MONGODB_URL
// What following the log of recent events costs a server process that has clients, while nothing happens: the time
// that this process uses with it, less what it uses without, in turn. Prints the rounds as JSON, in per cent of a
// core.
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { EventIds } from '../dist/features/realtime/event-ids.js';
import { EventLog } from '../dist/features/realtime/event-log.js';
import { eventLogEntryModel, eventLogHeadModel } from '../dist/features/realtime/event-log.model.js';
import { Tail } from '../dist/features/realtime/tail.js';
import { Secrets } from '../dist/platform/secrets.js';

const ROUNDS = 5;
/** Longer than it takes a tail to find that it is quiet. */
const SETTLE = 7_000;
const SECONDS = 6;

const connection = await mongoose
  .createConnection(process.argv[2] ?? '', { dbName: 'parlor_bench_tail' })
  .asPromise();
const entries = eventLogEntryModel(connection);
const head = eventLogHeadModel(connection);
const ids = new EventIds(new Secrets('a key of more than 32 characters, of this bench'));
await Promise.all([entries.createIndexes(), head.createIndexes()]);

/** @returns per cent of a core */
const used = async () => {
  const { user, system } = process.cpuUsage();
  await sleep(SECONDS * 1_000);
  const after = process.cpuUsage();
  return (after.user + after.system - user - system) / 10_000 / SECONDS;
};

/** @type {number[]} */
const costs = [];
for (let i = 0; i < ROUNDS; i++) {
  const log = new EventLog(entries, head, ids, () => {});
  const tail = new Tail(
    log,
    () => {},
    () => true,
    pino({ level: 'silent' }),
  );
  await tail.start();
  await sleep(SETTLE);
  const following = await used();
  await tail.stop();
  await sleep(500);
  costs.push(following - (await used()));
}
console.log(`done ${JSON.stringify(costs)}`);
await connection.close();
