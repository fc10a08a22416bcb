import { expect, it } from 'vitest';
import { frameAttempts } from './fuzz-frames.ts';
import { openPanel, pageAttempts } from './fuzz-pages.ts';
import { Spares, standingOf, withLongConversation } from './fuzz-standing.ts';
import { stepsOf, walk } from './fuzz-walk.ts';
import { watch } from './fuzz-watch.ts';
import { chooser } from './hostile-texts.ts';
import { BY_OTHERS, operations } from './openapi.ts';
import { startProbed } from './probed-server.ts';

/**
 * A long text of some kind stands in every place of every operation of the OpenAPI document, by every kind of caller, in
 * every frame of the live channel and on every page that the document does not describe: none of it holds a thread that
 * serves everybody for longer than 50 ms, is answered with more than 4 MiB, or is a 5xx. Which text stands where is by
 * FUZZ_SEED; FUZZ_SEEDS is the number of seeds, each of which covers every place.
 */

const SEED = Number(process.env.FUZZ_SEED ?? 1);
const SEEDS = Number(process.env.FUZZ_SEEDS ?? 1);

it.each(Array.from({ length: SEEDS }, (_, n) => SEED + n))(
  'a long text in every place there is, seed %i',
  { timeout: 300_000 },
  async (seed) => {
    const { app, url, printed, longestTurnMs } = await startProbed();
    const choose = chooser(seed);
    const many = await standingOf(url, await withLongConversation(app));
    const spares = new Spares(app, url);
    const steps = stepsOf(operations, choose);
    const walked = walk(app, url, steps, { many, spares });
    const frames = frameAttempts(url, many, choose);
    const pages = pageAttempts(app, url, await openPanel(printed()), choose);
    const answered = await watch([...frames, ...pages, ...walked], longestTurnMs);
    // The texts came to what works on them, too, and not only to the checks: each operation has done what it is for.
    const reached = new Map<string, number[]>();
    for (const one of walked) {
      const { operation, caller } = one.place;
      const name = `${operation.id} as ${caller}`;
      const statuses = [...(reached.get(name) ?? []), ...(answered.get(one) ?? [])];
      if (!BY_OTHERS.has(operation.id)) reached.set(name, statuses);
    }
    const never = [...reached].filter(([, statuses]) => statuses.every((status) => status >= 400));
    expect(never).toEqual([]);
  },
);
