import { signal } from '@preact/signals';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { KnownMessage } from '../contract/server.ts';
import type { OutItem } from '../transport/queue.ts';
import { Refusal } from '../transport/request.ts';
import type { Conversation } from './conversation.ts';
import { createMessageLog } from './message-log.ts';
import { createSync } from './sync.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const PAGE = 50;

/** The widget's side of a conversation in which the other side says numbers, beside a server that lists them. */
function setUp() {
  const said: KnownMessage[] = [];
  const server = { refusals: 0, reads: 0 };
  const items = signal<OutItem[]>([]);
  const conversation = { items, queue: { remove: () => {} }, emit: () => {} } as unknown as Conversation;
  const ask = async (url: string) => {
    if (server.refusals && server.refusals--) throw new Refusal(503);
    server.reads++;
    const before = Number(/before=(\d+)/.exec(url)?.[1] ?? said.length);
    const from = Math.max(0, before - PAGE);
    return { body: said.slice(from, before).reverse(), next: from ? `?before=${from}` : undefined };
  };
  const sender = {
    sessions: { current: () => ({ token: 't', room: { uuid: 'room' } }), drop: () => {} },
    ask,
    signal: new AbortController().signal,
  };
  const log = createMessageLog(conversation, () => {});
  const reader = createSync(conversation, sender as never, log);
  /** Adds `count` messages of the other side, or of this visitor. @returns the last one */
  const say = (count: number, is_support_sender = true) => {
    for (let index = 0; index < count; index++) {
      const number = said.length + 1;
      const sent_at = new Date(number * 1_000).toISOString();
      said.push({ uuid: `${number}`, body: `${number}`, is_support_sender, sent_at });
    }
    return said.at(-1) as KnownMessage;
  };
  const shown = () => log.messages.peek().map(({ body }) => Number(body));
  return { ...reader, say, shown, server, items };
}

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('reads the latest page first, and later what was said since', async () => {
  const { sync, say, shown, server } = setUp();
  say(60);
  await sync();
  expect(shown()).toEqual(from(11, 60));
  say(3);
  await sync();
  expect(shown()).toEqual(from(11, 63));
  expect(server.reads).toBe(2);
});

test('closes a gap also where something newer is known already', async () => {
  const { sync, say, shown, receive, server } = setUp();
  say(10);
  await sync();
  say(70);
  server.refusals = 1;
  await sync();
  receive(say(1));
  await vi.advanceTimersByTimeAsync(2_000);
  expect(shown()).toEqual(from(1, 81));

  // One's own words are known as soon as they have arrived.
  say(70);
  receive(say(1, false));
  await sync();
  expect(shown()).toEqual(from(1, 152));
});

test('begins anew behind a gap that is too long, and reads back from there', async () => {
  const { sync, say, shown, older, loadOlder, receive } = setUp();
  say(60);
  await sync();
  say(400);
  const read = sync();
  receive(say(1));
  await read;
  expect(shown()).toEqual(from(211, 461));
  while (older.peek()) await loadOlder();
  expect(shown()).toEqual(from(1, 461));
});
