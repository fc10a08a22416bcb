// One build at a time in a checkout: a second one would empty the folders that the first is filling.
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Names who builds. Where it can't be written nothing is locked: most often nothing can be built there, either. */
const LOCK = join(fileURLToPath(new URL('..', import.meta.url)), 'node_modules', '.parlor-build');

/**
 * Whoever builds touches the lock; one that nobody touches was left. Numbers of processes would not tell: in a container
 * the next one has the same, and those of another container are not seen.
 */
const TOUCHED_EACH_MS = 1_000;
const LEFT_AFTER_MS = 10_000;

const LOOK_EACH_MS = 200;

/** Of several that take a left lock over, the last one has it when this has passed. */
const SETTLED_AFTER_MS = 1_000;

/** @param {string} own @returns {boolean | undefined} whether the lock was taken; undefined where there can be none */
const take = (own) => {
  try {
    writeFileSync(LOCK, own, { flag: 'wx' });
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EEXIST' ? false : undefined;
  }
};

/** @returns {string | undefined} whose the lock is; undefined when there is none */
const owner = () => {
  try {
    return readFileSync(LOCK, 'utf8');
  } catch {
    return undefined;
  }
};

/** @returns {string | undefined} what changes with each touch; undefined when there is no lock */
const lastTouch = () => {
  try {
    return `${owner()} ${statSync(LOCK).mtimeMs}`;
  } catch {
    return undefined;
  }
};

/** @param {string} own @param {AbortSignal | undefined} signal @returns {Promise<boolean | undefined>} whether it was this one; undefined where it can't be taken over, as another user's */
const takeOver = async (own, signal) => {
  const file = `${LOCK}-${own}`;
  try {
    writeFileSync(file, own);
    renameSync(file, LOCK);
  } catch {
    rmSync(file, { force: true });
    return undefined;
  }
  await sleep(SETTLED_AFTER_MS, undefined, { signal });
  return owner() === own;
};

/** Waits until nobody builds. @param {string} own @param {AbortSignal | undefined} signal @returns {Promise<boolean | undefined>} as `take` */
const takeInTurn = async (own, signal) => {
  let taken = take(own);
  if (taken === false) process.stderr.write('Another process is building: waiting for it …\n');
  for (let seen = '', since = 0; taken === false; ) {
    await sleep(LOOK_EACH_MS, undefined, { signal });
    const touch = lastTouch();
    if (touch === undefined) {
      taken = take(own);
    } else if (touch !== seen) {
      seen = touch;
      since = performance.now();
    } else if (performance.now() - since > LEFT_AFTER_MS) {
      taken = await takeOver(own, signal);
    }
  }
  return taken;
};

/**
 * Runs a build when no other process builds in this checkout.
 * @param {() => Promise<void>} build
 * @param {AbortSignal} [signal] ends the waiting
 */
export const oneBuild = async (build, signal) => {
  const own = randomUUID();
  const taken = await takeInTurn(own, signal);
  const touching = setInterval(() => {
    try {
      if (taken) utimesSync(LOCK, new Date(), new Date());
    } catch {
      // Somebody has removed it: whoever comes now builds beside this one.
    }
  }, TOUCHED_EACH_MS);
  try {
    await build();
  } finally {
    clearInterval(touching);
    if (taken && owner() === own) rmSync(LOCK, { force: true });
  }
};
