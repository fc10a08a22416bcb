import { lstat, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES_OF_AN_OPENING } from '@parlor/embedded-mongodb';
import { describe, expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { canBeOther, giveToOther, OTHER_USER, SERVER_OF_OTHER } from './other-user.ts';
import { startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Commands that root gives on the DATA_DIR of a service that runs as another user. */

const settings = async () => {
  const folder = await temporaryFolder();
  await giveToOther(folder);
  return { DATA_DIR: folder, TMPDIR: folder, PORT: '0', REGISTRATION: 'open' };
};

/** What is in a folder that does not belong to the other user, or can be read by others. */
const astray = async (folder: string): Promise<string[]> => {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const { uid, gid, mode } = await lstat(join(folder, name));
    if (uid !== OTHER_USER || gid !== OTHER_USER || mode & 0o077) found.push(`${name} ${uid}:${gid} ${mode}`);
  }
  return found;
};

describe.skipIf(inject('isRealMongodb') || !canBeOther())('given as root', { timeout: 180_000 }, () => {
  const start = (env: Record<string, string>) => startServerProcess(env, SERVER_OF_OTHER);
  const succeed = async (env: Record<string, string>, ...args: string[]) =>
    expect(await spawnCommand(env, args).result).toMatchObject({ code: 0, err: '' });

  it('database compact and check leave everything to the service', async () => {
    const env = await settings();
    await (await start(env)).end('SIGTERM');
    await succeed(env, 'database', 'compact');
    expect(await astray(env.DATA_DIR)).toEqual([]);
    // As a backup is put in place: whoever opens it first makes them.
    for (const name of [...FILES_OF_AN_OPENING, 'made'])
      await rm(join(env.DATA_DIR, 'database', name), { force: true });
    await succeed(env, 'database', 'check');
    await succeed(env, 'account', 'token', 'demo');
    expect(await astray(env.DATA_DIR)).toEqual([]);
    await (await start(env)).end('SIGTERM');
  });

  it('backup says who writes it, where that user may not', async () => {
    const env = await settings();
    await start(env);
    const target = join(await temporaryFolder(), 'backup');
    const { code, out, err } = await spawnCommand(env, ['backup', target]).result;
    expect([code, out]).toEqual([1, '']);
    // One line: the arguments were as they should be.
    expect(err).toMatch(
      /^no backup was made: EACCES: .*backup\.partial'; it is written by the user \w.*, as whom the server runs [^\n]*\n$/,
    );
    await succeed(env, 'backup', join(env.DATA_DIR, 'backup'));
  });

  it.each([
    ['account', 'create', 'ada', 'ada@example.com'],
    ['account', 'invite'],
  ])('%s %s begins the database as the service would', async (...args) => {
    const env = await settings();
    // Of one that was killed, as root.
    await writeFile(join(env.DATA_DIR, 'secret-key.new'), 'half', { mode: 0o600 });
    await succeed(env, ...args);
    expect(await readdir(env.DATA_DIR)).toEqual(['database', 'secret-key']);
    expect(await astray(env.DATA_DIR)).toEqual([]);
    await (await start(env)).end('SIGTERM');
  });
});
