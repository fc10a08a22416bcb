import type { ConversationCounts } from '@parlor/shared';
import { effect, signal } from '@preact/signals';
import { ask } from '../api/client.ts';
import { connection } from '../api/live.ts';

/** How many conversations each view has; undefined until they are counted. */
export const counts = signal<ConversationCounts | undefined>(undefined);

const COUNT_EVERY_MS = 3_000;
let counting: number | undefined;
let isCountStale = false;

const readCounts = async (): Promise<void> => {
  isCountStale = false;
  try {
    counts.value = await ask<ConversationCounts>('GET', 'conversations/counts/');
  } catch {
    // The next change asks again.
  }
};

/** Whether the live channel tells the numbers, which a server of an older version does not. */
let isTold = false;

/** Takes in what the live channel tells. */
export const takeCounts = (told: ConversationCounts): void => {
  isTold = true;
  counts.value = told;
};

// The next connection may be to another server.
effect(() => {
  if (connection.value !== 'live') isTold = false;
});

/**
 * Counts now, where nobody tells, and at most every few seconds; a page that nobody sees counts when it is seen again.
 */
export const countAnew = async (): Promise<void> => {
  if (isTold) return;
  if (counting !== undefined || document.visibilityState === 'hidden') {
    isCountStale = true;
    return;
  }
  counting = setTimeout(() => {
    counting = undefined;
    if (isCountStale) void countAnew();
  }, COUNT_EVERY_MS);
  await readCounts();
};

document.addEventListener('visibilitychange', () => {
  if (isCountStale) void countAnew();
});
