import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createLiveSocket, type LiveSocketOptions } from './live-socket.ts';

/** A socket that opens and is never heard of again, as one is behind a network that has gone. */
class SilentSocket {
  static OPEN = 1;
  readyState = 1;
  onopen?: () => void;
  onclose?: (event: { code: number }) => void;
  constructor() {
    opened.push(this);
    setTimeout(() => this.onopen?.());
  }
  send() {}
  close() {}
}

let opened: SilentSocket[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('WebSocket', SilentSocket);
  vi.stubGlobal('addEventListener', () => undefined);
  vi.stubGlobal('removeEventListener', () => undefined);
  opened = [];
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

/** A channel that the server has said to be ready. */
async function ready() {
  const session = { token: 't' };
  const channel = createLiveSocket({
    server: 'http://shop.intranet/',
    sessions: {
      current: () => session,
      ensure: async () => session,
    } as unknown as LiveSocketOptions['sessions'],
    after: () => undefined,
    take: () => undefined,
    lost: () => undefined,
    sync: async () => undefined,
  });
  await vi.advanceTimersByTimeAsync(10);
  channel.noteReady();
  return channel;
}

test('a socket that says nothing for two pings is given up for another', async () => {
  const channel = await ready();
  await vi.advanceTimersByTimeAsync(40_000);
  expect(opened).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(40_000);
  expect(opened).toHaveLength(2);
  channel.stop();
});

test('a clock that is put back by hours keeps no silent socket for as long', async () => {
  const channel = await ready();
  vi.setSystemTime(Date.now() - 3 * 3_600_000);
  await vi.advanceTimersByTimeAsync(80_000);
  expect(opened).toHaveLength(2);
  channel.stop();
});
