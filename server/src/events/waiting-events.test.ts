import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';
import { StillWaiting, WaitingEvents } from './waiting-events.ts';

const app = testApp();
const holderModel = defineModel<EventHolder>('WaitingHolder', { _id: String, ...outboxFields }, [
  outboxIndex,
]);

const MINUTE_AGO = 60_000;

const holderOf = (account: string, agoMs = MINUTE_AGO, data = {}): Required<EventHolder> => ({
  _id: randomUUID(),
  events: [newEvent('lead.added', account, new Date(Date.now() - agoMs), data)],
});

it('announces what waits of one account, what follows from it, and nothing of others', async () => {
  const { connection, log, tombstones } = app.services;
  const holders = holderModel(connection);
  const [own, other] = [randomUUID(), randomUUID()];
  const [late, early] = [holderOf(own, MINUTE_AGO), holderOf(own, 2 * MINUTE_AGO)];
  const follows = holderOf(own, 0);
  await holders.insertMany([late, holderOf(other), early]);
  const heard: string[] = [];
  const relay = new Relay([holders], log);
  relay.subscribe(async (events) => {
    if (heard.length === 0) await holders.insertMany([follows]);
    heard.push(...events.map(({ id }) => id));
  });
  await new WaitingEvents([holders], { relay, tombstones }).announceAll(own);
  expect(heard).toEqual([early, late, follows].map(({ events: [event] }) => event?.id));
  expect(await holders.countDocuments({ 'events.account': own })).toBe(0);
  expect(await holders.countDocuments({ 'events.account': other })).toBe(1);
  await relay.stop();
  await connection.dropCollection(holders.collection.name);
});

it('gives up where something can not be announced, and waits for nothing that has come since', async () => {
  const { connection, log, tombstones } = app.services;
  const holders = holderModel(connection);
  const own = randomUUID();
  await holders.insertMany([holderOf(own), holderOf(own)]);
  const relay = new Relay([holders], log);
  relay.subscribe(async () => {
    await holders.insertMany([holderOf(own, 0)]);
    throw new Error('can never be announced');
  });
  const announced = new WaitingEvents([holders], { relay, tombstones }, 100).announceAll(own);
  await expect(announced).rejects.toThrow(new StillWaiting(2));
  await relay.stop();
  await connection.dropCollection(holders.collection.name);
});

it('waits for what follows, and for nothing that others do meanwhile', async () => {
  const { connection, log, tombstones } = app.services;
  const holders = holderModel(connection);
  const own = randomUUID();
  const subject = { uuid: randomUUID() };
  const follows = holderOf(own, MINUTE_AGO, subject);
  await holders.insertMany([holderOf(own, MINUTE_AGO, subject)]);
  const relay = new Relay([holders], log);
  let heard = 0;
  relay.subscribe(async () => {
    if (heard++ === 0) await holders.insertMany([follows, holderOf(own, 0, { uuid: randomUUID() })]);
  });
  await new WaitingEvents([holders], { relay, tombstones }, 1_500).announceAll(own);
  expect(await holders.countDocuments({ _id: follows._id, events: { $exists: true } })).toBe(0);
  expect(await holders.countDocuments({ 'events.account': own })).toBe(1);
  await relay.stop();
  await connection.dropCollection(holders.collection.name);
});
