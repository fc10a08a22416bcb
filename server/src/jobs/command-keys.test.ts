import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { type KeyRecordModel, keyRecordModel } from '../database/key-record.ts';
import { KEY_RECORD_ID } from '../database/recorded-keys.ts';
import { createLog } from '../platform/log.ts';
import { withKnownKeys } from './command-keys.ts';
import { type SenderModel, senderModel } from './origin-leases.model.ts';

let connection: mongoose.Connection;
let senders: SenderModel;
let records: KeyRecordModel;

beforeAll(async () => {
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
  senders = senderModel(connection);
  records = keyRecordModel(connection);
});

beforeEach(async () => {
  await records.deleteMany({});
  await records.insertOne({ _id: KEY_RECORD_ID, fingerprints: ['old', 'new'] });
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const run = <T>(sealed_by: string, work: () => Promise<T>) =>
  withKnownKeys(
    'import',
    {
      models: { webhookSenders: senders, secretKeys: records },
      keys: { held: { keys: [sealed_by], sealed_by } },
      beatEvery: 20,
      log: createLog('silent'),
    },
    work,
  );

/** Work that ends by itself only when it is told to. */
const endless = () => new Promise<never>(() => undefined);

const known = () => senders.find({}).lean();

it('is known as a living one for as long as its work takes', async () => {
  await run('old', async () => {
    expect(await known()).toMatchObject([{ command: 'import', keys: ['old'], sealed_by: 'old' }]);
    await expect.poll(async () => (await known())[0]?.beat).toBeGreaterThan(2);
  });
  expect(await known()).toEqual([]);
});

it('is written down again where others took it for dead', async () => {
  await run('old', async () => {
    await senders.deleteMany({});
    await expect.poll(known).toMatchObject([{ command: 'import' }]);
  });
});

it('begins no work where the database takes the key no more, or keys rotate seals by another', async () => {
  await expect(run('gone', endless)).rejects.toThrow('takes the key gone no more');
  await records.updateOne({}, { rotating_to: 'new' });
  await expect(run('old', endless)).rejects.toThrow('"keys rotate" seals everything by new');
  expect(await run('new', async () => 'done')).toBe('done');
  expect(await known()).toEqual([]);
});

it('ends when the database takes its key no more', async () => {
  const work = async () => {
    await records.updateOne({}, { fingerprints: ['new'] });
    return endless();
  };
  await expect(run('old', work)).rejects.toThrow('takes the key old no more');
  expect(await known()).toEqual([]);
});

it('goes on beside keys rotate that waits for it, and not once that has missed it', async () => {
  await run('old', async () => {
    await records.updateOne({}, { rotating_to: 'new' });
    const [before] = await known();
    await expect.poll(async () => (await known())[0]?.beat).toBeGreaterThan((before?.beat ?? 0) + 2);
  });
  const missed = async () => {
    await records.updateOne({}, { rotating_to: 'new' });
    await senders.deleteMany({});
    return endless();
  };
  await records.updateOne({}, { $unset: { rotating_to: 1 } });
  await expect(run('old', missed)).rejects.toThrow('"keys rotate" seals everything by new');
});
