import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Duration } from './duration.ts';

const require = createRequire(import.meta.url);

/** What nobody has asked for yet. */
const waiting = new Set<() => unknown>();

/**
 * A package that is loaded, at once, by whoever asks for it first, or in the background some time after the start.
 * @param name of a package that the server depends on
 */
export const loadLater = <T>(name: string): (() => T) => {
  let loaded: T | undefined;
  const load = () => {
    loaded ??= require(name) as T;
    waiting.delete(load);
    return loaded;
  };
  waiting.add(load);
  return load;
};

/**
 * The same for what is loaded in another way: a module of this server, a package that can only be imported, or what a
 * package loads itself when it is used.
 * @param load may be called again, as `import()`, by which Node.js loads once what is asked for twice
 */
export const loadLaterBy = <T>(load: () => Promise<T>): (() => Promise<T>) => {
  waiting.add(load);
  return load;
};

/** A start is over then. */
const AFTER_MS: Duration = 5_000;

/** For whoever has come meanwhile: loading one takes up to 80 ms. */
const PAUSE_MS: Duration = 20;

/**
 * Loads what is left, one after the other, once the start is over: from then on nothing is read from the disk, where an
 * update may be replacing it. What can't be loaded is told to whoever asks for it.
 * @param signal ends it
 */
export const loadTheRest = async (log: Logger, signal: AbortSignal): Promise<void> => {
  await sleep(AFTER_MS, undefined, { signal, ref: false });
  for (const load of waiting) {
    await sleep(PAUSE_MS, undefined, { signal, ref: false });
    waiting.delete(load);
    try {
      await load();
    } catch (error) {
      log.warn({ err: error }, 'a part of Parlor can not be loaded: start it again once its files are whole');
    }
  }
  log.debug('all of Parlor is loaded');
};
