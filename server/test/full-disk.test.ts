import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { startServerProcess } from './server-process.ts';

const DISK_BYTES = 8 * 1024 * 1024;

/** A small disk of its own, where this user may mount one. */
const smallDisk = async (): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-full-'));
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES}`, 'tmpfs', folder]);
  onTestFinished(async () => {
    if (status === 0) execFileSync('umount', [folder]);
    await rm(folder, { recursive: true, force: true });
  });
  return status === 0 ? folder : undefined;
};

it.skipIf(inject('isRealMongodb'))(
  'a full disk is told, loses nothing, and is over when there is room',
  { timeout: 120_000 },
  async (context) => {
    const disk = await smallDisk();
    if (disk === undefined) return context.skip('a small disk can be mounted by root only');
    const dataDir = join(disk, 'data');
    await mkdir(dataDir);
    const server = await startServerProcess({ PORT: '0', DATA_DIR: dataDir, RATE_LIMIT: 'off' });
    const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1];
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    const api = (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}/api/v1${path}`, { headers, ...init });
    const room = (await (await api('/rooms/', { method: 'POST' })).json()) as { uuid: string; label: string };
    const say = () =>
      api('/messages/', {
        method: 'POST',
        body: JSON.stringify({ body: 'x'.repeat(4_000), room: { uuid: room.uuid } }),
      });

    // Somebody else takes most of the room; the server the rest.
    await writeFile(join(disk, 'others'), Buffer.alloc(DISK_BYTES / 2));
    let acknowledged = 0;
    let refused = await say();
    for (; refused.status === 201; refused = await say()) acknowledged++;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await refused.json()).toEqual({
      detail: 'The disk of the database is full. Deleting makes room.',
    });
    expect((await api('/rooms/')).status).toBe(200);

    await rm(join(disk, 'others'));
    await expect.poll(async () => (await say()).status, { timeout: 20_000 }).toBe(201);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const check = await spawnCommand({ DATA_DIR: dataDir }, ['database', 'check']).result;
    expect([check.code, check.err]).toEqual([0, '']);
    expect(Number(/(\d+) documents/.exec(check.out)?.[1])).toBeGreaterThan(acknowledged);
  },
);
