import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import pino from 'pino';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { openConnectionsModel } from '../src/features/realtime/open-connections.model.ts';
import { OpenConnections } from '../src/features/realtime/open-connections.ts';
import { originModel, senderModel } from '../src/jobs/origin-leases.model.ts';
import { OriginLeases } from '../src/jobs/origin-leases.ts';
import { startGate } from './database-gate.ts';

const MAX = 10;

const TIMING = { beatEvery: 100, deadAfter: 1_000, wokenEvery: 1_000, forgottenAfter: 60_000 };

/** Two server processes' counts in one database, each behind a gate of its own. */
const startTwo = async () => {
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  const start = async () => {
    const gate = await startGate();
    const options = { dbName, serverSelectionTimeoutMS: 200 };
    const url = `mongodb://127.0.0.1:${gate.port}/?directConnection=true`;
    const connection = await mongoose.createConnection(url, options).asPromise();
    onTestFinished(() => connection.close(true));
    const model = openConnectionsModel(connection);
    const log = pino({ level: 'silent' });
    const [senders, origins] = [senderModel(connection), originModel(connection)];
    const leases = new OriginLeases({ senders, origins, isOnlyProcess: false, timing: TIMING, log });
    const holder = { look: () => {}, lost: () => {}, woken: () => {} };
    leases.start(holder);
    onTestFinished(() => leases.stop(holder).catch(() => undefined));
    await vi.waitFor(() => expect(leases.isKnown).toBe(true), 20_000);
    const counts = new OpenConnections(model, MAX, leases, log, 300);
    counts.start();
    onTestFinished(() => counts.stop());
    return { gate, model, counts, leases };
  };
  const [one, other] = [await start(), await start()];
  onTestFinished(async () => {
    const connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
    await connection.dropDatabase();
    await connection.close();
  });
  return { one, other };
};

it('counts of an address are right again after the database was away while connections closed', async () => {
  const { one, other } = await startTwo();
  const address = '192.0.2.1';
  for (let i = 0; i < MAX; i++) expect(await one.counts.enter(address)).toBe(true);
  expect(await other.counts.enter(address)).toBe(false);

  one.gate.shut();
  for (let i = 0; i < MAX - 1; i++) one.counts.leave(address);
  await sleep(500);
  one.gate.reopen();

  await vi.waitFor(async () => {
    expect((await one.model.find().lean()).map(({ count }) => count)).toEqual([1]);
  }, 60_000);
  for (let i = 0; i < MAX - 1; i++) expect(await other.counts.enter(address)).toBe(true);
  expect(await one.counts.enter(address)).toBe(false);
});

it('of many that open and close at once no more than the limit are let in, and none is counted after', async () => {
  const { one, other } = await startTwo();
  const address = '2001:db8::/64';
  for (let round = 0; round < 5; round++) {
    const entered = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const { counts } = index % 2 ? one : other;
        return { counts, isIn: await counts.enter(address) };
      }),
    );
    const inside = entered.filter(({ isIn }) => isIn);
    expect(inside.length).toBeLessThanOrEqual(MAX);
    for (const { counts } of inside) counts.leave(address);
    await vi.waitFor(async () => expect(await one.model.countDocuments()).toBe(0), 60_000);
    // Whoever comes alone is let in.
    expect(await one.counts.enter(address)).toBe(true);
    one.counts.leave(address);
  }
});

it('a process whose database was away so long that others took it for dead counts again', async () => {
  const { one, other } = await startTwo();
  const addresses = ['192.0.2.9', '192.0.2.10'];
  for (const address of addresses)
    for (let i = 0; i < MAX; i++) expect(await one.counts.enter(address)).toBe(true);
  const before = one.leases.id;
  one.gate.shut();
  await vi.waitFor(async () => {
    expect(await other.counts.enter('192.0.2.9')).toBe(true);
    other.counts.leave('192.0.2.9');
  }, 30_000);
  one.gate.reopen();
  await vi.waitFor(async () => {
    for (const address of addresses) {
      const isIn = await other.counts.enter(address);
      if (isIn) other.counts.leave(address);
      expect(isIn).toBe(false);
    }
  }, 30_000);
  expect(one.leases.id).not.toBe(before);
  // Nothing is left of what it was known by before.
  await vi.waitFor(async () => expect(await one.model.countDocuments({ process: before })).toBe(0), 30_000);
});

it('are written anew a few at a time by a process that others took for dead', async () => {
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  const options = { dbName, monitorCommands: true };
  const connection = await mongoose.createConnection(inject('mongodbUrl'), options).asPromise();
  onTestFinished(async () => {
    await connection.dropDatabase();
    await connection.close();
  });
  const model = openConnectionsModel(connection);
  const processes = { id: 'before', isAlive: async () => true };
  const counts = new OpenConnections(model, MAX, processes, pino({ level: 'silent' }), 100);
  const addresses = Array.from({ length: 1_000 }, (_, n) => `10.0.${n >> 8}.${n & 255}`);
  for (const address of addresses) expect(await counts.enter(address)).toBe(true);
  let underWay = 0;
  let most = 0;
  const client = connection.getClient();
  client.on('commandStarted', () => {
    most = Math.max(most, ++underWay);
  });
  client.on('commandSucceeded', () => void underWay--);
  client.on('commandFailed', () => void underWay--);
  counts.start();
  onTestFinished(() => counts.stop());
  processes.id = 'after';
  await vi.waitFor(
    async () => expect(await model.countDocuments({ process: 'after' })).toBe(addresses.length),
    { timeout: 60_000, interval: 100 },
  );
  // Besides what is looked at here, and what goes of before.
  expect(most).toBeLessThanOrEqual(20 + 4);
});
