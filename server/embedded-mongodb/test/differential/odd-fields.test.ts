/**
 * Commands whose fields are missing, null or of a wrong type: never an error of JavaScript's, never no answer; and
 * beside MongoDB (MONGODB_URL) its error numbers, or a refusal by name.
 */
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BinProcess, startBin, temporaryFolder } from '../bin-process.ts';
import { seededRandom } from '../random.ts';
import { COLLECTION, DOCUMENTS, type Oddity, oddities, randomOddity } from './odd-commands.ts';

const REAL_URL = process.env.MONGODB_URL;
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
/** Commands that are odd in two places. */
const PAIRS = 500;
const REFUSED = 238;
const JAVASCRIPT = 1;
/** Longer than any of these commands takes on a busy machine: what takes longer hangs. */
const HANGS_MS = 20_000;
const DB = `parlor_odd_${process.pid}`;

/** What is knowingly different, by what it is and why. */
const DIFFERENT: readonly [what: RegExp, why: string][] = [
  [
    /^(hello|isMaster|hostInfo|listDatabases|endSessions|connectionStatus):/,
    'not in the MongoDB of the tests',
  ],
  [/^dropIndexes: index/, 'an index that is not there is error 27 in MongoDB 7.0, and none in a later one'],
  [/^getMore: (collection|batchSize|lastKnown)/, 'two mistakes at once: its number of a cursor is no long'],
  [/^find: (find|writeConcern\.w) /, 'two mistakes at once: it takes no write concern'],
  [/^aggregate: .*\$count \[\]/, 'both refuse it, by different numbers'],
  [/^explain: explain\.aggregate /, 'an aggregation without a collection is not known here'],
  [/^create: autoIndexId /, 'a field of MongoDB 7.0 that later ones have not'],
];

const folder = temporaryFolder();
let server: BinProcess;
let client: MongoClient;
let realClient: MongoClient | undefined;

beforeAll(async () => {
  server = await startBin(join(folder.path, 'data'), join(folder.path, 'db.sock'));
  client = await MongoClient.connect(server.url, { socketTimeoutMS: HANGS_MS });
  if (REAL_URL) realClient = await MongoClient.connect(REAL_URL, { serverSelectionTimeoutMS: 5000 });
});

afterAll(async () => {
  await realClient?.db(DB).dropDatabase();
  await realClient?.close();
  await client?.close();
  await server?.end('SIGTERM');
  folder.remove();
});

/** The collection as every command finds it. */
async function fill(db: Db): Promise<void> {
  await db.dropDatabase();
  await db.command({ insert: COLLECTION, documents: DOCUMENTS });
  await db.command({ createIndexes: COLLECTION, indexes: [{ key: { a: 1 }, name: 'a_1' }] });
}

interface Answer {
  /** 0 when it went well. */
  code: number;
  text: string;
}

async function answerOf(from: MongoClient, { command, db, isWrite }: Oddity): Promise<Answer> {
  let answer: Answer = { code: 0, text: '' };
  try {
    const reply = await from.db(db ?? DB).command(command);
    const [error] = reply.writeErrors ?? [];
    if (error) answer = { code: Number(error.code), text: error.errmsg };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    answer = { code: code === undefined ? Number.NaN : Number(code), text: message };
  }
  if (isWrite && answer.code === 0) await fill(from.db(DB));
  return answer;
}

/** Runs one, and says what leaked, if something did. */
async function leakOf(oddity: Oddity): Promise<string | undefined> {
  const { code, text } = await answerOf(client, oddity);
  return code === JAVASCRIPT || Number.isNaN(code) ? `${oddity.text}: ${code} ${text}` : undefined;
}

test('no field leads to an error of JavaScript or to no answer', { timeout: 300_000 }, async () => {
  await fill(client.db(DB));
  const leaks: string[] = [];
  let tried = 0;
  for (const oddity of oddities(DB)) {
    tried++;
    const leak = await leakOf(oddity);
    if (leak !== undefined) leaks.push(leak);
  }
  expect(leaks).toEqual([]);
  expect(tried).toBeGreaterThan(3_000);
});

test(`nor do two at once, seed ${SEED}`, { timeout: 120_000 }, async () => {
  await fill(client.db(DB));
  const random = seededRandom(SEED);
  const leaks: string[] = [];
  for (let i = 0; i < PAIRS; i++) {
    const leak = await leakOf(randomOddity(DB, random));
    if (leak !== undefined) leaks.push(leak);
  }
  expect(leaks).toEqual([]);
});

test.runIf(REAL_URL)('the same error as MongoDB', { timeout: 600_000 }, async () => {
  const both = [client, realClient as MongoClient];
  await Promise.all(both.map((one) => fill(one.db(DB))));
  const differences: string[] = [];
  let compared = 0;
  for (const oddity of oddities(DB)) {
    if (DIFFERENT.some(([known]) => known.test(oddity.text))) continue;
    compared++;
    const [embedded, real] = (await Promise.all(both.map((one) => answerOf(one, oddity)))) as [
      Answer,
      Answer,
    ];
    if (embedded.code === real.code || embedded.code === REFUSED) continue;
    differences.push(`${oddity.text}: ${embedded.code} ${embedded.text} | ${real.code} ${real.text}`);
  }
  expect(differences).toEqual([]);
  expect(compared).toBeGreaterThan(2_500);
});
