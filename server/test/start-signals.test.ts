import { spawn } from 'node:child_process';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));

/** What `npm start` prints where the server is these lines, and nothing is to be built. */
const started = async (main: readonly string[]): Promise<string> => {
  const root = await temporaryFolder();
  for (const folder of ['scripts', 'server/dist/bundle'])
    await mkdir(join(root, folder), { recursive: true });
  await copyFile(START, join(root, 'scripts/start.mjs'));
  await writeFile(join(root, 'scripts/build.mjs'), 'export const buildStale = async () => undefined;');
  await writeFile(join(root, 'server/package.json'), '{ "type": "module" }');
  await writeFile(join(root, 'server/dist/bundle/main.js'), main.join('\n'));
  const child = spawn(process.execPath, ['scripts/start.mjs'], { cwd: root });
  return text(child.stdout);
};

const LISTENS = "process.on('SIGTERM', () => console.log('told to stop'));";
const IS_TOLD =
  "process.kill(process.pid, 'SIGTERM'); await new Promise((resolve) => setTimeout(resolve, 50));";
const ENDS_SOON = 'setTimeout(() => undefined, 50);';

it.skipIf(process.platform === 'win32')('a signal during the start reaches the server once', async () => {
  expect(await started([LISTENS, IS_TOLD, ENDS_SOON])).toBe('told to stop\n');
  expect(await started([IS_TOLD, LISTENS, ENDS_SOON])).toBe('told to stop\n');
  expect(await started([IS_TOLD, LISTENS, IS_TOLD, ENDS_SOON])).toBe('told to stop\n');
});
