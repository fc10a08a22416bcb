import type { Answer } from './app.ts';
import type { Fixtures } from './fixtures.ts';
import type { Attempt } from './fuzz-attempts.ts';
import { conversation } from './fuzz-attempts.ts';
import type { RemoteApp } from './remote-app.ts';

/** How many requests of one attempt are under way at once. */
const TOGETHER = 16;

const inTurns = async <T>(all: readonly T[], send: (one: T) => Promise<Answer>): Promise<Answer[]> => {
  const answers: Answer[] = [];
  for (let from = 0; from < all.length; from += TOGETHER)
    answers.push(...(await Promise.all(all.slice(from, from + TOGETHER).map(send))));
  return answers;
};

/** An account with these keywords, made once; each time with one more of them, and messages of customers. */
const keywordsAnd = (app: RemoteApp, keywords: readonly string[], messages: readonly string[]) => {
  let made: Promise<{ token: string; room: string }> | undefined;
  let times = 0;
  const make = async () => {
    const { token } = await app.account();
    await inTurns(keywords, (keyword) =>
      app.request('POST', '/api/v1/keywords/', { token, body: { keyword } }),
    );
    return { token, room: (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json.uuid };
  };
  return async (): Promise<Answer[]> => {
    made ??= make();
    const { token, room } = await made;
    const another = { token, body: { keyword: `another ${times++}` } };
    const answers = [await app.request('POST', '/api/v1/keywords/', another)];
    for (const body of messages)
      answers.push(
        await app.request('POST', '/api/v1/messages/', { token, body: { body, room: { uuid: room } } }),
      );
    return answers;
  };
};

/**
 * Keywords of 100 ideographs whose letters all went to one place of a hash table that once held them: 1 000 stopped a
 * server for half a minute.
 */
const collidingKeywords = (count: number): string[] => {
  const slots = 2 ** Math.ceil(Math.log2(2 * count * 100 + 2));
  const slotOf = (state: number, unit: number): number => {
    const hash = Math.imul(Math.imul(state, 0x9e3779b1) ^ unit, 0x85ebca6b);
    return (hash ^ (hash >>> 15)) & (slots - 1);
  };
  let state = 0;
  return Array.from({ length: count }, (_, n) => {
    const letters = [0x4e00 + n];
    for (state++; letters.length < 100; state++) {
      let unit = 0x4e00;
      while (unit < 0x9fa5 && slotOf(state, unit) > 24) unit++;
      letters.push(unit);
    }
    return String.fromCharCode(...letters);
  });
};

/** What U+FDFA becomes, in a row: pieces that begin inside of a word and end with one. */
const LIGATURES = '\ufdfa'.normalize('NFKD').repeat(6);
const PIECES = [...LIGATURES.matchAll(/ /g)]
  .slice(-6)
  .flatMap(({ index }) => Array.from({ length: 17 }, (_, n) => LIGATURES.slice(n + 1, index)));

/** Written out, it is 108 000 instructions. */
const LARGE = 'a{0,1000}'.repeat(54);

/** What one account configures as far as it may, so that little of a request becomes much. */
export const largeTenants = (app: RemoteApp, own: Fixtures): Attempt[] => {
  const { token, ids } = own;
  const colliding = collidingKeywords(80);
  const conditions = Array.from({ length: 6 }, (_, node) => ({
    id: `c${node}`,
    type: 'condition',
    branches: Array.from({ length: 50 }, (_, n) => ({
      ...{ variable: 'x', operator: 'matches', next: null },
      value: `${LARGE}${String.fromCharCode(97 + (n % 26))}${node}`,
    })),
  }));
  const nodes = [{ id: 's', type: 'start', next: 'c0' }, ...conditions];
  const forms = Array.from({ length: 1_000 }, (_, n) => ({
    questions: ['xqzvk xqzvkw xqzvkwj'],
    answer: `${n}`,
  }));
  const asked = Array.from({ length: 1_050 }, (_, n) => `xqzvkwj${String.fromCharCode(0x430 + n)}`).join(' ');
  return [
    {
      name: 'keywords of many ideographs that collide',
      run: keywordsAnd(app, colliding, ['hello', `${colliding[0]}`.repeat(95)]),
    },
    {
      name: 'keywords that end alike in a message that folding makes long',
      run: keywordsAnd(app, PIECES, ['\ufdfa'.repeat(10_000)]),
    },
    {
      name: 'hundreds of patterns that become too long programs',
      run: async () => [
        await app.request('POST', '/api/v1/workflows/', { token, body: { name: 'x', nodes } }),
        await app.request('POST', `/api/v1/workflows/${ids.workflows}/test/`, { token, body: { nodes } }),
      ],
    },
    {
      name: 'entries that are all meant by each word',
      run: conversation(
        app,
        own,
        [
          { id: 's', type: 'start', next: 'f' },
          { id: 'f', type: 'faq', threshold: 0.9, entries: forms },
        ],
        asked,
      ),
    },
  ];
};
