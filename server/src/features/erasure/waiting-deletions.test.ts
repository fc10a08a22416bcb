import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { createApp } from '../../app.ts';
import { wholeRoomTurns } from '../rooms/whole-rooms.ts';

/** Requests that wait for others which read whole rooms. */

const app = testApp();
const people = testMembers(app);
const PATIENCE = { timeout: 30_000, interval: 20 };

/** Takes all turns of an account. @returns what says how many have come into the line since, and ends it */
const takeTurns = (account: string) => {
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const running = Promise.all(Array.from({ length: 4 }, () => wholeRoomTurns.run(account, () => ended)));
  const spy = vi.spyOn(wholeRoomTurns, 'run');
  onTestFinished(async () => {
    spy.mockRestore();
    end();
    await running;
  });
  const waits = (count: number) =>
    vi.waitFor(() => expect(spy.mock.calls.filter(([who]) => who === account)).toHaveLength(count), PATIENCE);
  return { end, waits };
};

/** From now on it is more than a second later. */
const letTimePass = (): void => {
  const { now } = performance;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now.call(performance) + 2_000);
  onTestFinished(() => clock.mockRestore());
};

const makeRoom = async (token: string, more: object = {}) =>
  (await app.request('POST', '/api/v1/rooms/', { token, body: { name: 'Old', ...more } })).json;

const statusOf = async (token: string, label: string): Promise<number> =>
  (await app.request('GET', `/api/v1/rooms/${label}/`, { token })).status;

it('a deletion that waited is refused to an admin that has been removed, and nothing is begun before its turn', async () => {
  const { token, id } = await app.account();
  const admin = await people.member(token, 'admin');
  const room = await makeRoom(token);
  const { end, waits } = takeTurns(id);
  const late = app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token: admin.token });
  await waits(1);
  expect(await app.services.models.roomDeletions.countDocuments({ account: id })).toBe(0);
  expect((await people.remove(token, admin.uuid)).status).toBe(204);
  letTimePass();
  end();
  expect((await late).status).toBe(401);
  expect(await statusOf(token, room.label)).toBe(200);
  expect(await app.services.models.roomDeletions.countDocuments({ account: id })).toBe(0);
});

it('a message that waited to take a room over is refused to a member that does not see it any more', async () => {
  const { token, id, widget } = await app.account();
  const other = await app.request('POST', '/api/v1/widgets/', { token, body: { name: 'Other' } });
  const { visitor, room } = await app.session(widget);
  const write = (by: object, body: string) =>
    app.request('POST', '/api/v1/messages/', {
      ...by,
      body: { body, room: { uuid: room.uuid }, is_support_sender: 'token' in by },
    });
  expect((await write({ visitor }, 'Hello')).status).toBe(201);
  const { rooms, messages } = app.services.models;
  await rooms.updateOne({ _id: room.uuid }, { $set: { is_bot_use: true } });
  const removed = await people.member(token, 'admin');
  const restricted = await people.member(token, 'operator');
  const { end, waits } = takeTurns(id);
  const late = [write(removed, 'Evil'), write(restricted, 'Evil')];
  await waits(2);
  expect((await people.remove(token, removed.uuid)).status).toBe(204);
  const widgets = [other.json.uuid];
  expect((await people.change(token, restricted.uuid, { widgets })).status).toBe(200);
  letTimePass();
  end();
  const fresh = await write(restricted, 'Evil');
  expect((await Promise.all(late)).map(({ status }) => status)).toEqual([401, fresh.status]);
  expect(fresh.status).toBe(400);
  expect(await messages.countDocuments({ room: room.uuid, body: 'Evil' })).toBe(0);
  expect((await rooms.findById(room.uuid).lean())?.is_bot_use).toBe(true);
});

it('nothing is done for whoever has hung up while it waited', async () => {
  const { token, id } = await app.account();
  const gone = await makeRoom(token);
  const taken = await makeRoom(token, { is_bot_use: true });
  const last = await makeRoom(token);
  const server = createServer(createApp(app.services).callback()).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { end, waits } = takeTurns(id);
  const message = JSON.stringify({ body: 'Hi', is_support_sender: true, room: { uuid: taken.uuid } });
  const asked = [
    `DELETE /api/v1/rooms/${gone.label}/ HTTP/1.1\r\n`,
    `POST /api/v1/messages/ HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${message.length}\r\n`,
  ].map((head, at) => `${head}Host: x\r\nAuthorization: Token ${token}\r\n\r\n${at === 1 ? message : ''}`);
  const sockets = asked.map((text) => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
    socket.write(text);
    return socket;
  });
  await waits(2);
  for (const socket of sockets) socket.destroy();
  const connections = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
  await expect.poll(connections, PATIENCE).toBe(0);
  const behind = app.request('DELETE', `/api/v1/rooms/${last.label}/`, { token });
  await waits(3);
  end();
  expect((await behind).status).toBe(204);
  expect(await statusOf(token, gone.label)).toBe(200);
  expect((await app.request('GET', `/api/v1/rooms/${taken.label}/`, { token })).json).toMatchObject({
    is_bot_use: true,
    messages: [],
  });
});
