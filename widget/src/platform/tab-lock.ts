import { withoutPrototype } from './without-prototype.ts';

/** Runs a task while no other one of that name runs. */
export type TabLock = <T>(name: string, task: () => Promise<T>) => Promise<T>;

/**
 * One task of a name at a time: in all tabs of this origin where the browser has Web Locks, else in this tab. Pages
 * over plain http have none, and where a browser blocks storage it refuses each request for one; two tabs then rely on
 * the idempotency key, and on the session that was stored first.
 *
 * @param prefix put before each name; locks belong to the whole origin
 * @param signal takes back what still waits for a lock: its promise rejects
 */
export function createTabLock(prefix: string, signal: AbortSignal): TabLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (name, task) => {
    let begun = false;
    const begin = () => {
      begun = true;
      return task();
    };
    try {
      return await navigator.locks.request(prefix + name, withoutPrototype({ signal }), begin);
    } catch (error) {
      if (begun || signal.aborted) throw error;
      const turn = Promise.resolve(tails.get(name)).then(task);
      tails.set(
        name,
        turn.catch(() => {}),
      );
      return turn;
    }
  };
}
