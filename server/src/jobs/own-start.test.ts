import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { type KeyRecordModel, keyRecordModel } from '../database/key-record.ts';
import { KEPT_STARTS, KEY_RECORD_ID, type KeyRecord } from '../database/recorded-keys.ts';
import { OwnStart } from './own-start.ts';

let connection: mongoose.Connection;
let records: KeyRecordModel;

beforeAll(async () => {
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
  records = keyRecordModel(connection);
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const record = async (): Promise<KeyRecord> => {
  const found = await records.findById(KEY_RECORD_ID).lean<KeyRecord>();
  if (!found) throw new Error('there is no record');
  return found;
};

const start = async () => {
  const own = new OwnStart();
  await own.count(records);
  return own;
};

it('is known to the record from its count on, and not to an earlier one, whatever has started on that', async () => {
  expect(await new OwnStart().count(records)).toBeNull();
  expect(new OwnStart().isCounted).toBe(false);
  // As an older version left it.
  await records.create({ _id: KEY_RECORD_ID, fingerprints: ['a'] });
  const first = await start();
  const kept = await record();
  const second = await start();
  for (const own of [first, second])
    expect([own.isCounted, own.isForgottenBy(await record())]).toEqual([true, false]);

  await records.replaceOne({ _id: KEY_RECORD_ID }, kept);
  expect([first, second].map((own) => own.isForgottenBy(kept))).toEqual([false, true]);
  await start();
  await start();
  const now = await record();
  expect(now.starts).toBe(3);
  expect([first, second].map((own) => own.isForgottenBy(now))).toEqual([false, true]);
});

it('is taken for known after more starts than are kept by their ids', async () => {
  const own = await start();
  for (let n = 0; n < KEPT_STARTS; n++) {
    expect(own.isForgottenBy(await record())).toBe(false);
    await start();
  }
  const now = await record();
  expect(now.started).toHaveLength(KEPT_STARTS);
  expect(own.isForgottenBy(now)).toBe(false);
});
