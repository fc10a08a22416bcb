import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServices } from '../dist/compose.js';
import { createIndexes } from '../dist/create-indexes.js';
import { connectDatabase } from '../dist/database/connect.js';
import { wholeAccount } from '../dist/features/members/view.js';
import { loadConfig } from '../dist/platform/config.js';
import { createLog } from '../dist/platform/log.js';
import { median, spread } from './ratio.mjs';

const AT_ONCE = 16;
const MESSAGES = 1_000;
const ROOMS = 20;
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11);

const WORDS = Array.from({ length: 2_000 }, (_, n) => `word${(n * 7_919).toString(36)}`);
const textOf = (/** @type {number} */ n) =>
  Array.from({ length: 12 }, (_, i) => WORDS[(n * 31 + i * i * 17) % WORDS.length]).join(' ');

/**
 * What the search costs a message: everything that follows from messages, until no event is left in them, with the index
 * and without, in turn. All of it runs in this process, the embedded database too.
 * @param {{ dataDir: string, mongodbUrl: string | undefined }} servers
 */
export const searchCost = async ({ dataDir, mongodbUrl }) => {
  const config = loadConfig({
    RATE_LIMIT: 'off',
    SECRET_KEY: 'x'.repeat(40),
    DATA_DIR: join(dataDir, 'search-cost'),
    ...(mongodbUrl && { MONGODB_URL: mongodbUrl.replace(/\/(?=\?|$)/, '/parlor_bench_search') }),
  });
  const log = createLog('warn');
  const database = await connectDatabase(config);
  await createIndexes(config, database.connection, log);
  const services = await createServices(config, database.connection, database.secretKey, log);
  await services.start();
  const { models, rooms, messages, searchIndex } = services;
  const account = randomUUID();
  await models.accounts.collection.insertOne(/** @type {any} */ ({ _id: account, created_at: new Date() }));
  const talks = [];
  for (let n = 0; n < ROOMS; n++)
    talks.push(await rooms.create(account, { name: '', rating: null, is_bot_use: false }));
  const consume = searchIndex.consume;

  let said = 0;
  const round = async (/** @type {boolean} */ withSearch) => {
    Object.assign(searchIndex, { consume: withSearch ? consume : async () => undefined });
    const cpu = process.cpuUsage();
    const begun = performance.now();
    let left = MESSAGES;
    const loop = async () => {
      while (left-- > 0)
        await messages.create(
          async () => wholeAccount(account),
          {
            body: textOf(++said),
            nickname: 'Ada',
            email: 'ada@example.com',
            phone_number: '',
            is_support_sender: false,
            room: { uuid: talks[said % ROOMS]?._id ?? '' },
          },
          { client: '127.0.0.1', uuid: undefined },
        );
    };
    await Promise.all(Array.from({ length: AT_ONCE }, loop));
    while (await models.messages.findOne({ events: { $exists: true } }, { _id: 1 }).lean()) await sleep(5);
    const wallMs = performance.now() - begun;
    const { user, system } = process.cpuUsage(cpu);
    return { wallMs, cpuMs: (user + system) / 1_000 };
  };

  await round(true);
  await round(false);
  const rounds = [];
  for (let n = 0; n < ROUNDS; n++) {
    // Whoever comes first has the smaller database.
    const first = n % 2 === 0;
    const one = await round(first);
    const other = await round(!first);
    rounds.push(first ? { with: one, without: other } : { with: other, without: one });
  }
  for (const [name, field] of /** @type {const} */ ([
    ['wall', 'wallMs'],
    ['CPU', 'cpuMs'],
  ])) {
    const each = (/** @type {'with' | 'without'} */ kind) =>
      median(rounds.map((one) => one[kind][field] / MESSAGES)).toFixed(3);
    const costs = rounds.map((one) => 100 * (one.with[field] / one.without[field] - 1));
    console.log(
      `${`Cost of the search, ${name}`.padEnd(36)} ${spread(costs, 1)} %   ${each('with')} against ${each('without')} ms a message   goal at most 10 %`,
    );
  }
  await services.stop();
  if (mongodbUrl) await database.connection.dropDatabase();
  await database.close();
};
