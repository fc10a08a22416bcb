import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { createServices } from '../dist/compose.js';
import { createIndexes } from '../dist/create-indexes.js';
import { wholeAccount } from '../dist/features/members/view.js';
import { loadConfig } from '../dist/platform/config.js';
import { createLog } from '../dist/platform/log.js';
import { median } from './ratio.mjs';

const AT_ONCE = 16;
const MESSAGES = 1_500;
const ROUNDS = 5;

/**
 * What the outbox costs a message: services.messages.create against the same without the event in the document,
 * in turn. First with the event alone, which is what a request waits for; then with the relay at work beside it,
 * realtime and taking out included, on a machine that does nothing else.
 * @param {{ databaseUrl: string }} servers
 */
export const outbox = async ({ databaseUrl }) => {
  const connection = await mongoose
    .createConnection(databaseUrl, {
      dbName: 'parlor_bench_outbox',
      autoIndex: false,
      autoCreate: false,
      writeConcern: { w: 'majority', j: true },
    })
    .asPromise();
  await connection.dropDatabase();
  const config = loadConfig({ RATE_LIMIT: 'off', MONGODB_URL: databaseUrl, SECRET_KEY: 'x'.repeat(40) });
  const log = createLog('warn');
  await createIndexes(config, connection, log);
  const services = await createServices(config, connection, 'x'.repeat(40), log);
  const account = randomUUID();
  const room = await services.rooms.create(account, { name: '', rating: null, is_bot_use: false });
  const { relay, models } = services;
  const announce = relay.announce.bind(relay);
  const { collection } = models.messages;
  const insertOne = collection.insertOne.bind(collection);
  const insertMany = collection.insertMany.bind(collection);
  const bare = (/** @type {any} */ { events, ...message }) => message;

  const rate = async (/** @type {boolean} */ withEvent, /** @type {boolean} */ withRelay) => {
    relay.announce = withRelay ? announce : () => undefined;
    // Messages that come at the same time are inserted by one command.
    collection.insertOne = /** @type {any} */ (
      withEvent ? insertOne : (/** @type {any} */ one, /** @type {any} */ how) => insertOne(bare(one), how)
    );
    collection.insertMany = /** @type {any} */ (
      withEvent
        ? insertMany
        : (/** @type {any[]} */ all, /** @type {any} */ how) => insertMany(all.map(bare), how)
    );
    const begun = performance.now();
    let left = MESSAGES;
    const loop = async () => {
      while (left-- > 0)
        await services.messages.create(
          async () => wholeAccount(account),
          {
            body: 'Do you deliver on Sundays?',
            nickname: 'Ada',
            email: 'ada@example.com',
            phone_number: '',
            is_support_sender: false,
            room: { uuid: room._id },
          },
          { client: '127.0.0.1', uuid: undefined },
        );
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
    return MESSAGES / ((performance.now() - begun) / 1_000);
  };

  const compare = async (/** @type {string} */ name, /** @type {boolean} */ withRelay, goal = '') => {
    await rate(true, withRelay);
    await rate(false, false);
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++)
      rounds.push({ with: await rate(true, withRelay), without: await rate(false, false) });
    const costs = rounds.map((round) => 100 * (1 - round.with / round.without));
    console.log(
      `${name.padEnd(36)}  ${median(costs).toFixed(0)} % ` +
        `(${Math.min(...costs).toFixed(0)}–${Math.max(...costs).toFixed(0)} %)   ` +
        `${median(rounds.map((round) => round.with)).toFixed(0)}/s against ` +
        `${median(rounds.map(({ without }) => without)).toFixed(0)}/s${goal}`,
    );
  };

  await compare('Cost of the event in a message', false, '   goal at most 10 %');
  await models.messages.deleteMany({});
  await services.start();
  await compare('… and of the relay beside it', true);
  await services.stop();
  await connection.dropDatabase();
  await connection.close();
};
