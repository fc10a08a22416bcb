import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { loadConfig } from '../src/platform/config.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A relative DATA_DIR is in Parlor's folder, from whichever folder its scripts are called by their path. */

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

const command = async (cwd: string, DATA_DIR: string, ...args: string[]) => {
  const { PATH } = process.env;
  const env = { PATH, LOG_LEVEL: 'silent', DATA_DIR };
  const script = join(ROOT, 'scripts/parlor.mjs');
  return run(process.execPath, [script, ...args], { cwd, env }).catch(
    (error) => error as { stdout: string; stderr: string },
  );
};

it('is Parlor’s own ./data unless it is set', () => {
  expect(loadConfig({}).DATA_DIR).toBe(join(ROOT, 'data'));
});

it('is meant from Parlor’s folder, and named by its whole path', async () => {
  const caller = join(await temporaryFolder(), 'some', 'where', 'else');
  await mkdir(caller, { recursive: true });
  const data = join(await temporaryFolder(), 'data');
  const given = relative(ROOT, data);
  const missing = await command(caller, given, 'backup', join(caller, 'copy'));
  expect(missing.stderr).toContain(`there is no embedded database in ${join(data, 'database')}:`);
  await command(caller, given, 'account', 'invite');
  expect([existsSync(join(data, 'database')), existsSync(join(caller, given))]).toEqual([true, false]);
});
