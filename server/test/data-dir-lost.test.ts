import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { caller } from './rest.ts';
import { startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What was acknowledged is in the DATA_DIR that the next start finds, whatever becomes of it under a running server. */

it.skipIf(inject('isRealMongodb') || process.platform === 'win32')(
  'nothing is stored in a DATA_DIR that was moved or replaced, until it is back',
  { timeout: 120_000 },
  async () => {
    const folder = await temporaryFolder();
    const DATA_DIR = join(folder, 'data');
    const elsewhere = join(folder, 'elsewhere');
    const settings = { PORT: '0', DATA_DIR, TMPDIR: folder, RATE_LIMIT: 'off', LOG_LEVEL: 'error' };
    const server = await startServerProcess(settings);
    const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1];
    const rest = caller(server.url, `Token ${token}`);
    const make = async () => (await rest('POST', '/api/v1/rooms/')).status;
    const lostLines = () => server.stderr().match(/"msg":"the database is not in its place/g) ?? [];
    expect(await make()).toBe(201);

    await rename(DATA_DIR, elsewhere);
    expect(await make()).toBe(503);
    expect((await rest('GET', '/readyz')).status).toBe(503);
    expect((await rest('GET', '/api/v1/rooms/')).json).toHaveLength(1);
    await expect.poll(lostLines).toHaveLength(1);
    await rename(elsewhere, DATA_DIR);
    expect(await make()).toBe(201);
    expect((await rest('GET', '/readyz')).status).toBe(200);

    // As a backup is put in its place.
    await rename(DATA_DIR, elsewhere);
    await cp(elsewhere, DATA_DIR, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    expect(await make()).toBe(503);
  },
);
