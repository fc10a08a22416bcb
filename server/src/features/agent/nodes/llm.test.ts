import { mongo } from 'mongoose';
import { expect, it, vi } from 'vitest';
import { ParlorError, throttled } from '../../../platform/errors.ts';
import { LlmError } from '../llm/completion.ts';
import type { Turn } from '../turn.ts';
import { runLlm } from './llm.ts';

const node = { id: 'l', type: 'llm', on_error: 'm' } as const;

/** A turn whose model fails. */
const failingWith = (error: unknown) => {
  const say = vi.fn();
  const budget = { waitFor: <T>(answer: Promise<T>) => answer };
  const turn = { input: 'Hello', tried: new Set(), budget, say, answer: () => Promise.reject(error) };
  return { turn: turn as unknown as Turn, say };
};

it.each([
  new mongo.MongoNetworkTimeoutError('connection timed out'),
  new mongo.MongoServerError({ code: 11_600, message: 'interrupted at shutdown' }),
  new ParlorError('unavailable', 'The database is not reachable. Try again.'),
])('takes no turn while the database is away: %s', async (error) => {
  const { turn, say } = failingWith(error);
  await expect(runLlm(node as never, turn)).rejects.toBe(error);
  expect(say).not.toHaveBeenCalled();
});

it.each([new LlmError('no answer: connect ECONNREFUSED'), throttled(5_000)])(
  'goes to on_error for %s',
  async (error) => {
    expect(await runLlm(node as never, failingWith(error).turn)).toMatchObject({ to: 'm' });
  },
);
