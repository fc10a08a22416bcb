import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import type { Services } from '../compose.ts';
import { CommandServer } from './command-server.ts';
import { connectToServer } from './command-socket.ts';

afterEach(() => void vi.useRealTimers());

/** What the server sends to who asks so for a command that reads lines, whose end comes after 10 s. */
const framesFor = async (asked: object): Promise<unknown[]> => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const log = { info: () => undefined, warn: () => undefined };
  const folder = await temporaryFolder();
  const server = new CommandServer(folder, { log } as unknown as Services);
  await server.start();
  const socket = await connectToServer(folder);
  if (!socket) throw new Error('nobody listens');
  let told = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    told += chunk;
  });
  socket.write(`${JSON.stringify(asked)}\n`);
  await expect.poll(() => told).toContain('wants');
  await vi.advanceTimersByTimeAsync(10_000);
  socket.write('{"end":true}\n');
  await once(socket, 'end');
  const frames = told.trimEnd().split('\n');
  await server.stop(0);
  return frames.map((frame) => JSON.parse(frame));
};

const words = ['account', 'reset-password', 'ada', '--password-stdin'];
const wants = { wants: 'lines' };
const refusal = { error: 'password: This field may not be blank.', isUsage: true };

it.skipIf(process.platform === 'win32')('says that it is alive to who hears that', async () => {
  const alive = { alive: true };
  const frames = await framesFor({ words, hearsAlive: true });
  expect(frames).toEqual([alive, wants, ...Array(5).fill(alive), refusal]);
});

it.skipIf(process.platform === 'win32')('stops whatever a command waits for', async () => {
  const asked = vi.fn(() => new Promise(() => undefined));
  const log = { info: () => undefined, warn: () => undefined };
  const folder = await temporaryFolder();
  const server = new CommandServer(folder, { log, members: { byUsername: asked } } as unknown as Services);
  await server.start();
  const socket = await connectToServer(folder);
  socket?.write(`${JSON.stringify({ words: ['account', 'token', 'ada'] })}\n`);
  await expect.poll(() => asked.mock.calls.length).toBe(1);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const cut = once((socket as Socket).resume(), 'close');
  const stopped = server.stop(10_000);
  await vi.advanceTimersByTimeAsync(15_000);
  await Promise.all([stopped, cut]);
  expect(socket?.destroyed).toBe(true);
});

// To that one every frame that it does not know is an error, which ends it.
it.skipIf(process.platform === 'win32')(
  'sends to a command line of an older version what that one knows, and nothing else',
  async () => {
    expect(await framesFor({ words })).toEqual([wants, refusal]);
  },
);
