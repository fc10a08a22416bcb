import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A repository of its own with the comparison in it, where what is built says that it begins, and never ends. */
const repository = async () => {
  const root = join(realpathSync(await temporaryFolder()), 'checkout');
  mkdirSync(join(root, 'server/bench'), { recursive: true });
  mkdirSync(join(root, 'scripts'));
  for (const file of ['compare.mjs', 'ratio.mjs'])
    cpSync(join(ROOT, 'server/bench', file), join(root, 'server/bench', file));
  symlinkSync(join(ROOT, 'node_modules'), join(root, 'node_modules'));
  writeFileSync(join(root, '.gitignore'), 'node_modules\n');
  const name = 'parlor';
  writeFileSync(join(root, 'package.json'), JSON.stringify({ name, version: '0.0.0' }));
  const lock = { name, version: '0.0.0', lockfileVersion: 3, packages: { '': { name, version: '0.0.0' } } };
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify(lock));
  writeFileSync(
    join(root, 'scripts/build.mjs'),
    "process.stderr.write('it builds\\n'); setInterval(() => undefined, 1_000);\n",
  );
  const git = (...args: string[]) => execFileSync('git', args, { cwd: root, encoding: 'utf8' });
  git('init', '--quiet');
  git('add', '.');
  git('-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', 'commit', '--quiet', '-m', 'Begin');
  const worktrees = () => git('worktree', 'list', '--porcelain').match(/^worktree .*$/gm);
  return { root, worktrees };
};

it.skipIf(process.platform === 'win32').each(['SIGINT', 'SIGTERM'] as const)(
  'leaves no worktree and no file behind when %s ends it',
  async (signal) => {
    const { root, worktrees } = await repository();
    const temporary = await temporaryFolder();
    const child = spawn(process.execPath, ['server/bench/compare.mjs', 'HEAD', 'rest-api'], {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: temporary },
    });
    const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
    const builds = new Promise<void>((resolve) =>
      child.stderr.on('data', (said) => String(said).includes('it builds') && resolve()),
    );
    const out = text(child.stdout);
    await Promise.race([builds, ended]);
    expect(worktrees()).toHaveLength(2);
    child.kill(signal);
    expect(await ended).toBe(128 + constants.signals[signal]);
    expect(await out).toBe('');
    expect(worktrees()).toEqual([`worktree ${root}`]);
    expect(await readdir(temporary)).toEqual([]);
  },
);
