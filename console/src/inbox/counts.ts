import type { ConversationCounts } from '@parlor/shared';
import { signal } from '@preact/signals';
import { ask } from '../api/client.ts';

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

/** Counts now, and at most every few seconds; a page that nobody sees counts when it is seen again. */
export const countAnew = async (): Promise<void> => {
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
