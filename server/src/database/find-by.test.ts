import type { Model } from 'mongoose';
import { expect, it } from 'vitest';
import { findBy } from './find-by.ts';

const fakeModel = () => {
  const queries: unknown[] = [];
  const model = {
    collection: {
      find: (filter: { _id: string | { $in: string[] } }) => ({
        toArray: async () => {
          queries.push(filter);
          await new Promise((resolve) => setTimeout(resolve, 5));
          const ids = typeof filter._id === 'string' ? [filter._id] : filter._id.$in;
          if (ids.includes('broken')) throw new Error('no database');
          return ids.filter((id) => id !== 'missing').map((_id) => ({ _id }));
        },
      }),
    },
  };
  return { queries, find: findBy(model as unknown as Model<{ _id: string }>, '_id', {}) };
};

it('asks once for all that are wanted at the same time, and gives each its own', async () => {
  const { queries, find } = fakeModel();
  const ids = ['a', 'b', 'a', 'missing'];
  expect(await Promise.all(ids.map(find))).toEqual([{ _id: 'a' }, { _id: 'b' }, { _id: 'a' }, undefined]);
  expect(queries).toEqual([{ _id: { $in: ['a', 'b', 'missing'] } }]);
  expect(await find('c')).toEqual({ _id: 'c' });
  expect(queries).toHaveLength(2);
});

it('waits while two queries are under way', async () => {
  const { queries, find } = fakeModel();
  const all: Promise<unknown>[] = [];
  for (let i = 0; i < 100; i++) {
    all.push(find(`id-${i}`));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(all);
  expect(queries.length).toBeLessThan(40);
});

it('fails for those alone whose query failed', async () => {
  const { find } = fakeModel();
  await expect(Promise.all([find('a'), find('broken')])).rejects.toThrow('no database');
  expect(await find('a')).toEqual({ _id: 'a' });
});
