import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inTurns } from './in-turns.ts';

it('lets so many go on in each turn of the event loop, in their order', async () => {
  const turn = inTurns(2);
  const seen: (number | 'turn')[] = [];
  const all = [0, 1, 2, 3, 4].map(async (index) => {
    await turn();
    seen.push(index);
  });
  for (let i = 0; i < 4; i++) {
    await nextTurn();
    seen.push('turn');
  }
  await Promise.all(all);
  const inEachTurn = seen
    .join(' ')
    .split('turn')
    .map((part) => part.trim().split(' ').filter(Boolean).length);
  expect(Math.max(...inEachTurn)).toBe(2);
  expect(seen.filter((one) => one !== 'turn')).toEqual([0, 1, 2, 3, 4]);
});
