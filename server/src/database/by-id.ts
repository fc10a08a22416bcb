import type { Model } from 'mongoose';

/** So many queries of one kind are under way at most; whoever asks meanwhile is in the next one. */
const MAX_RUNNING = 2;
const MAX_IDS = 500;

interface Waiting<T> {
  resolve(found: T | undefined): void;
  reject(error: unknown): void;
}

/**
 * Finds documents by `_id`, those that are asked for at the same time with one query: when thousands of clients
 * come back at once, each would cost a query otherwise. Nothing is kept: what is found was read after it was
 * asked for.
 */
export const findById = <T extends { _id: string }>(
  model: Model<T>,
): ((id: string) => Promise<T | undefined>) => {
  let waiting = new Map<string, Waiting<T>[]>();
  let running = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || running >= MAX_RUNNING || waiting.size === 0) return;
    isScheduled = true;
    // After all that came in with this turn of the event loop.
    setImmediate(() => {
      isScheduled = false;
      const batch = waiting;
      waiting = new Map();
      running++;
      void run(batch).finally(() => {
        running--;
        schedule();
      });
    });
  };

  const run = async (batch: Map<string, Waiting<T>[]>): Promise<void> => {
    const ids = [...batch.keys()];
    for (let from = 0; from < ids.length; from += MAX_IDS) {
      const some = ids.slice(from, from + MAX_IDS);
      try {
        const filter = some.length === 1 ? { _id: some[0] } : { _id: { $in: some } };
        const found = new Map((await model.find(filter as never).lean<T[]>()).map((one) => [one._id, one]));
        for (const id of some) for (const { resolve } of batch.get(id) ?? []) resolve(found.get(id));
      } catch (error) {
        for (const id of some) for (const { reject } of batch.get(id) ?? []) reject(error);
      }
    }
  };

  return (id) =>
    new Promise((resolve, reject) => {
      const others = waiting.get(id);
      if (others) others.push({ resolve, reject });
      else waiting.set(id, [{ resolve, reject }]);
      schedule();
    });
};
