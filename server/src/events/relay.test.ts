import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { mongo } from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import { defineModel } from '../database/model.ts';
import { type EventHolder, newEvent, outboxFields, outboxIndex } from './events.ts';
import { Relay } from './relay.ts';

const app = testApp();
const holderModel = defineModel<EventHolder>('RelayHolder', { _id: String, ...outboxFields }, [outboxIndex]);

it('stops in time however much is queued, and leaves the rest to the next start', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const account = randomUUID();
  const all = Array.from({ length: 1_000 }, () => {
    const uuid = randomUUID();
    return { _id: uuid, events: [newEvent('lead.added', account, new Date(), { uuid })] };
  });
  await holders.insertMany(all);
  const heard = new Set<string>();
  const first = new Relay([holders], log, { finishWithin: 0 });
  first.subscribe(async (events) => {
    await sleep(20);
    for (const { id } of events) heard.add(id);
  });
  for (const holder of all) first.announce(holders, holder);
  await first.stop();
  // The one that went at once.
  expect(heard.size).toBe(1);
  expect(await holders.countDocuments({ events: { $exists: true } })).toBe(999);

  const second = new Relay([holders], log);
  second.subscribe(async (events) => {
    for (const { id } of events) heard.add(id);
  });
  second.start();
  await vi.waitFor(() => expect(heard.size).toBe(1_000), { timeout: 60_000 });
  await second.stop();
  expect(await holders.countDocuments({ events: { $exists: true } })).toBe(0);
  await connection.dropCollection(holders.collection.name);
});

it("announces what others left behind while an account's events fail for ever", async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const [failing, other] = [randomUUID(), randomUUID()];
  const holderOf = (account: string, secondsAgo: number, data = {}) => {
    const at = new Date(Date.now() - secondsAgo * 1_000);
    return { _id: randomUUID(), events: [newEvent('lead.added', account, at, data)] };
  };
  await holders.insertMany([
    ...Array.from({ length: 300 }, () => holderOf(failing, 60, { isBad: true })),
    holderOf(other, 30),
  ]);
  const heard: string[] = [];
  const relay = new Relay([holders], log);
  relay.subscribe(async (events) => {
    if (events.some(({ data }) => 'isBad' in (data as object))) throw new Error('can never be announced');
    for (const event of events) if (event.account === other) heard.push(other);
  });
  relay.start();
  // The account is in use, and what happens now is well.
  const using = setInterval(() => relay.announce(holders, { ...holderOf(failing, 0), _id: '' }), 200);
  onTestFinished(() => clearInterval(using));
  await vi.waitFor(() => expect(heard).toEqual([other]), { timeout: 60_000 });
  await relay.stop();
  expect(await holders.countDocuments({ 'events.account': failing })).toBe(300);
  await connection.dropCollection(holders.collection.name);
}, 90_000);

it('announces what happens to others beside the backlog of an account, and what they left behind', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const [busy, other] = [randomUUID(), randomUUID()];
  const holderOf = (account: string, secondsAgo: number) => {
    const at = new Date(Date.now() - secondsAgo * 1_000);
    return { _id: randomUUID(), events: [newEvent('lead.added', account, at, {})] };
  };
  const [left, now] = [holderOf(other, 30), holderOf(other, 0)];
  await holders.insertMany([...Array.from({ length: 300 }, () => holderOf(busy, 60)), left]);
  const heard: string[] = [];
  let end = (): void => undefined;
  const isOver = new Promise<void>((resolve) => {
    end = resolve;
  });
  const relay = new Relay([holders], log);
  relay.subscribe(async (events) => {
    if (events[0]?.account === busy) await isOver;
    else heard.push(...events.map(({ id }) => id));
  });
  for (let n = 0; n < 12_000; n++) relay.announce(holders, holderOf(busy, 0));
  relay.announce(holders, now);
  await vi.waitFor(() => expect(heard).toEqual([now.events[0]?.id]));
  relay.start();
  await vi.waitFor(() => expect(heard).toContain(left.events[0]?.id), { timeout: 20_000 });
  end();
  await relay.stop();
  await connection.dropCollection(holders.collection.name);
}, 60_000);

