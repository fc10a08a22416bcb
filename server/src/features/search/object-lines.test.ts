import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { linesOf } from './object-lines.ts';
import { partsOf, Segments } from './segments.ts';

/** Long texts of an account that is imported, or was there before there was a search. */

const app = testApp();

const COUNT = 500;
const WORDS_OF_EACH = 1_200;

const wordsFrom = (n: number) =>
  Array.from({ length: WORDS_OF_EACH }, (_, k) => (n * WORDS_OF_EACH + k).toString(36)).join(' ');

/** Runs something, and counts how often the event loop turned meanwhile. */
const turnsDuring = async <T>(work: () => Promise<T>): Promise<{ result: T; turns: number }> => {
  let turns = 0;
  let isRunning = true;
  const turn = (): void => {
    turns++;
    if (isRunning) setImmediate(turn);
  };
  setImmediate(turn);
  const result = await work();
  isRunning = false;
  return { result, turns };
};

it('makes lines of long texts, and stores them, a bit at a time', async () => {
  const account = randomUUID();
  const objects = Array.from({ length: COUNT }, (_, n) => ({
    uuid: randomUUID(),
    widget: undefined,
    room: undefined,
    account,
    at: new Date(1_700_000_000_000 + n),
    subjects: [account],
    texts: [['body', wordsFrom(n)] as [string, string]],
  }));
  const made = await turnsDuring(() => linesOf(objects, account));
  expect(made.result).toHaveLength(COUNT);
  expect(made.turns).toBeGreaterThan(3);
  const segments = new Segments(app.services.models.searchSegments);
  const parts = partsOf(made.result);
  const stored = await turnsDuring(() => segments.addSealed({ account, kind: 'message' }, parts));
  expect(stored.result).toHaveLength(parts.length);
  expect(await app.services.models.searchSegments.countDocuments({ account })).toBe(parts.length);
  expect(stored.turns).toBeGreaterThan(3);
});
