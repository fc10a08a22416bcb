import { execFileSync, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkDataDir, openEmbeddedMongodb } from '@parlor/embedded-mongodb';
import { expect, inject, it, onTestFinished } from 'vitest';
import { BackupError, backUp } from '../src/database/backup.ts';
import { spawnCommand } from './command-line.ts';
import { startServerProcess } from './server-process.ts';

/** Where a backup is to go that has no place there. */

const MIB = 1024 * 1024;

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-targets-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

it.skipIf(inject('isRealMongodb'))('of backups into one folder at once one is made, and whole', async () => {
  const dataDir = await temporaryFolder();
  const database = await openEmbeddedMongodb({ dataDir: join(dataDir, 'database') });
  onTestFinished(() => database.close());
  const { copyTo } = database;
  const source = { dataDir, copyTo, madeKey: undefined, keysOf: async () => [], reserveBytes: 0 };
  const target = join(await temporaryFolder(), 'above', 'backup');
  const made = await Promise.allSettled([1, 2, 3].map(() => backUp(source, target, () => undefined)));
  const failed = made.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  expect(failed).toHaveLength(2);
  for (const error of failed) {
    expect(error).toBeInstanceOf(BackupError);
    expect(error.message).toMatch(/^\S+backup(\.partial)? is there(,| already)/);
  }
  expect((await checkDataDir(join(target, 'database'))).errors).toEqual([]);
  expect(await readdir(join(target, '..'))).toEqual(['backup']);
});

it.skipIf(inject('isRealMongodb'))('a backup that is ended in its last part leaves nothing', async () => {
  const dataDir = await temporaryFolder();
  const database = await openEmbeddedMongodb({ dataDir: join(dataDir, 'database') });
  onTestFinished(() => database.close());
  const ending = new AbortController();
  const keysOf = async () => {
    ending.abort(new Error('the command was ended'));
    return [];
  };
  const source = { dataDir, copyTo: database.copyTo, madeKey: undefined, keysOf, reserveBytes: 0 };
  const folder = await temporaryFolder();
  const ended = backUp(source, join(folder, 'backup'), () => undefined, ending.signal);
  await expect(ended).rejects.toThrow('no backup was made: the command was ended');
  expect(await readdir(folder)).toEqual([]);
});

it.skipIf(inject('isRealMongodb'))(
  'a backup without a server that a signal ends leaves nothing, and can be given again',
  { timeout: 120_000 },
  async () => {
    const DATA_DIR = await temporaryFolder();
    await spawnCommand({ DATA_DIR }, ['account', 'invite']).result;
    for (const signals of [['SIGTERM'], ['SIGINT', 'SIGINT'], ['SIGHUP']] as const) {
      const folder = await temporaryFolder();
      const target = join(folder, 'backup');
      let ended: unknown[] = [];
      // On a busy machine it may be whole before the signal comes.
      for (let tries = 0; tries < 10 && ended[0] !== signals[0]; tries++) {
        await rm(target, { recursive: true, force: true });
        const { child, result } = spawnCommand({ DATA_DIR }, ['backup', target]);
        while ((await readdir(folder)).length === 0) await sleep(1);
        // npm passes the one of a Ctrl-C on, which the terminal has given already.
        for (const signal of signals) {
          child.kill(signal);
          await sleep(20);
        }
        await result;
        ended = [child.signalCode, await readdir(folder)];
      }
      expect(ended).toEqual([signals[0], []]);
      expect((await spawnCommand({ DATA_DIR }, ['backup', target]).result).code).toBe(0);
    }
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a backup into the database itself is refused, through a link, too',
  async () => {
    const DATA_DIR = await temporaryFolder();
    await spawnCommand({ DATA_DIR }, ['account', 'invite']).result;
    const database = join(DATA_DIR, 'database');
    const before = await readdir(database);
    const link = join(await temporaryFolder(), 'link');
    await symlink(database, link);
    for (const target of [join(database, 'backup'), join(database, 'a', 'b'), join(link, 'a', 'b')]) {
      const { code, err } = await spawnCommand({ DATA_DIR }, ['backup', target]).result;
      expect([code, err]).toEqual([1, expect.stringMatching(/^\S+ is inside of the database's own folder/)]);
    }
    expect(await readdir(database)).toEqual(before);
    expect((await spawnCommand({ DATA_DIR }, ['backup', join(DATA_DIR, 'backup')]).result).code).toBe(0);
  },
);

it.skipIf(inject('isRealMongodb') || process.platform !== 'linux')(
  'a place where nothing can be made is told',
  async () => {
    const DATA_DIR = await temporaryFolder();
    await spawnCommand({ DATA_DIR }, ['account', 'invite']).result;
    const { code, err } = await spawnCommand({ DATA_DIR }, ['backup', '/proc/parlor/backup'], '').result;
    expect(code).toBe(1);
    expect(err).toMatch(/^no backup was made: E\w+: .*\n/);
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a backup that would take the last of the database’s own disk is not begun',
  { timeout: 120_000 },
  async (context) => {
    const disk = await temporaryFolder();
    const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${40 * MIB}`, 'tmpfs', disk]);
    if (status !== 0) return context.skip('a small disk can be mounted by root only');
    onTestFinished(() => void execFileSync('umount', ['-l', disk]));
    const DATA_DIR = join(disk, 'data');
    await mkdir(DATA_DIR);
    const server = await startServerProcess({ PORT: '0', DATA_DIR, TMPDIR: disk });
    const isReady = async () => (await fetch(`${server.url}/readyz`)).status;
    // A copy of a MiB or two would fit, and leave less than the reserve.
    const { bavail, bsize } = await statfs(disk);
    await writeFile(join(disk, 'others'), Buffer.alloc(bavail * bsize - 17 * MIB));
    expect(await isReady()).toBe(200);
    const own = await spawnCommand({ DATA_DIR }, ['backup', join(disk, 'backup')], '').result;
    const needed =
      /^no backup was made: a copy needs \d+ bytes beside the database, and the disk has \d+ free\n/;
    expect([own.code, own.err]).toEqual([1, expect.stringMatching(needed)]);
    expect((await readdir(disk)).filter((name) => name.startsWith('backup'))).toEqual([]);
    expect(await isReady()).toBe(200);
    const elsewhere = join(await temporaryFolder(), 'backup');
    expect((await spawnCommand({ DATA_DIR }, ['backup', elsewhere], '').result).code).toBe(0);
    await server.end('SIGTERM');
  },
);
