import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import { Budgets } from './budgets.ts';

const app = testApp();

it.each([-1e308, -1, 0, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])(
  'refuses to book %s, which is no count, and books nothing',
  async (count) => {
    const { usage } = app.services.models;
    const budget = { _id: `books ${count}`, limit: 10, expires_at: new Date(Date.now() + 60_000) };
    await expect(new Budgets(usage).take([budget], count)).rejects.toThrow(RangeError);
    expect(await usage.findOne({ _id: budget._id })).toBeNull();
  },
);
