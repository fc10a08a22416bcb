import mongoose from 'mongoose';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Connection } from '../src/features/realtime/connection.ts';
import { RecentFrames } from '../src/features/realtime/recent-frames.ts';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { isType } from './realtime-parts.ts';
import { caller, owner } from './rest.ts';
import { withServerHere } from './server-here.ts';
import { serverSettings } from './server-process.ts';

const MESSAGES = 40;

const messages = ({ frames }: RealtimeClient) => frames.filter(isType('message.added'));

/** A visitor's conversation of long messages, and the id that a client has which has seen none of them. */
const longConversation = async (url: string) => {
  const { widget } = await owner(url, 'ada');
  const { json } = await caller(url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
  const visitor = { visitor: json.token as string };
  const before = await connect(url, visitor);
  const say = caller(url, `Visitor ${json.token}`);
  const message = { body: '😀'.repeat(10_000), room: { uuid: json.room.uuid } };
  for (let n = 0; n < MESSAGES; n++) await say('POST', '/api/v1/messages/', message);
  await expect.poll(() => messages(before).length).toBe(MESSAGES);
  await before.close();
  return { visitor, after: before.after };
};

/** Counts what is read from the log of events, in documents. */
const readFromLog = () => {
  const counted = { documents: 0 };
  const { FindCursor } = mongoose.mongo;
  const read = FindCursor.prototype.toArray;
  const spy = vi.spyOn(FindCursor.prototype, 'toArray').mockImplementation(async function (this: never) {
    const found = await read.call(this);
    if ((this as { namespace: { collection: string } }).namespace.collection.startsWith('realtime'))
      counted.documents += found.length;
    return found;
  });
  onTestFinished(() => spy.mockRestore());
  return counted;
};

it('what a client missed is read about once, however slowly it takes it', async () => {
  // A process that has begun a moment ago, and clients that have never read what they were sent a moment ago.
  vi.spyOn(RecentFrames.prototype, 'after').mockReturnValue(undefined);
  vi.spyOn(Connection.prototype, 'isDrained', 'get').mockReturnValue(false);
  vi.spyOn(Connection.prototype, 'drained').mockResolvedValue();
  onTestFinished(() => void vi.restoreAllMocks());
  await withServerHere({ ...(await serverSettings()), RATE_LIMIT: 'off' }, async (url) => {
    const { visitor, after } = await longConversation(url);
    const read = readFromLog();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => connect(url, visitor, { after })));
    await expect.poll(() => sockets.flatMap(messages).length).toBe(5 * MESSAGES);
    expect(read.documents).toBeLessThan(3 * 5 * MESSAGES);
    for (const socket of sockets) await socket.close();
  });
});
