import mongoose from 'mongoose';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createModels } from '../src/models.ts';
import { giveBackDatabase, takeDatabase } from './databases.ts';

const open = async (dbName: string) => {
  const connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
  onTestFinished(() => connection.close());
  return createModels(connection).rooms;
};

it('gives a database out again without what a test has put into it, and with the indexes of the models', async () => {
  const name = await takeDatabase();
  const rooms = await open(name);
  await rooms.createIndexes();
  const indexes = await rooms.listIndexes();
  await rooms.collection.createIndex({ anything: 1 });
  await rooms.collection.insertOne({ _id: 'a room' } as never);
  giveBackDatabase(name);
  giveBackDatabase(await takeDatabase());
  const taken: string[] = [];
  while (taken.at(-1) !== name) taken.push(await takeDatabase());
  const again = await open(name);
  expect(await again.listIndexes()).toEqual(indexes);
  expect(await again.countDocuments({})).toBe(0);
  for (const one of taken) giveBackDatabase(one);
});
