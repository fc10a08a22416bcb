import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { listenOnPrivateSocket } from './private-socket.ts';

const place = () => {
  const folder = mkdtempSync(join(tmpdir(), 'pem-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return { folder, path: join(folder, 's.sock') };
};

const close = async (server: Awaited<ReturnType<typeof listenOnPrivateSocket>>) => {
  server.close();
  await once(server, 'close');
};

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined;

test.skipIf(process.platform === 'win32')('its file goes with the server, and only its own', async () => {
  const { folder, path } = place();
  const server = await listenOnPrivateSocket(path);
  renameSync(path, join(folder, 'moved'));
  const next = await listenOnPrivateSocket(path);
  await close(server);
  expect(isThere(path)).toBe(true);
  await close(next);
  expect(isThere(path)).toBe(false);
});

test.skipIf(process.platform !== 'linux')(
  'a disk that takes no writes any more keeps no server from closing',
  async (context) => {
    const { folder, path } = place();
    const server = await listenOnPrivateSocket(path);
    // The same folder over itself, to be read alone.
    const isReadOnly = ['--bind', '-oremount,bind,ro'].every(
      (option) => spawnSync('mount', [option, folder, folder]).status === 0,
    );
    if (!isReadOnly) return context.skip('root only can mount');
    onTestFinished(() => void execFileSync('umount', [folder]));
    await close(server);
    expect(isThere(path)).toBe(true);
  },
);
