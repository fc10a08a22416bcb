/** Runs of one kind that are under way at most; whoever asks meanwhile is in the next one. */
const MAX_RUNNING = 2;
const MAX_TOGETHER = 500;

interface Asked<Question, Answer> {
  question: Question;
  resolve(answer: Answer | Promise<Answer>): void;
  reject(error: unknown): void;
}

/**
 * Does with one command what is asked for at the same time: most of what a request costs is its commands to the
 * database, and when thousands of clients come back at once, each would cost several.
 * @param run answers all questions of a round, in their order; when it fails, it fails for this round alone
 */
export const batched = <Question, Answer>(
  run: (questions: Question[]) => Promise<(Answer | Promise<Answer>)[]>,
): ((question: Question) => Promise<Answer>) => {
  const waiting: Asked<Question, Answer>[] = [];
  let running = 0;
  let isScheduled = false;

  const schedule = (): void => {
    if (isScheduled || running >= MAX_RUNNING || waiting.length === 0) return;
    isScheduled = true;
    // After all that came in with this turn of the event loop.
    setImmediate(() => {
      isScheduled = false;
      running++;
      void answer(waiting.splice(0, MAX_TOGETHER)).finally(() => {
        running--;
        schedule();
      });
      schedule();
    });
  };

  const answer = async (round: Asked<Question, Answer>[]): Promise<void> => {
    try {
      const answers = await run(round.map(({ question }) => question));
      for (const [index, { resolve }] of round.entries()) resolve(answers[index] as Answer);
    } catch (error) {
      for (const { reject } of round) reject(error);
    }
  };

  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      schedule();
    });
};
