import { expect, it } from 'vitest';
import { KeyedMutex } from './keyed-mutex.ts';

const away = new Error('away');
const endsAll = (error: unknown) => error === away;

it('ends with it who waits for one that failed with what would fail all, and nobody else', async () => {
  const mutex = new KeyedMutex({ endsAll });
  const begun: string[] = [];
  let fail = (): void => undefined;
  const first = mutex.run('a', () => new Promise((_, reject) => (fail = () => reject(away))));
  const waiting = [1, 2, 3].map((n) => mutex.run('a', async () => begun.push(`a ${n}`)));
  const other = mutex.run('b', async () => begun.push('b'));
  fail();
  const ended = await Promise.allSettled([first, ...waiting]);
  expect(ended).toEqual(Array.from({ length: 4 }, () => ({ status: 'rejected', reason: away })));
  await other;
  // The next one is tried again.
  await mutex.run('a', async () => begun.push('later'));
  expect(begun).toEqual(['b', 'later']);
});

it('goes on behind any other failure, one after the other', async () => {
  const mutex = new KeyedMutex({ endsAll });
  const told: string[] = [];
  const task = (name: string) => async () => {
    told.push(`${name} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    told.push(`${name} ends`);
    if (name === '1') throw new Error('its own');
  };
  const ended = await Promise.allSettled(['1', '2', '3'].map((name) => mutex.run('a', task(name))));
  expect(ended.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
  expect(told).toEqual(['1', '2', '3'].flatMap((name) => [`${name} begins`, `${name} ends`]));
});

it('refuses whoever comes when too many wait', async () => {
  const mutex = new KeyedMutex({ maxWaiting: 2 });
  const both = [mutex.run('a', async () => 1), mutex.run('a', async () => 2)];
  await expect(mutex.run('a', async () => 3)).rejects.toMatchObject({ code: 'throttled' });
  expect(await Promise.all(both)).toEqual([1, 2]);
  expect(await mutex.run('a', async () => 4)).toBe(4);
});
