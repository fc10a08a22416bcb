import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { keepSocket } from './kept-socket.ts';
import { listenOnPrivateSocket } from './private-socket.ts';

test.skipIf(process.platform === 'win32')(
  'a socket that was removed with its folder is made anew',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pem-'));
    const path = join(folder, 'db.sock');
    const first = await listenOnPrivateSocket(path);
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const taken: (typeof first)[] = [];
    const stop = keepSocket(path, (server) => taken.push(server));
    onTestFinished(() => {
      vi.useRealTimers();
      stop();
      for (const server of [first, ...taken]) server.close();
      rmSync(folder, { recursive: true, force: true });
    });
    vi.advanceTimersByTime(5_000);
    rmSync(folder, { recursive: true });
    vi.advanceTimersByTime(5_000);
    await expect.poll(() => taken.length).toBe(1);
    expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
    const client = connect(path);
    await once(client, 'connect');
    client.destroy();
  },
);
