/** Runs of one kind that are under way at most; whoever asks meanwhile is in the next one. */
const MAX_RUNNING = 2;
const MAX_TOGETHER = 500;

interface Asked<Request, Result> {
  request: Request;
  resolve(result: Result | Promise<Result>): void;
  reject(error: unknown): void;
}

/**
 * Does with one command what is asked for at the same time: most of what a request costs is its commands to the
 * database, and when thousands of clients come back at once, each would cost several.
 * @param run gives the results of all requests of a round, in their order; when it fails, it fails for this round alone
 * @param within how long a round gathers requests before it begins (milliseconds); 0: to the end of this turn of the event loop
 */
export const batched = <Request, Result>(
  run: (requests: Request[]) => Promise<(Result | Promise<Result>)[]>,
  { within = 0 }: { within?: number } = {},
): ((request: Request) => Promise<Result>) => {
  const waiting: Asked<Request, Result>[] = [];
  let running = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || running >= MAX_RUNNING || waiting.length === 0) return;
    isScheduled = true;
    if (within > 0) setTimeout(begin, within);
    // After all that came in with this turn of the event loop.
    else setImmediate(begin);
  };

  const begin = (): void => {
    isScheduled = false;
    running++;
    void runRound(waiting.splice(0, MAX_TOGETHER)).finally(() => {
      running--;
      schedule();
    });
    schedule();
  };

  const runRound = async (round: Asked<Request, Result>[]): Promise<void> => {
    try {
      const results = await run(round.map(({ request }) => request));
      for (const [index, { resolve }] of round.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of round) reject(error);
    }
  };

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      schedule();
    });
};
