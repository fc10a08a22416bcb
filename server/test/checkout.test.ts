import { spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const PARTS = [
  'scripts',
  'package.json',
  'package-lock.json',
  'tsconfig.base.json',
  'shared',
  'server',
  'widget',
];

const setModes = (folder: string, mode: number): void => {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), mode);
  }
  chmodSync(folder, mode);
};

/** A copy of this checkout's sources. */
const copiedCheckout = async (name = ''): Promise<string> => {
  const root = join(await temporaryFolder(), name);
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
  }
  return root;
};

/** A copy whose folders nobody may write. */
const readOnlyCheckout = async (stamp?: string): Promise<string> => {
  const root = await copiedCheckout();
  if (stamp !== undefined) {
    mkdirSync(join(root, 'server/dist'));
    writeFileSync(join(root, 'server/dist/.stamp'), stamp);
  }
  onTestFinished(() => setModes(root, 0o755));
  setModes(root, 0o555);
  return root;
};

/** Root may write everything, whatever the modes say, unless it gives that right up. */
const UNPRIVILEGED = process.getuid?.() === 0 ? ['setpriv', '--inh-caps=-all', '--bounding-set=-all'] : [];

const start = async (root: string): Promise<{ code: number | null; out: string; err: string }> => {
  const [command = '', ...args] = [...UNPRIVILEGED, process.execPath, 'scripts/start.mjs'];
  const child = spawn(command, args, { cwd: root, env: { PATH: process.env.PATH, PORT: '0' } });
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [out, err, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { code, out, err };
};

it.skipIf(process.platform === 'win32').each([
  ['was never built', undefined, 'is not built yet'],
  ['was built from other sources', 'the hash of other sources', 'has changed since it was built'],
])('says in one line what to do where it %s and may not be written', async (_, stamp, why) => {
  const root = await readOnlyCheckout(stamp);
  expect(await start(root)).toEqual({
    code: 1,
    out: '',
    err: `Parlor can't start: the server ${why}, and this user can't write ${join(root, 'server/dist')}: run "npm run build" as who can\n`,
  });
});

/** The same with what builds the server, for who may write it. */
const writableCheckout = async (): Promise<string> => {
  const root = await copiedCheckout();
  mkdirSync(join(root, 'node_modules'));
  symlinkSync(join(ROOT, 'node_modules/typescript'), join(root, 'node_modules/typescript'));
  return root;
};

/** What stands between the builds of a checkout: one process at a time. */
const lockOf = (root: string): string => join(root, 'node_modules/.parlor-build');

const startBuild = (root: string) => {
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { PATH: process.env.PATH, PORT: '0' },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    log += part;
  });
  const ended = new Promise<number | null>((resolve) => child.on('exit', (code) => resolve(code)));
  // With its compiler, which would write into the folder that goes next.
  onTestFinished(async () => {
    child.kill('SIGTERM');
    await ended;
    if (process.platform === 'linux') await expect.poll(() => processesIn(root)).toEqual([]);
  });
  return {
    child,
    ended,
    says: (words: string) => expect.poll(() => log, { timeout: 60_000 }).toContain(words),
  };
};

/** The processes that work in a folder. */
const processesIn = (folder: string): string[] =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(folder);
    } catch {
      return false;
    }
  });

it('builds where whoever built before was killed, though its number is another process’s now', {
  timeout: 90_000,
}, async () => {
  const root = await writableCheckout();
  writeFileSync(lockOf(root), String(process.pid));
  const build = startBuild(root);
  await build.says('Another process is building: waiting for it …');
  await build.says('Building the server …');
});

it.runIf(process.platform === 'linux')(
  'ends a build and its compiler with SIGTERM',
  { timeout: 90_000 },
  async () => {
    const root = await writableCheckout();
    const build = startBuild(root);
    await build.says('Building the server …');
    // The compiler is one or two, and is quick.
    await expect
      .poll(() => processesIn(root).length, { timeout: 10_000, interval: 5 })
      .toBeGreaterThanOrEqual(2);
    build.child.kill('SIGTERM');
    expect(await build.ended).toBe(143);
    await expect.poll(() => processesIn(root)).toEqual([]);
    expect(existsSync(lockOf(root))).toBe(false);
    // The next one begins at once.
    await startBuild(root).says('Building the server …');
  },
);

/** Makes what a build fills; from the sources of the next version it never ends. */
const COMPILER = `
  const { mkdirSync, readFileSync } = require('node:fs');
  for (const part of ['server', 'server/embedded-mongodb', 'shared']) mkdirSync(part + '/dist', { recursive: true });
  if (readFileSync('shared/src/index.ts', 'utf8').includes('NEXT_VERSION')) setInterval(() => undefined, 1_000);
`;

it('builds anew after a build that was ended, also from the sources that were built before', {
  timeout: 90_000,
}, async () => {
  const root = await copiedCheckout();
  mkdirSync(join(root, 'node_modules/typescript/bin'), { recursive: true });
  writeFileSync(join(root, 'node_modules/typescript/package.json'), '{}');
  writeFileSync(join(root, 'node_modules/typescript/bin/tsc'), COMPILER);
  writeFileSync(join(root, 'server/bundle.mjs'), '');
  const build = async (...said: string[]) => {
    const started = startBuild(root);
    for (const words of said) await started.says(words);
    started.child.kill('SIGTERM');
    await started.ended;
  };
  await build('Built the server in ');
  const source = join(root, 'shared/src/index.ts');
  const before = readFileSync(source, 'utf8');
  writeFileSync(source, `${before}export const NEXT_VERSION = true;\n`);
  await build('Building the server …');
  writeFileSync(source, before);
  await build('Building the server …', 'Built the server in ');
});

it('says in one line that it can’t build in a folder whose name Vite does not take', async () => {
  const root = await copiedCheckout('a#b');
  expect(await start(root)).toEqual({
    code: 1,
    out: '',
    err: `Parlor can't start: it is built by Vite, which takes no "#", "?" or "*" in the path of its folder: ${root}/\n`,
  });
});
