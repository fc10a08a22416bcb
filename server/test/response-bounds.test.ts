import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startWithHeap } from './small-heap.ts';

/** What no answer exceeds: a page of 2 MiB and the object that it begins with. */
const MAX_ANSWER_BYTES = 2 * 1024 * 1024 + 4_096;
const MESSAGES = 80;
/** The longest message there is: 10 000 characters of four bytes. */
const LONGEST = '😀'.repeat(10_000);

/** A server with a heap of 512 MB, and an account with `count` rooms of 3.2 MB of messages. */
const startLarge = async (count: number, env: Record<string, string> = {}) => {
  const { server, token, collection, account } = await startWithHeap(512, env);
  const now = Date.now();
  const rooms = Array.from({ length: count }, (_, n) => ({
    _id: randomUUID(),
    label: `room-${n}`,
    created_at: new Date(now + n),
  }));
  await collection('rooms').insertMany(
    rooms.map((room) => ({ ...room, name: '', rating: null, is_bot_use: false, account, version: 1 })),
  );
  const who = { nickname: '', email: '', phone_number: '', is_support_sender: false, is_bot: false };
  for (const [place, { _id: room }] of rooms.entries()) {
    const messages = Array.from({ length: MESSAGES }, (_, n) => ({
      _id: randomUUID(),
      ...{ account, room, ...who, body: LONGEST, sent_at: new Date(now + n * count + place) },
    }));
    await collection('messages').insertMany(messages);
  }
  const get = async (path: string) => {
    const answer = await fetch(new URL(path, server.url), { headers: { Authorization: `Token ${token}` } });
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect([path, answer.status, bytes.length <= MAX_ANSWER_BYTES, bytes.length]).toEqual([
      path,
      200,
      true,
      bytes.length,
    ]);
    const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1];
    return { json: JSON.parse(bytes.toString()), next };
  };
  /** Everything of a list, by following Link. */
  const walk = async (path: string) => {
    const all: { uuid: string; messages: { sent_at: string }[] }[] = [];
    for (let at: string | undefined = path; at; ) {
      const { json, next } = await get(at);
      expect(json.length).toBeGreaterThan(0);
      all.push(...json);
      at = next;
    }
    return all;
  };
  return { server, token, rooms, get, walk };
};

describe('an answer', { timeout: 120_000 }, () => {
  it('ends by bytes, and all there is can be had by following Link', async () => {
    const { rooms, get, walk } = await startLarge(6);
    const messages = await walk('/api/v1/messages/?limit=1000');
    expect(new Set(messages.map(({ uuid }) => uuid)).size).toBe(6 * MESSAGES);
    const listed = await walk('/api/v1/rooms/?limit=1000&messages_limit=500');
    expect(listed.map(({ uuid }) => uuid)).toEqual(rooms.map(({ _id }) => _id).reverse());
    const { json } = await get('/api/v1/rooms/room-0/?messages_limit=500');
    expect(json).toEqual(listed.at(-1));
    const latest = (await get(`/api/v1/messages/?room=${rooms[0]?._id}&limit=1`)).json[0];
    expect(json.messages.length).toBeGreaterThan(40);
    expect(json.messages.at(-1).uuid).toBe(latest.uuid);
    // Six of these ended a process with this heap.
    await Promise.all(Array.from({ length: 6 }, () => get('/api/v1/rooms/?limit=1000&messages_limit=500')));
  });

  it('that nobody reads is cut off, and one that is read slowly is not', async () => {
    const { server, token } = await startLarge(1, { RESPONSE_STALL_TIMEOUT: '4s', LOG_LEVEL: 'info' });
    const { port } = new URL(server.url);
    const ask = (path: string, times = 4): Socket => {
      const socket = connect(Number(port), '127.0.0.1').pause();
      onTestFinished(() => void socket.destroy());
      socket.on('error', () => undefined);
      // Pipelined, so that the system's own buffers can't hold all of it.
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Token ${token}\r\n\r\n`;
      socket.write(request.repeat(times));
      return socket;
    };
    const lists = ['/api/v1/messages/?limit=1000', '/api/v1/rooms/?messages_limit=500'];
    for (let n = 0; n < 100; n++) ask((n < 10 ? lists[n % 2] : undefined) ?? '/api/v1/docs/scalar.js');
    const slow = ask('/api/v1/docs/scalar.js', 17);
    await once(slow, 'connect');
    let read = 0;
    const reading = setInterval(() => {
      read += (slow.read() as Buffer | null)?.length ?? 0;
    }, 50);
    onTestFinished(() => clearInterval(reading));
    const cutOff = () => server.stderr().match(/cut off a client that does not read/g)?.length ?? 0;
    await expect.poll(cutOff, { timeout: 60_000 }).toBe(100);
    const before = read;
    await expect.poll(() => read, { timeout: 60_000 }).toBeGreaterThan(before);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });
});
