import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import type { Job, JobKind, Result, Target } from './job-kind.ts';
import { JobRunner } from './job-runner.ts';
import { originModel, senderModel } from './origin-leases.model.ts';
import { OriginLeases } from './origin-leases.ts';

const ORIGIN = 'https://hooks.example.com';
const PATIENCE = { timeout: 30_000, interval: 20 };
const log = pino({ level: 'silent' });

let connection: mongoose.Connection;

beforeAll(async () => {
  const options = { dbName: `parlor_test_${randomUUID().slice(0, 8)}`, monitorCommands: true };
  connection = await mongoose.createConnection(inject('mongodbUrl'), options).asPromise();
});

afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

/** A kind of job of which nothing waits. */
const kind: JobKind<Job, Target, Result> = {
  limits: { perQueue: 4, perOrigin: 16, pauseAfter: 10, probeEvery: 30_000 },
  places: { together: 16, ofOwner: 16 },
  sweepEvery: 60_000,
  longestDelay: 1_000,
  stopTimeout: 1_000,
  nextQueue: async () => null,
  read: async () => [],
  bringForward: async () => false,
  ownerOf: () => 'an account',
  target: async () => undefined,
  attempt: async () => undefined,
  record: async () => undefined,
  recordRefused: async () => undefined,
  drop: async () => false,
};

it('tells the owner of an origin of many queues together, however slow the database is', async () => {
  const [senders, origins] = [senderModel(connection), originModel(connection)];
  const leases = () => new OriginLeases({ senders, origins, isOnlyProcess: false, log });
  const [owner, other] = [leases(), leases()];
  const woken = new Set<string>();
  const holder = {
    look: () => undefined,
    lost: () => undefined,
    woken: (_: string, queue: string) => void woken.add(queue),
  };
  owner.start(holder);
  const runner = new JobRunner(kind, other, log);
  runner.start();
  await vi.waitFor(() => expect(owner.isKnown && other.isKnown).toBe(true), PATIENCE);
  await owner.claim(ORIGIN, ['its own'], holder);
  const commands: string[] = [];
  // Of who does not own the origin; its owner takes what it is woken for by findAndModify.
  connection.getClient().on('commandStarted', ({ commandName, command }) => {
    const isOfOrigin =
      command[commandName] === origins.collection.name && JSON.stringify(command).includes(ORIGIN);
    if (isOfOrigin && commandName !== 'findAndModify') commands.push(commandName);
  });
  const queues = Array.from({ length: 50 }, (_, n) => `queue ${n}`);
  await Promise.all(queues.map((queue) => runner.notify(ORIGIN, queue)));
  // The first one, and all others together.
  expect(commands).toEqual(['find', 'update', 'find', 'update']);
  await vi.waitFor(() => expect(woken).toEqual(new Set(queues)), PATIENCE);
  await runner.stop();
  await owner.stop(holder);
});
