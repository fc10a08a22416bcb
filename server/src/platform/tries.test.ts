import { expect, it } from 'vitest';
import { Tries } from './tries.ts';

it('ends what never gets through, with what it was', () => {
  const tries = new Tries('a change of members');
  for (let i = 0; i < 1_000; i++) tries.next();
  expect(() => tries.next()).toThrow('a change of members did not get through in 1000 tries');
});
