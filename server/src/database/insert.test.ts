import mongoose from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { startGate } from '../../test/database-gate.ts';
import { insertMissing, insertOnce } from './insert.ts';
import { databaseUnavailable } from './unavailable.ts';

const app = testApp();

const room = (label: string, account = 'account', _id: string = crypto.randomUUID()) => ({
  _id,
  label,
  account,
  name: '',
  rating: null,
  is_bot_use: false,
  created_at: new Date(),
  version: 1,
  // Left out, not stored as null.
  bot: undefined as never,
});

it('inserts what comes at the same time, and refuses each document for itself', async () => {
  const { rooms } = app.services.models;
  const account = crypto.randomUUID();
  const first = room('label-0', account);
  const all = [
    first,
    ...Array.from({ length: 30 }, (_, n) => room(`label-${n + 1}`, account)),
    // The same again, as a retry; and another room with a label that is taken.
    { ...first },
    room('label-7', account),
  ];
  const settled = await Promise.allSettled(all.map((one) => insertOnce(rooms, one)));
  expect(settled.slice(0, 31).map(({ status }) => status)).toEqual(Array(31).fill('fulfilled'));
  expect(settled[31]).toMatchObject({
    status: 'fulfilled',
    value: { isNew: false, stored: { _id: first._id } },
  });
  expect(settled[32]).toMatchObject({
    status: 'rejected',
    reason: { code: 11_000, keyPattern: { account: 1, label: 1 } },
  });
  expect(await rooms.countDocuments({ account })).toBe(31);
  expect(await rooms.collection.findOne({ _id: first._id as never })).not.toHaveProperty('bot');
});

it('inserts what finds its place taken by a document that is deleted the next moment', async () => {
  const { rooms } = app.services.models;
  const one = room(`label-${crypto.randomUUID()}`);
  for (const before of [one, { ...one, _id: crypto.randomUUID() }]) {
    await rooms.collection.insertOne({ ...before } as never);
    const find = rooms.findOne.bind(rooms) as (...given: unknown[]) => unknown;
    const finding = vi.spyOn(rooms, 'findOne').mockImplementation(((...given: [{ _id?: string }]) => {
      // What goes on in the background looks for others.
      if (given[0]._id !== one._id) return find(...given);
      finding.mockRestore();
      const lean = () => rooms.deleteOne({ _id: before._id }).then(() => rooms.findOne(...given).lean());
      return { lean };
    }) as never);
    expect(await insertOnce(rooms, one)).toEqual({ stored: one, isNew: true });
    await rooms.deleteOne({ _id: one._id });
  }
});

it('takes nothing for inserted while the database is away, however many come together', async () => {
  const { rooms } = app.services.models;
  const gate = await startGate();
  const options = { serverSelectionTimeoutMS: 300, dbName: rooms.db.name };
  const connection = mongoose.createConnection(
    `mongodb://127.0.0.1:${gate.port}/?directConnection=true`,
    options,
  );
  onTestFinished(() => connection.close(true));
  await connection.asPromise();
  const model = connection.model(
    'Room',
    rooms.schema,
    rooms.collection.collectionName,
  ) as unknown as typeof rooms;
  const account = crypto.randomUUID();
  gate.shut();
  for (const count of [1, 2, 30]) {
    const all = Array.from({ length: count }, (_, n) => room(`label-${n}`, account));
    const settled = await Promise.allSettled([
      ...all.map((one) => insertOnce(model, one)),
      insertMissing(model, all),
    ]);
    for (const one of settled) {
      expect(one.status).toBe('rejected');
      expect(databaseUnavailable((one as PromiseRejectedResult).reason)?.code).toBe('unavailable');
    }
  }
  expect(await rooms.countDocuments({ account })).toBe(0);
});
