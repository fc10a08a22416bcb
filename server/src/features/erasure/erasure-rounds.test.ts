import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { wholeAccount } from '../members/view.ts';

/** What the erasure of a visitor leaves to later rounds, and what those go through. */

const app = testApp();
let widget = '';

beforeAll(async () => {
  ({ widget } = await app.account());
});

const path = () => `/api/v1/widgets/${widget}/sessions/`;
const write = (visitor: string, uuid: string) =>
  app.request('POST', '/api/v1/messages/', { visitor, body: { body: 'Hi', room: { uuid } } });

it('goes through it once more later, for what was written at the same time', async () => {
  const { visitor, room } = await app.session(widget);
  await write(visitor, room.uuid);
  const { sessions } = app.services.models;
  const soon = { expires_at: new Date(Date.now() + 60_000) };
  const session = await sessions.findOneAndUpdate({ room: room.uuid }, { $set: soon }).lean();
  await app.request('DELETE', path(), { visitor });
  // It would be gone by itself before.
  const closed = await sessions.findOne({ room: room.uuid }).lean();
  expect(Number(closed?.expires_at)).toBeGreaterThan(Date.now() + 3_600_000);
  // A request that had passed before the session was closed.
  const account = session?.account ?? '';
  const fields = { label: room.label, name: '', rating: null, is_bot_use: false };
  await app.services.rooms.create(account, fields, room.uuid);
  await app.services.erasure.resume(new Date(Date.now() + 61_000));
  expect(await app.services.rooms.byUuid(wholeAccount(account), room.uuid)).toBeUndefined();
  // It is kept in mind until the last event is out, whose delivery is to be erased as well.
  await vi.waitFor(
    async () => {
      await app.services.erasure.resume(new Date(Date.now() + 61_000));
      expect(await app.services.models.sessions.findOne({ room: room.uuid }).lean()).toBeNull();
    },
    { timeout: 60_000, interval: 100 },
  );
});

it('answers before it has gone through very many leads, which go with the next round', async () => {
  const { erasure, models, sessions } = app.services;
  const { visitor, room } = await app.session(widget);
  await write(visitor, room.uuid);
  const found = await sessions.byToken(visitor, '');
  if (!found) throw new Error('there is no such session');
  const { account } = found.session;
  const lead = { account, widget: '', room: room.uuid, created_at: new Date(), version: 1 };
  const many = Array.from({ length: 5 }, () => ({ ...lead, _id: randomUUID(), nickname: 'Ada' }));
  await models.leads.collection.insertMany(many as never);
  await erasure.erase(widget, found, 0);
  const left = () => models.leads.countDocuments({ room: room.uuid });
  expect(await left()).toBeGreaterThan(0);
  expect(await models.messages.countDocuments({ room: room.uuid })).toBe(0);
  await erasure.resume(new Date(Date.now() + 61_000));
  expect(await left()).toBe(0);
});

it('goes through all of many once more at a time', async () => {
  const { sessions } = app.services.models;
  const { room } = await app.session(widget);
  const session = await sessions.findOne({ room: room.uuid }).lean().orFail();
  const many = Array.from({ length: 130 }, () => ({
    ...session,
    _id: randomUUID(),
    room: randomUUID(),
    closed_at: new Date(),
  }));
  await sessions.insertMany(many);
  await app.services.erasure.resume(new Date(Date.now() + 61_000));
  expect(await sessions.countDocuments({ _id: { $in: many.map(({ _id }) => _id) } })).toBe(0);
});

it('goes past more than are read at a time whose documents are damaged', async () => {
  const { erasure, models, roomDeletion } = app.services;
  const { room } = await app.session(widget);
  const session = await models.sessions.findOne({ room: room.uuid }).lean().orFail();
  const longAgo = new Date('1971-01-02');
  const damaged = Array.from({ length: 510 }, () => ({ _id: randomUUID(), room: { not: randomUUID() } }));
  const other = { account: session.account, room: randomUUID() };
  const later = new Date(Date.now() + 61_000);

  const closed = { ...session, _id: randomUUID(), ...other, closed_at: new Date('2020-01-01') };
  await models.sessions.collection.insertMany([
    ...damaged.map((one) => ({ ...session, ...one, closed_at: longAgo })),
    closed,
  ] as never[]);
  await erasure.resume(later);
  expect(await models.sessions.countDocuments({ _id: closed._id })).toBe(0);
  await models.sessions.deleteMany({ closed_at: longAgo });

  const pending = { _id: randomUUID(), ...other, begun_at: new Date('2020-01-01') };
  await models.roomDeletions.collection.insertMany([
    ...damaged.map((one) => ({ ...one, account: session.account, begun_at: longAgo })),
    pending,
  ] as never[]);
  const tombstone = { _id: randomUUID(), subject: 'x', made_at: longAgo };
  await models.tombstones.collection.insertMany([
    ...damaged.map(({ _id }) => ({ ...tombstone, _id, deletion: { collection: null } })),
    tombstone,
  ] as never[]);
  await expect(roomDeletion.resume(later)).rejects.toThrow();
  expect(await models.roomDeletions.countDocuments({ _id: pending._id })).toBe(0);
  expect(await models.tombstones.countDocuments({ _id: tombstone._id })).toBe(0);
  const ids = { _id: { $in: damaged.map(({ _id }) => _id) } };
  await models.roomDeletions.deleteMany(ids);
  await models.tombstones.deleteMany(ids);
});
