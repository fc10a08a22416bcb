/** A transaction that fails is run again, each of its writes alone: nothing is counted twice. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { encode } from '../src/bson/document.ts';
import type { CommandCall } from '../src/command/command.ts';
import { update } from '../src/command/update.ts';
import { Engine } from '../src/query/engine.ts';
import { temporaryFolder } from './bin-process.ts';
import { failingTransactions } from './failing-transactions.ts';

test('an upsert after a long search', async () => {
  const folder = temporaryFolder();
  const engine = new Engine(folder.path);
  onTestFinished(async () => {
    vi.restoreAllMocks();
    await engine.close();
    folder.remove();
  });
  const { environment, catalog, writer } = engine;
  await environment.write(() => {
    const collection = catalog.ensure('test', 'a');
    for (let _id = 0; _id < 2_000; _id++) writer.insert(collection, { _id }, encode({ _id }));
  });
  // A clock by which any search takes long.
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => ++now);
  const failed = failingTransactions(environment);
  const updates = [{ q: { none: true }, u: { $set: { n: 1 } }, multi: true, upsert: true }];
  const body = { update: 'a', updates };
  const call = { engine, name: 'update', db: 'test', body, sequences: new Map() } as unknown as CommandCall;
  const answer = await update.run({ ...call, deadline: Number.POSITIVE_INFINITY });
  expect(answer).toMatchObject({ n: 1, upserted: [{ index: { value: 0 } }] });
  expect(catalog.get('test.a')?.count).toBe(2_001);
  expect(failed()).toBeGreaterThan(1);
});
