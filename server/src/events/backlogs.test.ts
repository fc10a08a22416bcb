import { randomUUID } from 'node:crypto';
import type { CommandSucceededEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../test/app.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';

const app = testApp();
const holderModel = (name: string) =>
  defineModel<EventHolder>(name, { _id: String, ...outboxFields }, [outboxIndex]);

/** Some of the events that are announced at first find no room, and are left to their documents. */
const ROOM = 1_500;
const ANNOUNCED_BEFORE = 850;
/** More than there are microtasks between the answer of the database and what the relay does with it. */
const ANNOUNCED_MEANWHILE = 100;

it('lets nothing overtake the last part of a backlog that is announced while that is read', async () => {
  const { connection, log } = app.services;
  const holders = holderModel('BacklogHolder')(connection);
  // Nothing waits in these: the last part is in memory while they are looked at.
  const readLast = holderModel('BacklogReadLast')(connection);
  const account = randomUUID();
  const begin = Date.now() - 10_000;
  const all = Array.from({ length: ANNOUNCED_BEFORE + ANNOUNCED_MEANWHILE }, (_, n) => ({
    _id: randomUUID(),
    events: [newEvent('lead.added', account, new Date(begin + n), { n })],
  }));
  const before = all.slice(0, ANNOUNCED_BEFORE);
  const meanwhile = all.slice(ANNOUNCED_BEFORE);
  await holders.insertMany(before);
  const heard: number[] = [];
  let go = (): void => undefined;
  let isFree: Promise<unknown> = new Promise<void>((resolve) => {
    go = resolve;
  });
  const relay = new Relay([holders, readLast], log, { maxInHand: ROOM });
  onTestFinished(() => relay.stop());
  relay.subscribe(async (events) => {
    await isFree;
    heard.push(...events.map(({ data }) => (data as { n: number }).n));
  });
  for (const holder of before) relay.announce(holders, holder);

  let isLastPart = false;
  const announce = async ({ reply }: CommandSucceededEvent) => {
    const { ns, firstBatch, nextBatch } = (reply as any).cursor ?? {};
    if (ns?.endsWith(`.${holders.collection.name}`)) {
      const newest = (firstBatch ?? nextBatch).at(-1);
      isLastPart = newest?._id === before.at(-1)?._id;
    } else if (isLastPart && ns?.endsWith(`.${readLast.collection.name}`)) {
      client.off('commandSucceeded', announce);
      // What is left to its document is there when it is looked for.
      isFree = holders.insertMany(meanwhile);
      for (const holder of meanwhile) {
        relay.announce(holders, holder);
        await undefined;
      }
    }
  };
  const client = connection.getClient();
  client.on('commandSucceeded', announce);
  onTestFinished(() => void client.off('commandSucceeded', announce));
  go();
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBe(all.length);
  expect(heard).toEqual(all.map((_, n) => n));
  await connection.dropCollection(holders.collection.name);
});

it('goes on where the events of documents are in no order', async () => {
  const { connection, log } = app.services;
  const holders = holderModel('BacklogUnordered')(connection);
  const account = randomUUID();
  const begin = Date.now() - 60_000;
  const eventAt = (n: number) =>
    newEvent('lead.added', account, new Date(begin + n * 10), { n, text: 'x'.repeat(6_000) });
  const holderOf = (numbers: readonly number[]) => ({ _id: randomUUID(), events: numbers.map(eventAt) });
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
  // Of each the first 50 are read: the first of all is not, and those of the other come before what is.
  const all = [holderOf([...range(100, 158), 1]), holderOf(range(2, 61).toReversed())];
  await holders.insertMany(all);
  const heard: number[] = [];
  const relay = new Relay([holders], log);
  onTestFinished(() => relay.stop());
  relay.subscribe(async (events) => {
    heard.push(...events.map(({ data }) => (data as { n: number }).n));
  });
  relay.start();
  await expect.poll(() => heard.length, { timeout: 60_000 }).toBeGreaterThanOrEqual(120);
  expect(new Set(heard).size).toBe(120);
  await expect.poll(() => holders.countDocuments({ events: { $exists: true } })).toBe(0);
  await connection.dropCollection(holders.collection.name);
}, 90_000);
