import { spawn } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
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

/** A copy of this checkout's sources whose folders nobody may write. */
const readOnlyCheckout = async (stamp?: string): Promise<string> => {
  const root = await temporaryFolder();
  for (const part of PARTS) {
    cpSync(join(ROOT, part), join(root, part), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist)$/.test(path),
    });
  }
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
