import { lchown, lstat, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
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

  // Whoever has taken the service's user over may put them there.
  it("no command, and no start, follows a link in the DATA_DIR to what is root's", async () => {
    const env = await settings();
    await succeed(env, 'account', 'create', 'ada', 'ada@example.com');
    const ofRoot = await temporaryFolder();
    const victims = FILES_OF_AN_OPENING.filter((name) => name.includes('lock'));
    expect(victims.length).toBeGreaterThan(1);
    for (const name of victims) {
      const victim = join(ofRoot, name);
      await writeFile(victim, "root's", { mode: 0o600 });
      const file = join(env.DATA_DIR, 'database', name);
      await rm(file);
      await symlink(victim, file);
      await lchown(file, OTHER_USER, OTHER_USER);
    }
    for (const words of ['account token ada', 'database check', 'database compact'])
      expect(await spawnCommand(env, words.split(' ')).result).toMatchObject({ code: 1, out: '' });
    await expect(startServerProcess(env)).rejects.toThrow("can't be used");
    for (const name of victims) {
      expect(await readFile(join(ofRoot, name), 'utf8')).toBe("root's");
      expect((await lstat(join(ofRoot, name))).uid).toBe(0);
    }
  });

  it("a server that root starts works as the owner of its DATA_DIR, and with root's own files beside it", async () => {
    const env = await settings();
    const server = await startServerProcess(env);
    const target = join(await temporaryFolder(), 'backup');
    await succeed(env, 'backup', target);
    expect((await lstat(target)).uid).toBe(0);
    await server.end('SIGTERM');
    await succeed(env, 'export', 'demo', join(target, 'demo.jsonl'));
    await succeed(env, 'backup', `${target}-again`);
    expect(await astray(env.DATA_DIR)).toEqual([]);
    expect(await readdir(env.DATA_DIR)).toEqual(['database', 'secret-key']);
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
