import { expect } from 'vitest';
import type { Attempt } from './fuzz-attempts.ts';

const MAX_TURN_MS = 50;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/** An attempt that is slow once may have met the garbage collector or a cold function; one that is slow always has not. */
const REPEATS = 5;

/** No collector and no cold function takes this time: nothing has to be repeated. */
const HOPELESS_MS = 20 * MAX_TURN_MS;

/** Work that an answer does not wait for shows in the attempts that follow. */
const SUSPECTS = 4;
const AFTERWARDS_MS = 40;

const afterwards = () => new Promise((resolve) => setTimeout(resolve, AFTERWARDS_MS));

/** The statuses of the answers to each attempt, when it was made last. */
export type Answered = ReadonlyMap<Attempt, readonly number[]>;

/** How many answers had a status. */
export const counted = (answered: Answered, status: number): number =>
  [...answered.values()].flat().filter((one) => one === status).length;

/**
 * Runs attempts one after another.
 * @throws where one is answered with 5xx or too much, or holds a thread that serves everybody for too long
 */
export const watch = async (
  attempts: readonly Attempt[],
  longestTurnMs: () => Promise<number>,
): Promise<Answered> => {
  const answered = new Map<Attempt, number[]>();
  const run = async (attempt: Attempt): Promise<void> => {
    const statuses: number[] = [];
    answered.set(attempt, statuses);
    for (const { status, text } of await attempt.run()) {
      statuses.push(status);
      if (status >= 500) expect([attempt.name, status, text.slice(0, 300)]).toBe('no 5xx');
      // A file, which goes out as it is read: none of it is kept.
      if (attempt.name.includes('/account/export/')) continue;
      if (text.length > MAX_ANSWER_BYTES / 4 && Buffer.byteLength(text) > MAX_ANSWER_BYTES)
        expect([attempt.name, Buffer.byteLength(text)]).toBe('at most 4 MiB');
    }
  };
  /** How long it takes when it is quickest, with what comes after its answer. */
  const quickestMs = async (attempt: Attempt): Promise<number> => {
    let quickest = Number.POSITIVE_INFINITY;
    for (let n = 0; n < REPEATS && quickest > MAX_TURN_MS; n++) {
      await longestTurnMs();
      await run(attempt);
      await afterwards();
      quickest = Math.min(quickest, await longestTurnMs());
    }
    return quickest;
  };

  await longestTurnMs();
  for (const [index, attempt] of attempts.entries()) {
    await run(attempt);
    const longestMs = await longestTurnMs();
    if (longestMs <= MAX_TURN_MS) continue;
    if (longestMs > HOPELESS_MS)
      expect([attempt.name, longestMs]).toBe(`at most ${MAX_TURN_MS} ms in one turn`);
    for (const suspect of attempts.slice(Math.max(0, index - SUSPECTS), index + 1)) {
      const quickest = await quickestMs(suspect);
      if (quickest > MAX_TURN_MS)
        expect([suspect.name, quickest]).toBe(`at most ${MAX_TURN_MS} ms in one turn`);
    }
  }
  return answered;
};
