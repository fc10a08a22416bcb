import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { seeded } from '../../../test/realtime-seeded.ts';
import { Secrets } from '../../platform/secrets.ts';
import { EventIds } from './event-ids.ts';
import { type EventLogEntry, eventLogEntryModel, eventLogHeadModel } from './event-log.model.ts';
import { EventLog, type NewEntry } from './event-log.ts';
import { Tail } from './tail.ts';

/** How many rounds of the random schedules; more of them by the environment. */
const ROUNDS = Number(process.env.REALTIME_ROUNDS ?? 5);
const FIRST_SEED = Number(process.env.REALTIME_SEED ?? 1);

const connection = mongoose.createConnection();
const ids = new EventIds(new Secrets('a key of more than 32 characters, of this test'));
const silent = pino({ level: 'silent' });

beforeAll(async () => {
  await connection.openUri(inject('mongodbUrl'), { dbName: `parlor_test_${randomUUID().slice(0, 8)}` });
});
afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

/** A log of its own, and what makes server processes on it. */
const openLog = async () => {
  const part = connection.useDb(`${connection.name}_${randomUUID().slice(0, 4)}`);
  const models = { entries: eventLogEntryModel(part), head: eventLogHeadModel(part) };
  await Promise.all([models.entries.createIndexes(), models.head.createIndexes()]);

  /** The entries, which are stored in another way. */
  const entriesBy = (
    insertMany: (
      documents: EventLogEntry[],
      store: (documents: EventLogEntry[]) => Promise<unknown>,
    ) => Promise<unknown>,
  ) => {
    const { collection } = models.entries;
    const other = new Proxy(collection, {
      get: (target, name, receiver) =>
        name === 'insertMany'
          ? (documents: EventLogEntry[], options: object) =>
              insertMany(documents, (some) => target.insertMany(some as never, options))
          : Reflect.get(target, name, receiver),
    });
    return new Proxy(models.entries, {
      get: (target, name, receiver) => (name === 'collection' ? other : Reflect.get(target, name, receiver)),
    });
  };

  /** @param delay how long a round of the writer waits between taking its places and filling them */
  const process = async (delay: () => number | 'never' = () => 0) => {
    const seen: EventLogEntry[] = [];
    const slow = entriesBy(async (documents, store) => {
      const wait = documents[0]?.name === 'void' ? 0 : delay();
      if (wait === 'never') await new Promise(() => {});
      else if (wait > 0) await sleep(wait);
      return store(documents);
    });
    const log: EventLog = new EventLog(slow, models.head, ids, (entries) => tail.offer(entries));
    const tail: Tail = new Tail(
      log,
      (entry) => seen.push(entry),
      () => true,
      silent,
    );
    await tail.start();
    return { log, tail, seen, stop: () => tail.stop() };
  };
  return { models, entriesBy, process, drop: () => part.dropDatabase() };
};

const entry = (event = randomUUID(), at = new Date()): NewEntry => ({
  event,
  name: 'typing',
  account: 'a',
  at,
  data: {},
});

const until = async (isSo: () => boolean, patience = 10_000) => {
  for (const deadline = Date.now() + patience; !isSo(); await sleep(10)) {
    if (Date.now() > deadline) throw new Error('it did not come about');
  }
};
const events = ({ seen }: { seen: EventLogEntry[] }) => seen.map(({ event }) => event);

