import { isRefusal } from '../../../platform/errors.ts';

/** How often it is looked whether an answer that is being made is still wanted. */
const LOOK_EVERY_MS = 5_000;

/**
 * Asks for an answer, as long as it is wanted: what would not be asked any more is given up (docs/agent.md).
 * @param look throws ParlorError once it is not; what else it throws, as where the database is away, says nothing amid an answer
 * @param ask gets a signal that is aborted with what `look` threw
 * @throws what `look` throws, before anything is asked
 */
export const whileWanted = async <T>(
  look: () => Promise<unknown>,
  ask: (gone: AbortSignal) => Promise<T>,
): Promise<T> => {
  await look();
  const gone = new AbortController();
  const again = setInterval(() => {
    look().catch((error) => isRefusal(error) && gone.abort(error));
  }, LOOK_EVERY_MS);
  try {
    return await ask(gone.signal);
  } finally {
    clearInterval(again);
  }
};
