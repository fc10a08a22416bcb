import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../../test/agent.ts';
import {
  type Behaviour,
  hangs,
  refuses,
  says,
  startLlmServer,
  thinksOnly,
  writesThen,
} from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';

/** What questions cost whose answer nobody gets. */

const llm = await startLlmServer();
const app = testApp({
  LLM_URL: llm.url,
  LLM_MODEL: 'small',
  LLM_TIMEOUT: '4s',
  LLM_TOKENS_PER_CONVERSATION: '3000',
});
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'You are kind to everybody who asks.', on_error: 'm' },
  { id: 'm', type: 'message', text: 'Not now.', next: 'l' },
];
const NOT_ANSWERED = [['Not now.'], 'active'];
const WORDS = Array.from({ length: 200 }, (_, n) => ({ content: n % 2 === 0 ? 'lamp ' : 'table ' }));
const THOUGHTS = (field: string) => WORDS.map(({ content }) => ({ [field]: content }));
const count = (total_tokens: number) => `data: {"choices":[],"usage":{"total_tokens":${total_tokens}}}\n\n`;
const lost: Behaviour = (res) => void res.destroy();

let agent: TestAgent;
beforeEach(async () => {
  agent = await testAgent(app, FLOW);
  llm.asked.length = 0;
});

/** What the account has used today. */
const used = async (): Promise<number> => {
  const _id = `${agent.account.id} tokens ${new Date().toISOString().slice(0, 10)}`;
  return (await app.services.models.usage.findOne({ _id }).lean())?.used ?? 0;
};

/** What a question costs of which these come. */
const costOf = async (...behaviours: Behaviour[]): Promise<number> => {
  llm.behave(...behaviours);
  const before = await used();
  await agent.talk(await agent.open(), 'Tell me a story');
  return (await used()) - before;
};

describe('a question costs what the endpoint counted', () => {
  it.each<[what: string, behaviour: Behaviour]>([
    ['without a word of an answer', thinksOnly(1_015)],
    [
      'of an answer that breaks off in words that are none',
      writesThen(WORDS, `${count(1_015)}data: {"choi\n\n`),
    ],
    ['beside its error', writesThen([], 'data: {"error":{},"usage":{"total_tokens":1015}}\n\n')],
  ])('%s', async (_, behaviour) => {
    expect(await costOf(behaviour)).toBe(1_015);
  });
});

describe('a question costs what has come of its answer', () => {
  it.each<[what: string, behaviour: Behaviour]>([
    ['where the time is over', writesThen(WORDS, 'hung')],
    ['where the connection is lost', writesThen(WORDS, 'lost')],
    ['where the stream ends', writesThen(WORDS, ': \n\n')],
    ['where it ends in an error', writesThen(WORDS, 'data: {"error":{"message":"no"}}\n\n')],
    ['where more has come than was counted', writesThen(WORDS, `${count(60)}data: {"choi\n\n`)],
    ['where it was thoughts', thinksOnly(undefined, THOUGHTS('reasoning_content'))],
    ['where it was thoughts by another name', thinksOnly(undefined, THOUGHTS('reasoning'))],
  ])('%s', async (_, behaviour) => {
    const cost = await costOf(behaviour);
    expect([cost >= 200, cost < 500]).toEqual([true, true]);
  });
});

describe('a question costs its prompt', () => {
  it('once for each request that got lost, and nothing for one that was refused', async () => {
    const prompt = await costOf(hangs);
    expect([prompt > 10, prompt < 100]).toEqual([true, true]);
    expect(await costOf(lost)).toBe(3 * prompt);
    expect(await costOf(refuses(504))).toBe(3 * prompt);
    expect(llm.asked).toHaveLength(7);
    expect(await costOf(refuses(500))).toBe(0);
    expect(await costOf(refuses(429, { 'retry-after': '60' }))).toBe(0);
    expect(await costOf(lost, refuses(429, { 'retry-after': '0' }), says('Now.'))).toBe(prompt + 42);
  });
});

const LLM_MODEL = 'small';
const nowhere = testApp({ LLM_URL: 'http://127.0.0.1:1/v1', LLM_MODEL });
const withoutTls = testApp({ LLM_URL: llm.url.replace('http:', 'https:'), LLM_MODEL });

it.each([
  ['where there is no endpoint', nowhere],
  ['where it speaks no TLS', withoutTls],
])('costs nothing %s', async (_, other) => {
  const one = await testAgent(other, FLOW);
  expect(await one.talk(await one.open(), 'Tell me a story')).toEqual(NOT_ANSWERED);
  const own = { _id: { $regex: `^${one.account.id} tokens` } };
  const booked = await other.services.models.usage.find(own).lean();
  expect(booked.map(({ used }) => used)).toEqual([0, 0]);
});

it.each<[what: string, behaviour: Behaviour]>([
  ['that have no text', thinksOnly(1_015)],
  ['that are lost', writesThen([...WORDS, ...WORDS, ...WORDS, ...WORDS], 'lost')],
])('answers %s use up the tokens of a conversation', async (_, behaviour) => {
  llm.behave(behaviour);
  const id = await agent.open();
  for (let turn = 0; turn < 8; turn++) expect(await agent.talk(id, 'And then?')).toEqual(NOT_ANSWERED);
  expect(llm.asked.length).toBeLessThan(5);
});