describe('the log of recent events', () => {
  it('holds an event once, however often it is appended', async () => {
    const { process, models, drop } = await openLog();
    const [a, b] = [await process(), await process()];
    const twice = entry();
    await Promise.all([a.log.append([twice]), b.log.append([twice]), a.log.append([twice, entry()])]);
    await a.log.append([twice]);
    const last = entry();
    await b.log.append([last]);
    await until(() => [a, b].every((one) => events(one).includes(last.event)));
    expect(events(a).filter((event) => event === twice.event)).toHaveLength(1);
    expect(events(b)).toEqual(events(a));
    expect(await models.entries.countDocuments({ event: twice.event })).toBe(1);
    await Promise.all([a.stop(), b.stop(), drop()]);
  });

  it('does not wait long for a writer that died, and gives it new places if it lives after all', async () => {
    const { process, drop } = await openLog();
    let pause: number | 'never' = 'never';
    const [dead, slow, writer] = [await process(() => pause), await process(() => 1_500), await process()];
    void dead.log.append([entry(), entry()]);
    await sleep(30);
    const late = entry();
    const appended = slow.log.append([late]);
    await sleep(30);
    const next = entry();
    await writer.log.append([next]);
    await until(() => events(writer).includes(next.event));
    await appended;
    await until(() => events(writer).includes(late.event));
    expect(events(writer)).toEqual([next.event, late.event]);
    pause = 0;
    await Promise.all([slow.stop(), writer.stop(), dead.stop(), drop()]);
  });

  it('reads what several rooms have missed together as it reads it for each alone', async () => {
    const { process, drop } = await openLog();
    const { log, stop } = await process();
    const rooms = Array.from({ length: 40 }, () => randomUUID());
    const next = seeded(7);
    for (let i = 0; i < 60; i++) {
      const some = Array.from({ length: 25 }, () => rooms[Math.floor(next() * rooms.length)] as string);
      await log.append(some.map((room) => ({ ...entry(), room })));
    }
    const all = await log.read.after(0, 2_000);
    expect(all).toHaveLength(1_500);
    const missed = (room: string, place: number, until: number, limit: number) =>
      all.filter((one) => one.room === room && one._id > place && one._id <= until).slice(0, limit);
    // From the beginning it is more than one query may give, so that each room is asked for alone.
    for (const earliest of [1_400, 900, 0]) {
      const asked = [...rooms, 'a room without events'].map((room, index) => ({
        room,
        place: earliest + index,
        until: 1_500 - index,
        limit: index % 3 === 0 ? 2 : 200,
      }));
      const found = await Promise.all(asked.map((range) => log.read.ofRoom(range)));
      expect(found).toEqual(asked.map(({ room, place, until, limit }) => missed(room, place, until, limit)));
    }
    const places = [3, 1_500, 1_501, 3, 77];
    const entries = await Promise.all(places.map((place) => log.read.at(place)));
    expect(entries.map((one) => one?._id)).toEqual([3, 1_500, undefined, 3, 77]);
    // Not what was said, which may be 40 kB of each.
    expect(Object.keys(entries[0] ?? {}).sort()).toEqual(['_id', 'at', 'event']);
    await Promise.all([stop(), drop()]);
  });

  it('goes on behind its last entry when a process that counted alone was killed', async () => {
    const { models, process, drop } = await openLog();
    const alone = () => new EventLog(models.entries, models.head, ids, () => {}, true);
    const first = alone();
    for (let count = 0; count < 5; count++) await first.append([entry(), entry()]);
    const places = async () =>
      (await models.entries.find().sort({ _id: 1 }).lean<EventLogEntry[]>()).map(({ _id }) => _id);
    expect(await places()).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    // Its counter was last written down long before.
    expect((await models.head.findOne().lean())?.last).toBeLessThan(10);
    const second = alone();
    expect((await second.open()).head).toBe(10);
    await second.append([entry()]);
    // Those that share a database begin behind it, too.
    const shared = await process();
    await shared.log.append([entry()]);
    expect((await places()).slice(-3)).toEqual([10, 11, 12]);
    await Promise.all([shared.stop(), drop()]);
  });

  it('leaves no gap where nothing could be stored, and has each event once where some were after all', async () => {
    const { models, entriesBy, drop } = await openLog();
    let stored: number | undefined;
    const entries = entriesBy(async (documents, store) => {
      if (stored === undefined) return store(documents);
      if (stored > 0) await store(documents.slice(0, stored));
      throw new Error('the disk is full');
    });
    const log = new EventLog(entries, models.head, ids, () => {}, true);
    await log.append([entry()]);
    const waiting = [entry(), entry(), entry()];
    for (stored of [0, 0, 2]) await expect(log.append(waiting)).rejects.toThrow('the disk is full');
    stored = undefined;
    const later = entry();
    await log.append([later]);
    await log.append(waiting);
    const all = await models.entries.find().sort({ _id: 1 }).lean<EventLogEntry[]>();
    expect(all.map(({ _id }) => _id)).toEqual(all.map((_, index) => index + 1));
    const told = all.filter(({ name }) => name !== 'void').map(({ event }) => event);
    expect(told.slice(1).sort()).toEqual([later, ...waiting].map(({ event }) => event).sort());
    await drop();
  });

  it('knows no place of before when a process that counted alone was killed and its entries have run out', async () => {
    const { models, drop } = await openLog();
    const alone = () => new EventLog(models.entries, models.head, ids, () => {}, true);
    const first = alone();
    for (let count = 0; count < 3; count++) await first.append([entry()]);
    const third = (await models.entries.findOne({ _id: 3 }).lean<EventLogEntry>()) as EventLogEntry;
    const known = first.idOf(third);
    const restarted = alone();
    await restarted.open();
    expect(restarted.openId(known)?.place).toBe(3);
    await models.entries.deleteMany({});
    const late = alone();
    await late.open();
    expect(late.openId(known)).toBeUndefined();
    const next = entry();
    await late.append([next]);
    const again = alone();
    await again.open();
    expect(again.openId(late.idOf({ _id: 2, ...next }))?.place).toBe(2);
    await drop();
  });

  it('gives a process that starts nothing twice and nothing too late', async () => {
    const { process, drop } = await openLog();
    const slow = await process(() => 150);
    const appended = slow.log.append([entry()]);
    await sleep(50);
    const young = await process();
    await appended;
    expect(young.tail.position).toBe(1);
    await slow.log.append([entry()]);
    await until(() => young.tail.position === 2);
    expect(events(young)).toEqual(events(slow));
    await Promise.all([slow.stop(), young.stop(), drop()]);
  });

  it(`has every process see the same in the same order, whatever happens to writers (${ROUNDS} rounds)`, async () => {
    for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS; seed++) {
      const random = seeded(seed);
      const { process, drop } = await openLog();
      const delay = () => (random() < 0.02 ? ('never' as const) : random() < 0.3 ? random() * 60 : 0);
      const writers = await Promise.all([1, 2, 3].map(() => process(delay)));
      const reader = await process();
      const stored: string[] = [];
      const running = new Set<Promise<void>>();
      for (let step = 0; step < 60; step++) {
        const writer = writers[Math.floor(random() * writers.length)];
        // Clocks that are two seconds apart either way.
        const at = new Date(Date.now() + (random() - 0.5) * 4_000);
        const batch = Array.from({ length: 1 + Math.floor(random() * 4) }, () => entry(undefined, at));
        const run: Promise<void> | undefined = writer?.log
          .append(batch)
          .then(() => void stored.push(...batch.map(({ event }) => event)))
          .finally(() => running.delete(run as Promise<void>));
        if (run) running.add(run);
        if (random() < 0.5) await sleep(random() * 8);
      }
      const last = entry();
      await reader.log.append([last]);
      // Writers that "died" never answer; all others do.
      await Promise.race([Promise.all(running), sleep(1_500)]);
      const all = [reader, ...writers];
      await until(() => all.every((one) => stored.every((event) => events(one).includes(event))));
      const order = events(reader);
      expect([seed, new Set(order).size]).toEqual([seed, order.length]);
      for (const one of writers) expect([seed, events(one)]).toEqual([seed, order]);
      await Promise.all(all.map((one) => one.stop()));
      await drop();
    }
  }, 600_000);
});
