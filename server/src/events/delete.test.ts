import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../test/app.ts';
import type { StoredRoom } from '../features/rooms/rooms.model.ts';
import { deleteDocument, deleteDocuments } from './delete.ts';
import { type EventHolder, newEvent } from './events.ts';
import { Tombstones } from './tombstones.ts';

const app = testApp();

/** Tombstones, and the ids of the events that they give to the relay. */
const listen = () => {
  const announced = new Set<string>();
  const relay = {
    announce: (_: unknown, { events = [] }: EventHolder) => {
      for (const { id } of events) announced.add(id);
    },
  };
  return { announced, tombstones: new Tombstones(app.services.models.tombstones, relay as never) };
};

const holderOf = (account: string, room: string, body = 'Hi') => ({
  _id: randomUUID(),
  account,
  room,
  events: [newEvent('message.added', account, new Date(), { uuid: randomUUID(), body }, { room })],
});

it('an event that a document gets at that moment is announced, too', async () => {
  const { messages } = app.services.models;
  const { id } = await app.account();
  const holder = holderOf(id, randomUUID());
  await messages.collection.insertOne(holder as never);
  const late = newEvent('message.added', id, new Date(), { uuid: holder._id }, { room: holder.room });
  const { announced, tombstones } = listen();
  const bury = tombstones.bury.bind(tombstones);
  vi.spyOn(tombstones, 'bury').mockImplementationOnce(async (...given) => {
    const burial = await bury(...given);
    await messages.collection.updateOne({ _id: holder._id as never }, { $push: { events: late } } as never);
    return burial;
  });
  await deleteDocuments(messages, { room: holder.room }, tombstones);
  expect(await messages.countDocuments({ room: holder.room })).toBe(0);
  expect(announced).toContain(late.id);
});

it.each([
  ['with the version of the one before', 1],
  ['and changed since', 2],
])('a document that was made anew meanwhile, %s, stays', async (_, version) => {
  const { rooms } = app.services.models;
  const { token } = await app.account();
  const { uuid } = (await app.request('POST', '/api/v1/rooms/', { token, body: { name: 'old' } })).json;
  const check = async (current: StoredRoom) => {
    await rooms.deleteOne({ _id: uuid });
    const created_at = new Date(current.created_at.getTime() + 1);
    await rooms.collection.insertOne({ ...current, name: 'new', version, created_at } as never);
  };
  const deletion = deleteDocument(rooms, { _id: uuid }, listen().tombstones, { check });
  await expect(deletion).rejects.toMatchObject({ code: 'not_found' });
  expect((await rooms.findOne({ _id: uuid }).lean())?.name).toBe('new');
});

it('documents go with all events that wait in them, however large those are', async () => {
  const { messages } = app.services.models;
  const { id } = await app.account();
  const room = randomUUID();
  const body = '\u{1f4a1}'.repeat(10_000);
  const holders = Array.from({ length: 500 }, () => holderOf(id, room, body));
  for (let from = 0; from < holders.length; from += 100) {
    await messages.collection.insertMany(holders.slice(from, from + 100) as never[]);
  }
  const { announced, tombstones } = listen();
  await deleteDocuments(messages, { room }, tombstones);
  expect(await messages.countDocuments({ room })).toBe(0);
  expect(announced).toEqual(new Set(holders.flatMap(({ events }) => events.map(({ id }) => id))));
});

it('their events are announced in the order in which they happened, whichever document is read first', async () => {
  const { messages } = app.services.models;
  const { id } = await app.account();
  const room = randomUUID();
  const begin = Date.now() - 60_000;
  const holders = Array.from({ length: 60 }, (_, n) => {
    const holder = holderOf(id, room);
    const sent_at = new Date(begin + n);
    return { ...holder, sent_at, events: holder.events.map((event) => ({ ...event, at: sent_at })) };
  });
  await messages.collection.insertMany(holders as never[]);
  const { announced, tombstones } = listen();
  await deleteDocuments(messages, { room }, tombstones);
  expect([...announced]).toEqual(holders.flatMap(({ events }) => events.map((event) => event.id)));
});
