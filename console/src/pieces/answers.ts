import { TIMELINE, UUIDS } from './samples.ts';

/** What is asked of the API, by its path behind /api/v1/; there is no server here. */
const ANSWERS: Readonly<Record<string, () => Response>> = {
  [`conversations/${UUIDS.room}/timeline/`]: () => Response.json(TIMELINE),
  [`conversations/${UUIDS.quietRoom}/timeline/`]: () => Response.json([]),
  [`conversations/${UUIDS.brokenRoom}/timeline/`]: () => Response.json({ detail: '' }, { status: 503 }),
};

/** Answers the pieces from plain data; anything else that they ask for stays under way. */
export const answerPieces = (): void => {
  const real = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input, location.href);
    if (origin !== location.origin || !pathname.startsWith('/api/')) return real(input, init);
    const answer = ANSWERS[pathname.replace('/api/v1/', '')];
    return answer ? Promise.resolve(answer()) : new Promise(() => undefined);
  };
};
