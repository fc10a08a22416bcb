import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { post, register } from './account.mjs';
import { latency } from './ratio.mjs';

const SMALL = 10_000;
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000);
const AT_ONCE = 5_000;
const WORDS = 20_000;
const WORDS_IN_A_MESSAGE = 10;

/** Numbers from 0 up to 1, the same in each run. */
const sequence = (/** @type {number} */ seed) => {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
};

/** The n-th word: two to five syllables, so that many begin alike. */
const wordOf = (/** @type {number} */ n) => {
  const random = sequence(n + 1);
  const syllables = 1 + Math.floor(random() * 3) + (n > 200 ? 1 : 0);
  return Array.from({ length: syllables }, () => {
    const consonant = 'bcdfghklmnprstvw'[Math.floor(random() * 16)];
    return `${consonant}${'aeiou'[Math.floor(random() * 5)]}${random() < 0.3 ? 'n' : ''}`;
  }).join('');
};
const VOCABULARY = Array.from({ length: WORDS }, (_, n) => wordOf(n));

/** As in any language, few words are most of a text. */
const textOf = (/** @type {() => number} */ random, /** @type {number} */ n) => {
  const words = Array.from(
    { length: WORDS_IN_A_MESSAGE },
    () => VOCABULARY[Math.floor(WORDS * random() ** 5)] ?? '',
  );
  // These two are said all the time, and never together.
  words.push(n % 2 ? 'uneven' : 'steady');
  if (n % 5_000 === 0) words.push(`order${n}`);
  return words.join(' ');
};

/** What people type, letter by letter, and what costs most. */
const QUERIES = {
  'a common word': () => VOCABULARY[3] ?? '',
  'a rare word': () => `order5000`,
  'a common and a rare word': () => `steady order5000`,
  'a word that nobody said': () => 'xylophone',
  'the beginning of a word': () => (VOCABULARY[12_345] ?? '').slice(0, 4),
  'a letter': () => 'x',
  'two words that never meet': () => 'steady uneven',
};

/**
 * A search among a million messages costs at most three times what it costs among ten thousand.
 * @param {{ url: string, databaseUrl: string }} servers
 */
export const search = async ({ url, databaseUrl }) => {
  const connection = await mongoose.createConnection(databaseUrl, { dbName: 'parlor' }).asPromise();
  const messages = /** @type {mongoose.mongo.Collection<any>} */ (connection.collection('messages'));
  const progress = /** @type {mongoose.mongo.Collection<any>} */ (connection.collection('searchprogresses'));

  /** An account with so many messages, one a second, past the API; they are indexed as after an import. */
  const accountOf = async (/** @type {number} */ rows) => {
    const { headers } = await register(url);
    const random = sequence(1);
    const room = await post(`${url}/api/v1/rooms/`, {}, headers);
    const body = { nickname: 'Ada', email: 'ada@example.com', body: 'Do you deliver?', room };
    const { uuid } = await post(`${url}/api/v1/messages/`, body, headers);
    const { _id, events, ...like } = await messages.findOne({ _id: uuid });
    const first = Date.now() - rows * 1_000;
    for (let n = 0; n < rows; n += AT_ONCE) {
      await messages.insertMany(
        Array.from({ length: Math.min(AT_ONCE, rows - n) }, (_, i) => ({
          ...like,
          _id: crypto.randomUUID(),
          body: textOf(random, n + i),
          sent_at: new Date(first + (n + i) * 1_000),
        })),
        { ordered: false, writeConcern: { w: 1, j: false } },
      );
      if (process.stderr.isTTY) process.stderr.write(`\r${n + AT_ONCE} of ${rows} messages `);
    }
    const started = performance.now();
    await progress.insertOne({
      _id: like.account,
      account: like.account,
      is_done: false,
      leased_until: new Date(0),
    });
    while (await progress.countDocuments({ is_done: false })) await sleep(1_000);
    const seconds = (performance.now() - started) / 1_000;
    console.log(`${'search index'.padEnd(36)} ${rows} messages in ${seconds.toFixed(0)} s`);
    return headers;
  };

  const small = await accountOf(SMALL);
  const large = await accountOf(LARGE);
  for (const [name, query] of Object.entries(QUERIES)) {
    const path = `${url}/api/v1/search/?q=${encodeURIComponent(query())}`;
    const load = { url: path, connections: 2, duration: 3 };
    const few = await latency({ ...load, headers: small });
    const many = await latency({ ...load, headers: large });
    const text = `p99 ${few.toFixed(1)} ms among ${SMALL}, ${many.toFixed(1)} ms among ${LARGE}: ${(many / few).toFixed(2)} times that`;
    console.log(`${`search for ${name}`.padEnd(36)} ${text}   goal at most 3, and 100 ms`);
  }
  await connection.close();
};
