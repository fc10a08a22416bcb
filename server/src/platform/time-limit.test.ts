import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectGarbage } from '../../test/collect-garbage.ts';
import { timeLimit } from './time-limit.ts';

/** Whether a signal that nobody keeps is given, and for what. */
const given = (signal: AbortSignal): Promise<string> =>
  new Promise((resolve) =>
    signal.addEventListener('abort', ({ target }) => resolve((target as AbortSignal).reason.name)),
  );

it('is given after its time, whatever garbage is collected meanwhile', async () => {
  const end = given(timeLimit(300, new AbortController().signal));
  for (let n = 0; n < 4; n++) {
    await sleep(20);
    await collectGarbage();
  }
  await expect(Promise.race([end, sleep(5_000)])).resolves.toBe('TimeoutError');
});

it('is given with another one, and for its reason', async () => {
  const other = new AbortController();
  const end = given(timeLimit(60_000, other.signal));
  other.abort(new RangeError('too much'));
  expect(await end).toBe('RangeError');
});
