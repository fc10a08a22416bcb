import type { Announcement } from './announced.ts';
import type { EventHolder } from './events.ts';

/** What was seen to wait longer ago is looked up before consumers have it (milliseconds). */
export const SEEN_FOR_MS = 20_000;

/**
 * What of a batch still waits in its documents. Another process may have announced the rest, and what it says have been erased
 * since: an erasure goes through everything once more after a minute, and no more.
 * @param seenFor how long what was seen counts as waiting (milliseconds)
 */
export const stillWaiting = async (
  batch: readonly Announcement[],
  seenFor: number,
): Promise<readonly Announcement[]> => {
  const now = performance.now();
  const unseen = new Set(batch.filter(({ seenAt }) => now - seenAt > seenFor));
  if (unseen.size === 0) return batch;
  const there = new Set<string>();
  for (const model of new Set([...unseen].map((one) => one.model))) {
    const own = [...unseen].filter((one) => one.model === model);
    const waiting = {
      _id: { $in: [...new Set(own.map(({ holder }) => holder))] as never[] },
      'events.id': { $in: own.map(({ event }) => event.id) },
    };
    const projection = { 'events.id': 1 };
    for await (const { events = [] } of model.collection.find<EventHolder>(waiting, { projection })) {
      for (const { id } of events) there.add(id);
    }
  }
  for (const one of unseen) if (there.has(one.event.id)) one.seenAt = now;
  return batch.filter((one) => !unseen.has(one) || there.has(one.event.id));
};
