import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongoose';
import { describe, expect, it } from 'vitest';
import { startWithHeap } from './small-heap.ts';

/** How many are asked for at once; all of them together have more than the heap may have. */
const AT_ONCE = 400;
const HEAP_MIB = 128;
/** What a turn of a bot says at most. */
const SAID = 'x'.repeat(256 * 1_024);

/** Puts objects into a collection, so few at a time that the server holds few of them. */
const fill = async (collection: Collection<{ _id: string }>, objects: readonly { _id: string }[]) => {
  for (let n = 0; n < objects.length; n += 10) await collection.insertMany(objects.slice(n, n + 10));
};

/** A server with a small heap, and as many rooms whose bots have said much, with a message each that they answered. */
const startWithBots = async () => {
  const own = await startWithHeap(HEAP_MIB);
  const { account, collection } = own;
  const now = new Date();
  const position = { status: 'active', node: 'q', asked: 1, variables: [], workflow: 'none', graph: 'none' };
  const rooms = Array.from({ length: AT_ONCE }, (_, n) => ({
    _id: randomUUID(),
    ...{ label: `room-${n}`, name: '', rating: null, is_bot_use: true, account, widget: '', version: 1 },
    created_at: now,
    bot: {
      ...position,
      turns: 1,
      last_sent_at: now,
      last: { turn: randomUUID(), status: 'active', messages: [{ text: SAID, sent_at: now }] },
    },
  }));
  const who = { nickname: '', email: '', phone_number: '', is_support_sender: false, is_bot: false };
  const messages = rooms.map(({ _id: room }) => ({
    _id: randomUUID(),
    ...{ account, room, widget: '', ...who, body: 'Hello', sent_at: now, support_answer: SAID },
  }));
  await fill(collection('rooms'), rooms);
  await fill(collection('messages'), messages);
  return { ...own, rooms, messages };
};

/** A server with a small heap, and deliveries of the largest events. */
const startWithDeliveries = async () => {
  const own = await startWithHeap(HEAP_MIB);
  const { account, collection, rest } = own;
  const now = new Date();
  const target = 'https://example.com/hook';
  const { json } = await rest('POST', '/api/v1/webhooks/', { target, event: 'message.added' });
  const deliveries = Array.from({ length: 10 }, () => ({
    _id: randomUUID(),
    ...{ account, event_id: randomUUID(), event: 'message.added', webhook: json.uuid, body: SAID.repeat(8) },
    subscription: { uuid: json.uuid, target, event: 'message.added' },
    ...{ state: 'delivered', created_at: now, event_at: now, tries: 1, attempts: [] },
  }));
  await fill(collection('deliveries'), deliveries);
  return { ...own, deliveries };
};

describe('large objects that are asked for at once do not end a server', { timeout: 240_000 }, () => {
  it('when they are messages with what bots have answered, and rooms that members take over and delete', async () => {
    const { rest, rooms, messages, collection } = await startWithBots();
    const read = async ({ _id }: { _id: string }) => {
      const { status, json } = await rest('GET', `/api/v1/messages/${_id}/`);
      return [status, json.uuid === _id, json.support_answer?.length];
    };
    expect(await Promise.all(messages.map(read))).toEqual(Array(AT_ONCE).fill([200, true, SAID.length]));
    const takeOver = async ({ _id: uuid }: { _id: string }) => {
      const message = { body: 'Hello', is_support_sender: true, room: { uuid } };
      return (await rest('POST', '/api/v1/messages/', message)).status;
    };
    expect(await Promise.all(rooms.map(takeOver))).toEqual(Array(AT_ONCE).fill(201));
    expect(await collection('rooms').countDocuments({ is_bot_use: true })).toBe(0);
    const remove = async ({ label }: { label: string }) =>
      (await rest('DELETE', `/api/v1/rooms/${label}/`)).status;
    const some = rooms.slice(0, 50);
    expect(await Promise.all(some.map(remove))).toEqual(Array(some.length).fill(204));
  });

  it('when they are deliveries, with or without what was sent', async () => {
    const { rest, deliveries } = await startWithDeliveries();
    const asked = Array.from({ length: AT_ONCE }, (_, n) => deliveries[n % deliveries.length]?._id);
    const read = async (id = '') => (await rest('GET', `/api/v1/deliveries/${id}/`)).json.state;
    expect(await Promise.all(asked.map(read))).toEqual(Array(AT_ONCE).fill('delivered'));
    const readBody = async (id = '') =>
      (await rest('GET', `/api/v1/deliveries/${id}/body/`)).json.body.length;
    const some = asked.slice(0, 100);
    expect(await Promise.all(some.map(readBody))).toEqual(Array(some.length).fill(SAID.length * 8));
  });
});
