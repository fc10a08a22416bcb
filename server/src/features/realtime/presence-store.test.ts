import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { afterAll, beforeAll, beforeEach, expect, inject, it } from 'vitest';
import { presenceModel, presenceProcessModel } from './presence.model.ts';
import { type Attendee, PresenceStore } from './presence-store.ts';

const connection = mongoose.createConnection();
const presences = presenceModel(connection);
const processes = presenceProcessModel(connection);
const open = () => new PresenceStore(presences, processes);

beforeAll(async () => {
  await connection.openUri(inject('mongodbUrl'), { dbName: `parlor_test_${randomUUID().slice(0, 8)}` });
  await Promise.all([presences.createIndexes(), processes.createIndexes()]);
});
beforeEach(async () => {
  await Promise.all([presences.deleteMany(), processes.deleteMany()]);
});
afterAll(async () => {
  await connection.dropDatabase();
  await connection.close();
});

const visitors = (count: number): Attendee[] =>
  Array.from({ length: count }, () => ({ account: 'shop', side: 'visitor', room: randomUUID() }));
const roomsOf = (attendee: readonly Attendee[]) => attendee.map(({ room }) => room ?? '').sort();

/** As when a process that is asked now was killed, or slept, for longer than it counts. */
const letAllExpire = () => processes.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1) } });

const removeAllLeft = async (store: PresenceStore): Promise<Attendee[]> => {
  const removed = await store.removeLeft();
  return removed.length === 0 ? [] : [...removed, ...(await removeAllLeft(store))];
};

it('shows on one process who is on another, until they leave', async () => {
  const [here, there] = [open(), open()];
  const all = visitors(120);
  await here.add([...all, { account: 'shop', side: 'person' }]);
  expect(await there.hasMember('shop')).toBe(true);
  expect(await there.hasMember('another')).toBe(false);
  expect([...(await there.visited(roomsOf(all)))].sort()).toEqual(roomsOf(all));
  expect((await there.rooms('shop', 500)).sort()).toEqual(roomsOf(all));
  expect(await there.rooms('shop', 7)).toHaveLength(7);

  const gone = all.slice(0, 70);
  await here.remove([...gone, { account: 'shop', side: 'person' }]);
  expect(await there.hasMember('shop')).toBe(false);
  expect([...(await there.visited(roomsOf(all)))].sort()).toEqual(roomsOf(all.slice(70)));
  expect(await there.removeLeft()).toEqual([]);
});

it('counts who has come to another process for as long as one of the two has them', async () => {
  const [one, two] = [open(), open()];
  const [visitor] = visitors(1) as [Attendee];
  await one.add([visitor]);
  await two.add([visitor]);
  await one.remove([visitor]);
  expect((await one.visited(roomsOf([visitor]))).size).toBe(1);
});

it('renews with one document, however many are there', async () => {
  const store = open();
  await store.add(visitors(300));
  const before = await processes.find().lean();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(await store.renew()).toBe(true);
  const after = await processes.find().lean();
  expect(after).toHaveLength(1);
  expect(after[0]?.expires_at.getTime()).toBeGreaterThan(before[0]?.expires_at.getTime() ?? 0);
});

it('gives what a dead process has left to those who ask, each to one of them only', async () => {
  const [dead, one, two] = [open(), open(), open()];
  const left = visitors(130);
  await dead.add(left);
  await letAllExpire();
  const [own] = visitors(1) as [Attendee];
  await one.add([own]);
  expect((await one.visited(roomsOf([...left, own]))).size).toBe(1);
  const removed = (await Promise.all([removeAllLeft(one), removeAllLeft(two)])).flat();
  removed.push(...(await removeAllLeft(one)));
  expect(roomsOf(removed)).toEqual(roomsOf(left));
  expect(await presences.countDocuments()).toBe(1);
  expect(await one.removeLeft()).toEqual([]);
  expect(await processes.countDocuments()).toBe(1);
});

it('shows who is there, however many a dead process has left', async () => {
  const [dead, here] = [open(), open()];
  await dead.add(visitors(60));
  await letAllExpire();
  const own = visitors(5);
  await here.add(own);
  expect((await here.rooms('shop', 50)).sort()).toEqual(roomsOf(own));
});

it('says that a sign of life comes too late, and then counts what is added again', async () => {
  const [slept, other] = [open(), open()];
  const all = visitors(3);
  await slept.add(all);
  await letAllExpire();
  expect((await other.visited(roomsOf(all))).size).toBe(0);
  expect(await slept.renew()).toBe(false);
  await slept.add(all);
  expect((await other.visited(roomsOf(all))).size).toBe(3);
  expect(await slept.renew()).toBe(true);
  expect(await removeAllLeft(other)).toEqual([]);
  expect(await presences.countDocuments()).toBe(3);
});

it('counts what a process that stops has had a moment longer', async () => {
  const [stopping, other] = [open(), open()];
  const [visitor] = visitors(1) as [Attendee];
  await stopping.add([visitor]);
  await stopping.leave();
  expect((await other.visited(roomsOf([visitor]))).size).toBe(1);
  const [process] = await processes.find().lean();
  expect(process?.expires_at.getTime()).toBeLessThan(Date.now() + 10_000);
});

it('forgets a process that was known before the clock was put back', async () => {
  const [dead, lives] = [open(), open()];
  const [visitor] = visitors(1) as [Attendee];
  await dead.add([visitor]);
  expect(await lives.removeLeft()).toEqual([]);
  await processes.updateMany({}, { $set: { expires_at: new Date(Date.now() + 86_400_000) } });
  expect(roomsOf(await lives.removeLeft())).toEqual([visitor.room]);
});
