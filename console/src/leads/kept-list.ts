import { effect } from '@preact/signals';
import { listen } from '../api/live.ts';
import { session } from '../session/session.ts';
import type { Filter } from './filter.ts';
import { LeadList } from './lead-list.ts';

let kept: { list: LeadList; stop(): void } | undefined;

/** The list that was shown last, if it shows the leads of this filter: as it was left, and right since; else a new one. */
export const listOf = (filter: Filter): LeadList => {
  if (kept?.list.isOf(filter)) return kept.list;
  forget();
  const list = new LeadList();
  const deaf = listen({ onFrame: (frame) => list.take(frame), onResync: () => list.readAnew() });
  kept = {
    list,
    stop() {
      deaf();
      list.stop();
    },
  };
  return list;
};

const forget = (): void => {
  kept?.stop();
  kept = undefined;
};

// Whoever signs in next may be somebody else.
effect(() => {
  if (session.value !== 'in') forget();
});
