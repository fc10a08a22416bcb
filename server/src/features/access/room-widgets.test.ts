import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { sharedSettings, startServerProcess } from '../../../test/server-process.ts';

const app = testApp();

/** As a server stores it that knows nothing of rooms' widgets. */
const forget = async (room: string) => {
  const { rooms, messages } = app.services.models;
  await rooms.collection.updateOne({ _id: room as never }, { $unset: { widget: 1 } });
  await messages.collection.updateMany({ room }, { $unset: { widget: 1 } });
};
const write = async (as: object, room: string) => {
  const body = { body: 'Hi', room: { uuid: room } };
  const { json } = await app.request('POST', '/api/v1/messages/', { ...as, body });
  return json.uuid as string;
};
const widgetOf = async (token: string) => (await app.services.widgets.byToken(token))?._id;
const stored = async (room: string) => {
  const { rooms, messages } = app.services.models;
  const found = await messages.find({ room }, { widget: 1 }).lean();
  const { widget } = (await rooms.findOne({ _id: room }).lean()) ?? {};
  return { room: widget, messages: [...new Set(found.map((message) => message.widget))] };
};

describe('a room', () => {
  it('has the widget of its visitor, as have its messages and its events', async () => {
    const { token, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    await write({ visitor }, room.uuid);
    await write({ token }, room.uuid);
    const id = await widgetOf(widget);
    expect(await stored(room.uuid)).toEqual({ room: id, messages: [id] });
    const entries = app.services.models.realtimeEntries;
    // Of its making, of two messages, and of who waits for whom since.
    await expect.poll(() => entries.countDocuments({ room: room.uuid, widget: id })).toBe(4);
  });

  it('has none where the API made it', async () => {
    const { token } = await app.account();
    const { json } = await app.request('POST', '/api/v1/rooms/', { token });
    await write({ token }, json.uuid);
    expect(await stored(json.uuid)).toEqual({ room: '', messages: [''] });
  });
});

describe('of what was stored without a widget', () => {
  it('rooms and messages get the one of the session, whichever process stored them', async () => {
    const { token, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    await write({ visitor }, room.uuid);
    await forget(room.uuid);
    await app.services.roomWidgets.sweep();
    const id = await widgetOf(widget);
    expect(await stored(room.uuid)).toEqual({ room: id, messages: [id] });
    // An older process writes into a room that has its widget.
    const message = await write({ token }, room.uuid);
    await app.services.models.messages.collection.updateOne(
      { _id: message as never },
      { $unset: { widget: 1 } },
    );
    await app.services.roomWidgets.sweep();
    expect(await stored(room.uuid)).toEqual({ room: id, messages: [id] });
  });

  it('rooms whose session has run out get the one of the lead, and others none', async () => {
    const { token, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    await app.request('POST', '/api/v1/leads/', { visitor, body: { nickname: 'Ada' } });
    const silent = await app.session(widget);
    await write({ visitor: silent.visitor }, silent.room.uuid);
    const { json } = await app.request('POST', '/api/v1/rooms/', { token });
    await app.services.models.sessions.deleteMany({ room: { $in: [room.uuid, silent.room.uuid] } });
    for (const { uuid } of [room, silent.room, json]) await forget(uuid);
    await app.services.roomWidgets.sweep();
    expect(await stored(room.uuid)).toEqual({ room: await widgetOf(widget), messages: [] });
    expect(await stored(silent.room.uuid)).toEqual({ room: '', messages: [''] });
    expect(await stored(json.uuid)).toEqual({ room: '', messages: [] });
  });

  it('the leads that a bot took get the one of their room', async () => {
    const { id, widget } = await app.account();
    const { visitor, room } = await app.session(widget);
    await write({ visitor }, room.uuid);
    await forget(room.uuid);
    const fields = { nickname: 'Ada', email: '', phone_number: '', device: '', referrer: '' };
    const lead = randomUUID();
    const place = { room: room.uuid, at: new Date() };
    await app.services.leads.createByBot(id, { ...fields, from_page_title: '' }, lead, place);
    const alone = await app.services.leads.create(id, { ...fields, from_page_title: '' });
    await app.services.roomWidgets.sweep();
    const { leads } = app.services.models;
    expect(await leads.findOne({ _id: lead }).lean()).toMatchObject({ widget: await widgetOf(widget) });
    expect(await leads.findOne({ _id: alone._id }).lean()).toMatchObject({ widget: '' });
  });

  it('conversations get the one of their room, also one that was begun meanwhile', async () => {
    const { widget } = await app.account();
    const rooms = await Promise.all(
      [1, 2, 3].map(async () => {
        const { visitor, room } = await app.session(widget);
        await write({ visitor }, room.uuid);
        return room.uuid as string;
      }),
    );
    const [known, begun, late] = rooms as [string, string, string];
    const { inbox, rooms: stored } = app.services.models;
    const id = await widgetOf(widget);
    await expect.poll(() => inbox.countDocuments({ _id: { $in: rooms }, widget: id })).toBe(3);
    for (const uuid of rooms) await forget(uuid);
    const before = await stored.findOne({ _id: begun }).lean();
    await inbox.updateMany({ _id: { $in: [known, late] } }, { $set: { widget: '' } });
    await inbox.deleteOne({ _id: begun });
    await app.services.roomWidgets.sweep();
    // Somebody has read the room before the sweep, and begins its conversation after it.
    await app.services.follower.begin(before as never, { isTold: false });
    await inbox.updateOne({ _id: late }, { $set: { widget: '' } });
    await app.services.backfill.run();
    for (const uuid of rooms) expect(await inbox.findById(uuid).lean()).toMatchObject({ widget: id });
  });

  it('everything has it in the end, whoever is killed in between', { timeout: 240_000 }, async () => {
    const settings = await sharedSettings();
    const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
    const db = connection.db;
    if (!db) throw new Error('no database');
    const [rooms, messages, sessions] = ['rooms', 'messages', 'visitorsessions'].map((name) =>
      db.collection<any>(name),
    );
    const [account, widget] = [randomUUID(), randomUUID()];
    const created_at = new Date();
    const numbers = Array.from({ length: 6_000 }, (_, n) => n);
    const room = numbers.map(() => randomUUID());
    const fields = { account, created_at, name: '', rating: null, is_bot_use: false, version: 1 };
    await rooms?.insertMany(numbers.map((n) => ({ _id: room[n], label: `room-${n}`, ...fields })));
    await sessions?.insertMany(
      numbers
        .filter((n) => n % 3 > 0)
        .map((n) => ({ _id: randomUUID(), account, widget, room: room[n], label: `room-${n}`, created_at })),
    );
    await messages?.insertMany(
      numbers.flatMap((n) =>
        [1, 2].map(() => ({ _id: randomUUID(), account, room: room[n], body: 'Hi', sent_at: created_at })),
      ),
    );
    const left = async () =>
      ((await rooms?.countDocuments({ widget: null })) ?? 0) +
      ((await messages?.countDocuments({ widget: null })) ?? 0);
    const all = 3 * numbers.length;
    const between: number[] = [];
    for (let kills = 0; kills < 3 && (await left()) > 0; kills++) {
      const before = await left();
      const server = await startServerProcess(settings);
      while ((await left()) === before) await sleep(5);
      await server.end('SIGKILL');
      between.push(await left());
    }
    // It was killed while it was at work.
    expect(between.some((count) => count > 0 && count < all)).toBe(true);
    await startServerProcess(settings);
    await expect.poll(left, { timeout: 60_000, interval: 100 }).toBe(0);
    for (const collection of [rooms, messages]) {
      const named = await collection?.countDocuments({ widget });
      const none = await collection?.countDocuments({ widget: '' });
      expect(named).toBe(2 * (none ?? 0));
    }
    await connection.close();
  });
});
