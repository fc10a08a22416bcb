// One build at a time in a checkout: a second one would empty the folders that the first is filling.
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Names the process that builds. Where it can't be written nothing is locked: most often nothing can be built there, either. */
const LOCK = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules', '.parlor-build');

/** A build takes a minute at most: what is older was left by a process whose number another one has now. */
const STALE_MS = 300_000;

const LOOK_EACH_MS = 200;

/** @param {unknown} error */
const codeOf = (error) => /** @type {NodeJS.ErrnoException} */ (error).code;

/** @returns {boolean | undefined} whether the lock was taken; undefined where there can be none */
const take = () => {
  try {
    writeFileSync(LOCK, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    return codeOf(error) === 'EEXIST' ? false : undefined;
  }
};

/** @returns {boolean} whether its process was killed */
const isLeft = () => {
  try {
    const pid = Number(readFileSync(LOCK, 'utf8'));
    if (Date.now() - statSync(LOCK).mtimeMs > STALE_MS) return true;
    // Nothing stands in it for a moment after it was made.
    if (pid > 0) process.kill(pid, 0);
    return false;
  } catch (error) {
    return codeOf(error) === 'ESRCH';
  }
};

/**
 * Runs a build when no other process builds in this checkout.
 * @param {() => Promise<void>} build
 */
export const oneBuild = async (build) => {
  let taken = take();
  if (taken === false) process.stderr.write('Another process is building: waiting for it …\n');
  while (taken === false) {
    await sleep(LOOK_EACH_MS);
    if (isLeft()) rmSync(LOCK, { force: true });
    taken = take();
  }
  try {
    await build();
  } finally {
    if (taken) rmSync(LOCK, { force: true });
  }
};
