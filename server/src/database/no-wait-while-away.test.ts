import { expect, it, onTestFinished } from 'vitest';
import { startGate } from '../../test/database-gate.ts';
import { connectToMongodb } from './connect.ts';
import { patienceWith } from './no-wait-while-away.ts';
import { databaseAway } from './unavailable.ts';

const TIMEOUT_MS = 20_000;

/** A connection behind a gate, on which one operation looks for a server for 8 s. */
const open = async () => {
  const gate = await startGate();
  const url = `mongodb://127.0.0.1:${gate.port}/parlor_test_waits?directConnection=true`;
  const database = await connectToMongodb('MONGODB_URL', url);
  onTestFinished(() => database.close());
  const connection = await database.withDeadlines(TIMEOUT_MS);
  const find = () => connection.collection('none').findOne({});
  await find();
  return { gate, find };
};

it('waits once for all operations while a database is away, and for none once it is known', async () => {
  const { gate, find } = await open();
  gate.shut();
  const failures: unknown[] = [];
  const begun = performance.now();
  // Each by itself would wait for 8 s.
  for (let n = 0; n < 10; n++) await find().catch((error) => failures.push(error));
  expect(performance.now() - begun).toBeLessThan(TIMEOUT_MS);
  expect(failures.map(databaseAway)).toEqual(Array.from({ length: 10 }, () => true));

  gate.reopen();
  await expect.poll(() => find().catch(() => 'away'), { timeout: 10_000 }).toBeNull();
}, 60_000);

it('waits for a database that comes back in time', async () => {
  const { gate, find } = await open();
  for (let n = 0; n < 2; n++) {
    gate.shut();
    const found = [find(), find()];
    setTimeout(() => gate.reopen(), 1_000);
    expect(await Promise.all(found)).toEqual([null, null]);
  }
}, 60_000);

it('waits for an election as long as one takes, where other members are there', () => {
  const servers = (...types: string[]) => ({
    servers: new Map(types.map((type, n) => [`host${n}`, { type }])),
  });
  expect(patienceWith(servers('Unknown', 'RSSecondary', 'RSSecondary') as never, 4_000)).toBe(15_000);
  expect(patienceWith(servers('Unknown', 'Unknown') as never, 4_000)).toBe(4_000);
  expect(patienceWith(servers('Unknown') as never, 20_000)).toBe(20_000);
});
