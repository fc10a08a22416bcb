/**
 * The embedded database beside MongoDB: the same operation to both, the same answer from both, or a refusal by name.
 *
 * MONGODB_URL names the MongoDB to compare with. Without one the recorded cases still run: operations with the
 * answers that MongoDB gave (`differential-cases.json`, written by `DIFFERENTIAL_RECORD=1` with a MONGODB_URL).
 * DIFFERENTIAL_SEED and DIFFERENTIAL_COUNT say which random operations and how many (1 and 8 000).
 */
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BinProcess, startBin, temporaryFolder } from '../bin-process.ts';
import { seededRandom } from '../random.ts';
import { contentsText, runOperation } from './answers.ts';
import { type Case, readCases, writeCases } from './cases.ts';
import { compareList, describeDifference, type Pair, shrink, type Tally } from './compare.ts';
import { COLLECTION, firstInsert, randomOperation } from './operations.ts';

const REAL_URL = process.env.MONGODB_URL;
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const COUNT = Number(process.env.DIFFERENTIAL_COUNT ?? 8_000);
/** How many lists run side by side, each on a collection of its own: they share the waits for the disk. */
const LANES = 4;
/** Operations on one collection before the next one starts afresh. */
const LIST_LENGTH = 50;
/** More refusals than this would mean that the comparison says little. */
const MAX_REFUSED = 0.15;

const cases = readCases();
const folder = temporaryFolder();
let server: BinProcess;
let client: MongoClient;
let realClient: MongoClient | undefined;

beforeAll(async () => {
  server = await startBin(join(folder.path, 'data'), join(folder.path, 'db.sock'));
  client = await MongoClient.connect(server.url);
  if (REAL_URL) realClient = await MongoClient.connect(REAL_URL, { serverSelectionTimeoutMS: 5000 });
});

afterAll(async () => {
  for (let lane = 0; lane < LANES; lane++) await realClient?.db(`${realName}_${lane}`).dropDatabase();
  await realClient?.close();
  await client?.close();
  await server?.end('SIGTERM');
  folder.remove();
});

const realName = `parlor_differential_${process.pid}`;

function pair(lane: number): Pair {
  return {
    embedded: client.db(`differential${lane}`),
    real: (realClient as MongoClient).db(`${realName}_${lane}`),
  };
}

describe('recorded cases: what MongoDB answered', () => {
  /** All cases side by side, each in a database of its own, so that they share the waits for the disk. */
  const failures = new Map<string, string>();
  beforeAll(async () => {
    const waiting = [...cases.entries()];
    const lane = async () => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const failure = await runCase(client.db(`recorded${next[0]}`), next[1]);
        if (failure !== undefined) failures.set(next[1].name, failure);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  });

  test('there are some', () => expect(cases.length).toBeGreaterThan(50));

  test.each(cases.map(({ name }) => name))('%s', (name) => expect(failures.get(name)).toBeUndefined());
});

async function runCase(db: Db, { operations, answers }: Case): Promise<string | undefined> {
  for (const [i, operation] of operations.entries()) {
    const answer = await runOperation(db, operation);
    // A refused write leaves documents that the recording does not know.
    if (answer.isRefusal && operation.isWrite) return undefined;
    if (!answer.isRefusal && answer.text !== answers[i]) {
      return `embedded: ${answer.text} ${answer.detail ?? ''}\nMongoDB:  ${answers[i]}`;
    }
  }
  const held = await contentsText(db);
  return held === answers.at(-1) ? undefined : `embedded: ${held}\nMongoDB:  ${answers.at(-1)}`;
}

describe.runIf(REAL_URL)('beside MongoDB', () => {
  if (process.env.DIFFERENTIAL_RECORD) test('record the answers of all cases', { timeout: 120_000 }, record);

  test(`${COUNT} random operations, seed ${SEED}`, { timeout: 60_000 + COUNT * 30 }, async () => {
    const tally: Tally = { compared: 0, refused: 0, failed: 0 };
    let next = 0;
    const lane = async (number: number) => {
      while (tally.compared < COUNT) {
        const list = next++;
        const random = seededRandom(SEED * 1_000_003 + list);
        const operations = [firstInsert(random)];
        while (operations.length < LIST_LENGTH) operations.push(randomOperation(random));
        const difference = await compareList(pair(number), operations, tally);
        if (difference === undefined) continue;
        const shortest = await shrink(pair(number), difference);
        expect.fail(`seed ${SEED}, list ${list}:\n${describeDifference(shortest)}`);
      }
    };
    await Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
    const share = tally.refused / tally.compared;
    console.log(
      `${tally.compared} operations, ${tally.refused} refused by name (${(share * 100).toFixed(1)} %), ${tally.failed} failed alike`,
    );
    expect(share).toBeLessThan(MAX_REFUSED);
  });
});

async function record(): Promise<void> {
  const db = pair(0).real;
  for (const one of cases) {
    await db.dropCollection(COLLECTION);
    one.answers = [];
    for (const operation of one.operations) one.answers.push((await runOperation(db, operation)).text);
    one.answers.push(await contentsText(db));
  }
  writeCases(cases);
}
