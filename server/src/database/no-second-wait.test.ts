import { expect, it, onTestFinished } from 'vitest';
import { startGate } from '../../test/database-gate.ts';
import { connectToMongodb } from './connect.ts';

/** A connection behind a gate. */
const open = async (timeout: number) => {
  const gate = await startGate();
  const url = `mongodb://127.0.0.1:${gate.port}/parlor_test_waits?directConnection=true`;
  const database = await connectToMongodb('MONGODB_URL', url);
  onTestFinished(() => database.close());
  return { gate, connection: await database.withDeadlines(timeout) };
};

it('asks once what is not answered within the deadline', async () => {
  const { gate, connection } = await open(1_000);
  const held = gate.hold(/unanswered/);
  const asked = connection.collection('none').findOne({ _id: 'unanswered' as never });
  await expect(asked).rejects.toMatchObject({ name: 'MongoNetworkTimeoutError' });
  expect(held()).toBe(1);
  expect(await connection.collection('none').findOne({ _id: 'another' as never })).toBeNull();
});

it('asks again where the connection breaks', async () => {
  const { gate, connection } = await open(5_000);
  await connection.collection('none').findOne({});
  gate.cutAfter(/interrupted/);
  expect(await connection.collection('none').findOne({ _id: 'interrupted' as never })).toBeNull();
});
