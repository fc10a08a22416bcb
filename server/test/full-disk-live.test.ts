import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it } from 'vitest';
import { connect } from './realtime-client.ts';
import { startServerProcess } from './server-process.ts';
import { MIB, smallDisk } from './small-disk.ts';

/** Takes all that is left of a disk, slowly: what needs much room is refused before what needs little. @returns how many bytes that was */
const takeRest = async (file: string): Promise<number> => {
  const handle = await open(file, 'w');
  let bytes = 0;
  try {
    for (;;) {
      bytes += (await handle.write(Buffer.alloc(64 * 1024))).bytesWritten;
      await sleep(10);
    }
  } catch {
    return bytes;
  } finally {
    await handle.close();
  }
};

it.skipIf(inject('isRealMongodb'))(
  'the live channel goes on when a disk that was full has room for a little again',
  { timeout: 180_000 },
  async (context) => {
    const disk = await smallDisk(64 * MIB);
    if (disk === undefined) return context.skip('a small disk can be mounted by root only');
    const settings = { PORT: '0', DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', DISK_RESERVE_MIB: '2' };
    const server = await startServerProcess(settings);
    const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1] ?? '';
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    const post = (path: string, body: object) =>
      fetch(`${server.url}/api/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    const room = (await (await post('/rooms/', {})).json()) as { uuid: string };
    const say = async (body: string) =>
      (await post('/messages/', { body, room: { uuid: room.uuid } })).status;

    // What waits to be told when the disk is full is tried again and again.
    const writers = Array.from({ length: 40 }, async () => {
      while ((await say('before')) === 201);
    });
    const others = join(disk, 'others');
    const bytes = await takeRest(others);
    await Promise.all(writers);
    await sleep(20_000);

    await truncate(others, bytes - 10 * MIB);
    const { find } = await connect(server.url, { token });
    await expect.poll(() => say('after'), { timeout: 30_000 }).toBe(201);
    await find((frame) => frame.type === 'message.added' && frame.data.body === 'after', 20_000);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);
