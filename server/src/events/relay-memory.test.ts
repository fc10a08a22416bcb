import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { mongo } from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { collectGarbage } from '../../test/collect-garbage.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, type OutboxEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';

const app = testApp();
const holderModel = defineModel<EventHolder>('LargeHolder', { _id: String, ...outboxFields }, [outboxIndex]);

const LARGE_BYTES = 40_000;
const MAX_IN_HAND = 1_048_576;

const accounts = Array.from({ length: 20 }, () => randomUUID());
const begin = Date.now() - 60_000;
let last = 0;

/** Of each account in turn. */
const largeEvents = (count: number): OutboxEvent[] =>
  Array.from({ length: count }, () => {
    const n = last++;
    const data = { uuid: randomUUID(), n, text: 'x'.repeat(LARGE_BYTES) };
    return newEvent('lead.added', accounts[n % accounts.length] ?? '', new Date(begin + n), data);
  });

const bytesAlive = async (all: readonly WeakRef<object>[]): Promise<number> => {
  await collectGarbage();
  return all.filter((one) => one.deref()).length * LARGE_BYTES;
};

/** A relay whose consumers wait until they are let go. */
const waitingRelay = async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const relay = new Relay([holders], log, { maxInHand: MAX_IN_HAND });
  const heard = new Map<string, number[]>();
  let go = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    go = resolve;
  });
  relay.subscribe(async (events) => {
    await isFree;
    for (const { account, data } of events) {
      const { n } = data as { n: number };
      heard.set(account, [...(heard.get(account) ?? []), n]);
    }
  });
  onTestFinished(async () => {
    go();
    await relay.stop();
    await connection.dropCollection(holders.collection.name);
  });
  const expectAll = async (count: number) => {
    const left = () => holders.countDocuments({ events: { $exists: true } });
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 60_000, interval: 200 });
    const all = [...heard.values()];
    expect(all.flat()).toHaveLength(count);
    for (const own of all) expect(own).toEqual([...own].sort((a, b) => a - b));
  };
  return { relay, holders, go, expectAll };
};

it('leaves large events to their documents, whoever announces them', async () => {
  const { relay, holders, go, expectAll } = await waitingRelay();
  const all: WeakRef<object>[] = [];
  for (let n = 0; n < 20; n++) {
    const some = largeEvents(20).map((event) => ({ _id: randomUUID(), events: [event] }));
    await holders.insertMany(some);
    for (const holder of some) {
      all.push(new WeakRef(holder.events[0]?.data ?? {}));
      relay.announce(holders, holder);
    }
  }
  expect(await bytesAlive(all)).toBeLessThan(2 * MAX_IN_HAND);
  go();
  await expectAll(400);
}, 90_000);

it('reads no more of large events that were left behind than it has room for', async () => {
  const { relay, holders, go, expectAll } = await waitingRelay();
  // In some documents many wait.
  const events = largeEvents(400);
  const ofAccount = accounts.map((account) => events.filter((event) => event.account === account));
  const some = ofAccount.flatMap((own) => [
    { _id: randomUUID(), events: own.slice(0, 15) },
    ...own.slice(15).map((event) => ({ _id: randomUUID(), events: [event] })),
  ]);
  await holders.insertMany(some);
  const all: WeakRef<object>[] = [];
  const { collection } = holders;
  const find = collection.find.bind(collection) as (...args: unknown[]) => mongo.FindCursor<EventHolder>;
  const reading = vi.spyOn(collection, 'find').mockImplementation(((...args: unknown[]) =>
    find(...args).map((holder) => {
      for (const { data } of holder.events ?? []) all.push(new WeakRef(data));
      return holder;
    })) as never);
  onTestFinished(() => reading.mockRestore());
  relay.start();
  await vi.waitFor(() => expect(all.length).toBeGreaterThan(100), { timeout: 60_000 });
  await sleep(1_500);
  expect(await bytesAlive(all)).toBeLessThan(3 * MAX_IN_HAND);
  go();
  await expectAll(400);
}, 90_000);
