import type { InboxStatus, WaitingOn } from './conversation.ts';

/** Later than any time by which the rest is ordered (milliseconds). */
const BEFORE_THE_REST = 1e14;

/** The ranks of what waits on us are above this, and no others are. */
export const WAITING_RANK = BEFORE_THE_REST / 2;

/**
 * Where a conversation stands in lists, the highest first: what waits on us, the longest waiting at the top, then the
 * rest, changed last first.
 * @returns milliseconds
 */
export const rankOf = (conversation: {
  status: InboxStatus;
  waiting_on: WaitingOn | null;
  waiting_since: Date | string | null;
  updated_at: Date | string;
}): number => {
  const { status, waiting_on, waiting_since, updated_at } = conversation;
  const isFirst = status === 'open' && waiting_on === 'us' && waiting_since;
  return isFirst ? BEFORE_THE_REST - new Date(waiting_since).getTime() : new Date(updated_at).getTime();
};
