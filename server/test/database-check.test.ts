import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { temporaryFolder } from './temporary-folder.ts';

it.skipIf(inject('isRealMongodb'))(
  'database check listens nowhere, and says what it found where the rest of it fails',
  { timeout: 120_000 },
  async () => {
    const folder = await temporaryFolder();
    const settings = { DATA_DIR: join(folder, 'data'), TMPDIR: folder };
    const made = await spawnCommand(settings, ['account', 'create', 'ada', 'ada@example.com']).result;
    expect(made.code).toBe(0);
    const check = (more: Record<string, string>) =>
      spawnCommand({ ...settings, ...more }, ['database', 'check']).result;

    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const out = expect.stringMatching(/^\d+ collections, [1-9]\d* documents, 0 errors\n$/);
    const taken = await check({ EMBEDDED_MONGODB_LISTEN: `127.0.0.1:${port}` });
    expect(taken).toEqual({ code: 0, err: '', out });

    // Without a place for its private socket nobody opens the database.
    const failed = await check({ TMPDIR: join(folder, 'nowhere') });
    const err = expect.stringMatching(
      /^what is sealed could not be checked: DATA_DIR [^\n]*: no folder for its socket can be made in [^\n]*nowhere \(TMPDIR\): ENOENT[^\n]*\n$/,
    );
    expect(failed).toEqual({ code: 1, err, out });
  },
);
