import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { deleteDocuments } from './delete.ts';
import { newEvent } from './events.ts';
import { Tombstones } from './tombstones.ts';

const app = testApp();

it('documents go with all events that wait in them, however large those are', async () => {
  const { messages, tombstones } = app.services.models;
  const { id } = await app.account();
  const room = randomUUID();
  const body = '\u{1f4a1}'.repeat(10_000);
  const holders = Array.from({ length: 500 }, () => ({
    _id: randomUUID(),
    account: id,
    room,
    events: [newEvent('message.added', id, new Date(), { uuid: randomUUID(), body }, { room })],
  }));
  for (let from = 0; from < holders.length; from += 100) {
    await messages.collection.insertMany(holders.slice(from, from + 100) as never[]);
  }
  const announced = new Set<string>();
  const relay = {
    announce: (_: unknown, { events }: { events?: readonly { id: string }[] }) => {
      for (const event of events ?? []) announced.add(event.id);
    },
  };
  await deleteDocuments(messages, { room }, new Tombstones(tombstones, relay as never));
  expect(await messages.countDocuments({ room })).toBe(0);
  expect(announced).toEqual(new Set(holders.flatMap(({ events }) => events.map(({ id }) => id))));
});
