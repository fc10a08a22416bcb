import type { CommandSucceededEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { mostAtOnce } from '../../../test/most-at-once.ts';

const app = testApp();

/** What is read of rooms from now on: the names of the fields of each. */
const readOfRooms = (): string[][] => {
  const read: string[][] = [];
  const note = ({ reply }: CommandSucceededEvent): void => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: object[] } };
    if (cursor?.ns.endsWith('.rooms')) read.push(...(cursor.firstBatch ?? []).map(Object.keys));
  };
  const client = app.services.models.rooms.db.getClient();
  client.on('commandSucceeded', note);
  onTestFinished(() => void client.off('commandSucceeded', note));
  return read;
};

it('what a bot keeps in a room, which may be 768 KiB, is not read with a message or by whoever reads the room', async () => {
  const { token, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const write = (by: object) =>
    app.request('POST', '/api/v1/messages/', { ...by, body: { body: 'Hello', room: { uuid: room.uuid } } });
  const path = new URL((await write({ visitor })).headers.location ?? '').pathname;
  const bot = { turns: 1, last: { turn: 'one', status: 'active', messages: [] } };
  await app.services.models.rooms.updateOne({ _id: room.uuid }, {
    $set: { bot, is_bot_use: false },
  } as never);
  const read = readOfRooms();
  const answers = [
    await write({ visitor }),
    await write({ token }),
    await app.request('GET', path, { token }),
    await app.request('GET', `/api/v1/messages/?room=${room.uuid}`, { token }),
    await app.request('GET', '/api/v1/rooms/', { token }),
    await app.request('GET', `/api/v1/rooms/${room.label}/`, { token }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 200, 200, 200, 200]);
  expect(read.length).toBeGreaterThanOrEqual(answers.length);
  expect(read.filter((fields) => fields.includes('bot'))).toEqual([]);
});

it('rooms that members of an account take over at once are read whole four at a time', async () => {
  const { token } = await app.account();
  const make = () => app.request('POST', '/api/v1/rooms/', { token, body: { is_bot_use: true } });
  const rooms = (await Promise.all(Array.from({ length: 20 }, make))).map(({ json }) => json);
  const read = mostAtOnce(app.services.models.rooms.collection, 'findOne');
  const takeOver = ({ uuid }: { uuid: string }) =>
    app.request('POST', '/api/v1/messages/', {
      token,
      body: { body: 'Hello', is_support_sender: true, room: { uuid } },
    });
  expect((await Promise.all(rooms.map(takeOver))).map(({ status }) => status)).toEqual(Array(20).fill(201));
  expect(read.calls()).toBe(20);
  expect(read.most()).toBeLessThanOrEqual(4);
});