it('lets nothing overtake what waits for a database that is away', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const account = randomUUID();
  const happen = async (n: number) => {
    const holder = {
      _id: randomUUID(),
      events: [newEvent('lead.added', account, new Date(Date.now() + n), { n })],
    };
    await holders.insertMany([holder]);
    relay.announce(holders, holder);
  };
  const heard: { first: number[]; second: number[] } = { first: [], second: [] };
  let isAway = true;
  let tries = 0;
  const relay = new Relay([holders], log);
  const numbers = (events: readonly { data: unknown }[]) =>
    events.map(({ data }) => (data as { n: number }).n);
  relay.subscribe(
    async (events) => void heard.first.push(...numbers(events)),
    async (events) => {
      tries++;
      if (isAway) throw new mongo.MongoNetworkTimeoutError('connection timed out');
      heard.second.push(...numbers(events));
    },
  );
  relay.start();
  await happen(1);
  await vi.waitFor(() => expect(tries).toBeGreaterThan(1), { timeout: 60_000 });
  isAway = false;
  await happen(2);
  await vi.waitFor(() => expect(heard.second).toHaveLength(2), { timeout: 60_000 });
  await relay.stop();
  expect(heard).toEqual({ first: [1, 2], second: [1, 2] });
  expect(await holders.countDocuments({ 'events.account': account })).toBe(0);
  await connection.dropCollection(holders.collection.name);
}, 90_000);

it.each([
  [1, 'a command'],
  [3, 'one of its statements'],
])(
  'announces in order what a disk has room for, %d at a time, as %s tells',
  async (room, told) => {
    const { connection, log } = app.services;
    const holders = holderModel(connection);
    const account = randomUUID();
    const all = Array.from({ length: 20 }, (_, n) => {
      const data = { n, text: n === 15 ? 'x'.repeat(300_000) : '' };
      return { _id: randomUUID(), events: [newEvent('lead.added', account, new Date(Date.now() + n), data)] };
    });
    await holders.insertMany(all);
    const [heard, stored]: [number[][], number[]] = [[], []];
    let fitting = 17;
    const full = { code: 14_031, message: 'no room' };
    const refusal =
      told === 'a command'
        ? new mongo.MongoServerError(full)
        : Object.assign(new Error('some are there'), { code: 11_000, writeErrors: [{ code: 11_000 }, full] });
    const relay = new Relay([holders], log);
    const numbers = (events: readonly { data: unknown }[]) =>
      events.map(({ data }) => (data as { n: number }).n);
    relay.subscribe(
      async (events) => void heard.push(numbers(events)),
      async (events) => {
        if (events.length > room || numbers(events).some((n) => n >= fitting)) throw refusal;
        stored.push(...numbers(events));
      },
    );
    for (const holder of all) relay.announce(holders, holder);
    const left = () => holders.countDocuments({ 'events.account': account });
    await vi.waitFor(async () => expect(await left()).toBe(3), { timeout: 60_000 });
    const numbersTo = (end: number) => Array.from({ length: end }, (_, n) => n);
    expect(stored).toEqual(numbersTo(17));
    // Who has taken them all is not asked again for the parts; a large one goes alone.
    expect(heard.slice(0, 3)).toEqual([[0], numbersTo(15).slice(1), [15]]);
    fitting = 20;
    relay.start();
    await vi.waitFor(async () => expect(await left()).toBe(0), { timeout: 60_000 });
    await relay.stop();
    expect(stored).toEqual(numbersTo(20));
    await connection.dropCollection(holders.collection.name);
  },
  90_000,
);

it('feeds an account that had more than its share in order, to what happens at the end', async () => {
  const { connection, log } = app.services;
  const holders = holderModel(connection);
  const account = randomUUID();
  const begin = Date.now() - 10_000;
  let last = 0;
  const happen = async (count: number) => {
    const all = Array.from({ length: count }, () => {
      const n = last++;
      return {
        _id: randomUUID(),
        events: [newEvent('lead.added', account, new Date(begin + n), { n })],
      };
    });
    await holders.insertMany(all);
    for (const holder of all) relay.announce(holders, holder);
  };
  const heard: number[] = [];
  let go = (): void => undefined;
  const isFree = new Promise<void>((resolve) => {
    go = resolve;
  });
  const relay = new Relay([holders], log, { maxInHand: 400_000 });
  relay.subscribe(async (events) => {
    await isFree;
    heard.push(...events.map(({ data }) => (data as { n: number }).n));
    // It goes on while what waits is fed.
    if (last < 900) await happen(20);
  });
  await happen(1);
  await happen(100);
  await happen(400);
  go();
  await vi.waitFor(() => expect(heard).toHaveLength(last), { timeout: 60_000 });
  expect(heard).toEqual(Array.from({ length: last }, (_, n) => n));
  // From then on it hears what is announced, and no document is read for it.
  const reading = vi.spyOn(holders.collection, 'find');
  await happen(5);
  await vi.waitFor(() => expect(heard).toHaveLength(last), { timeout: 60_000 });
  expect(reading).not.toHaveBeenCalled();
  reading.mockRestore();
  await relay.stop();
  expect(await holders.countDocuments({ 'events.account': account })).toBe(0);
  await connection.dropCollection(holders.collection.name);
}, 90_000);
