import { setTimeout as sleep } from 'node:timers/promises';
import { REALTIME_PATH } from '@parlor/shared';
import { expect, it, onTestFinished, vi } from 'vitest';
import { WebSocket } from 'ws';
import { startConversation } from './realtime-parts.ts';
import { type ServerProcess, sharedSettings, startServerProcess } from './server-process.ts';

const MAX = 5;

/** @returns the socket, or with what status its upgrade was refused */
const open = ({ url }: ServerProcess, token: string): Promise<WebSocket | number> =>
  new Promise((resolve) => {
    const socket = new WebSocket(url.replace(/^http/, 'ws') + REALTIME_PATH);
    onTestFinished(() => socket.terminate());
    socket.on('error', () => undefined);
    socket.once('open', () => {
      socket.send(JSON.stringify({ type: 'auth', scheme: 'Token', token }));
      resolve(socket);
    });
    socket.once('unexpected-response', (_request, response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
  });

/** Two processes, the first of which has all the connections open that this address may have. */
const startFull = async () => {
  const limits = { RATE_LIMIT: 'on', REALTIME_CONNECTIONS: String(MAX), RATE_LIMIT_REALTIME: '1000' };
  const settings = { ...(await sharedSettings()), ...limits };
  const { server: one, token } = await startConversation(settings);
  const other = await startServerProcess(settings);
  for (let i = 0; i < MAX; i++) expect(await open(one, token)).toBeInstanceOf(WebSocket);
  const openOther = () => open(other, token);
  expect(await openOther()).toBe(429);
  return { one, openOther };
};

it('connections of a process that was killed count for seconds, not minutes', {
  timeout: 60_000,
}, async () => {
  const { one, openOther } = await startFull();
  await one.end('SIGKILL');
  // As `Retry-After` says.
  await sleep(10_000);
  for (let i = 0; i < MAX; i++) expect(await openOther()).toBeInstanceOf(WebSocket);
  expect(await openOther()).toBe(429);
});

it('those of a process that stood still for a while count again when it goes on', {
  timeout: 90_000,
}, async () => {
  const { one, openOther } = await startFull();
  process.kill(one.pid, 'SIGSTOP');
  await sleep(10_000);
  // For all that others know, it is dead.
  for (let i = 0; i < MAX - 1; i++) {
    const socket = await openOther();
    expect(socket).toBeInstanceOf(WebSocket);
    (socket as WebSocket).terminate();
  }
  process.kill(one.pid, 'SIGCONT');
  await vi.waitFor(
    async () => {
      const socket = await openOther();
      if (socket instanceof WebSocket) socket.terminate();
      expect(socket instanceof WebSocket ? 'open' : socket).toBe(429);
    },
    { timeout: 15_000, interval: 500 },
  );
});
