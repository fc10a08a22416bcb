import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../test/app.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';

const app = testApp();
const holderModel = defineModel<EventHolder>('ElsewhereHolder', { _id: String, ...outboxFields }, [
  outboxIndex,
]);

it('gives nobody what another process has announced while it was in memory for long', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const account = randomUUID();
  const all = Array.from({ length: 6 }, (_, n) => ({
    _id: randomUUID(),
    events: [newEvent('lead.added', account, new Date(), { n })],
  }));
  await holders.insertMany(all);
  // However short it has been.
  const relay = new Relay([holders], log, { seenFor: -1 });
  onTestFinished(() => relay.stop());
  const heard: number[] = [];
  let goOn = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  relay.subscribe(async (events) => {
    heard.push(...events.map(({ data }) => (data as { n: number }).n));
    await isFree;
  });
  for (const holder of all) relay.announce(holders, holder);
  await expect.poll(() => heard.length).toBeGreaterThan(0);
  // The other process: what it has told is erased.
  const told = all.filter((_, n) => n === 2 || n === 4).map(({ _id }) => _id);
  await holders.updateMany({ _id: { $in: told } }, { $unset: { events: 1 } });
  goOn();
  await expect.poll(() => holders.countDocuments({ events: { $exists: true } })).toBe(0);
  expect(heard).toEqual([0, 1, 3, 5]);
  await connection.dropCollection(holders.collection.name);
});
