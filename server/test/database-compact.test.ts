import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

it.skipIf(inject('isRealMongodb'))(
  'database compact: not while a server runs; then it says the sizes, and the server goes on with everything',
  { timeout: 240_000 },
  async () => {
    const folder = await temporaryFolder();
    const settings = { DATA_DIR: join(folder, 'data'), PORT: '0', TMPDIR: folder };
    const compact = (env: Record<string, string> = settings) =>
      spawnCommand(env, ['database', 'compact']).result;
    expect(await compact()).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^there is no embedded database in .*data\/database\n/),
    });

    const first = await startServerProcess(settings);
    const token = /API token {3}(\w+)/.exec(first.stdout())?.[1];
    const headers = { Authorization: `Token ${token}` };
    const room = await fetch(`${first.url}/api/v1/rooms/`, { method: 'POST', headers });
    expect(room.status).toBe(201);
    expect(await compact()).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(/^another process is using the data directory .*data/),
    });
    await first.end('SIGTERM');

    const done = await compact();
    expect(done).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(/^compacted: \d+ bytes before, \d+ /),
    });
    const [before, after] = [...done.out.matchAll(/\d+/g)].map(Number) as [number, number];
    expect(after).toBeLessThanOrEqual(before);
    const second = await startServerProcess(settings);
    const rooms = await (await fetch(`${second.url}/api/v1/rooms/`, { headers })).json();
    expect(rooms).toMatchObject([await room.json()]);

    const elsewhere = await compact({
      ...settings,
      MONGODB_URL: 'mongodb://127.0.0.1:1',
      SECRET_KEY: 'x'.repeat(32),
    });
    expect([elsewhere.code, elsewhere.err]).toEqual([1, expect.stringMatching(/^MONGODB_URL is set: /)]);
  },
);
