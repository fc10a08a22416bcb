import { expect, it } from 'vitest';
import { rankOf, WAITING_RANK } from './conversation-rank.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
const open = { status: 'open', waiting_on: null, waiting_since: null, updated_at: at(50) } as const;
const waiting = { ...open, waiting_on: 'us', waiting_since: at(10) } as const;

it('puts what waits on us first, the longest waiting at the top, then what changed last', () => {
  const ranks = [
    rankOf(waiting),
    rankOf({ ...waiting, waiting_since: new Date(at(20)) }),
    WAITING_RANK,
    rankOf({ ...open, updated_at: new Date(at(59)) }),
    // What waits on the visitor, and what is snoozed or done, is one of the rest.
    rankOf({ ...waiting, waiting_on: 'visitor', updated_at: at(58) }),
    rankOf({ ...waiting, status: 'snoozed', updated_at: at(57) }),
    rankOf(open),
  ];
  expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
  expect(new Set(ranks).size).toBe(ranks.length);
});
