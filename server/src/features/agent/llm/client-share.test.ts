import { afterAll, beforeEach, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../../test/agent.ts';
import { says, saysLater, startLlmServer } from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';

const llm = await startLlmServer();
const app = testApp({
  LLM_URL: llm.url,
  LLM_MODEL: 'small',
  // Two answers, each of which takes 42 tokens, and no third one.
  LLM_TOKENS_PER_ADDRESS: '200',
  BOT_WAIT_MS: '20000',
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'Be kind.', on_error: 'm', max_tokens: 100 },
  { id: 'm', type: 'message', text: 'Not now.', next: 'l' },
];
const ANSWERED = 'Yes.';
const NOT_ANSWERED = 'Not now.';

let agent: TestAgent;
let tests = 0;

beforeEach(async () => {
  agent = await testAgent(app, FLOW);
  llm.behave(says(ANSWERED));
  tests++;
});

/** A client address of this test alone. */
const address = (n: number): string => `198.51.${tests}.${n}`;
const from = (client: string) => ({ 'x-forwarded-for': client });

/** What a conversation of the agent API answers to a client. */
const ask = async (client: string, one = agent): Promise<string> => {
  const { conversationId } = (await one.start({}, from(client))).json;
  const { json } = await one.say(conversationId, 'Hm?', from(client));
  return json.messages[0].message;
};

/** The first answers that a client is given. */
const asks = async (client: string, count: number): Promise<string[]> => {
  const answers: string[] = [];
  while (answers.length < count) answers.push(await ask(client));
  return answers;
};

it('answers a client address as long as its share of the tokens lasts, and others then', async () => {
  expect(await asks(address(1), 4)).toEqual([ANSWERED, ANSWERED, NOT_ANSWERED, NOT_ANSWERED]);
  expect(llm.asked).toHaveLength(2);
  expect(await ask(address(2))).toBe(ANSWERED);
});

it('counts an address once, whichever accounts it talks to', async () => {
  await asks(address(1), 2);
  const other = await testAgent(app, FLOW);
  expect(await ask(address(1), other)).toBe(NOT_ANSWERED);
  expect(await ask(address(2), other)).toBe(ANSWERED);
});

it('counts IPv6 by its /64, and gives a /48 four times as much', async () => {
  const of = (network: number, host: number) => `2001:db8:${tests}:${network}::${host}`;
  expect(await asks(of(1, 1), 2)).toEqual([ANSWERED, ANSWERED]);
  expect(await ask(of(1, 2))).toBe(NOT_ANSWERED);
  const answers: string[] = [];
  for (let network = 2; network < 24; network++) answers.push(await ask(of(network, 1)));
  // 800 tokens, of which each answer takes 42 and has to have 130 or so left.
  const answered = answers.filter((answer) => answer === ANSWERED).length;
  expect([answered > 10, answered < 18]).toEqual([true, true]);
  expect(answers.at(-1)).toBe(NOT_ANSWERED);
  expect(await ask(`2001:db8:f${tests}::1`)).toBe(ANSWERED);
});

it('counts what a visitor asks in the widget, and keeps no trace of where it came from', async () => {
  const { messages, usage } = app.services.models;
  const { widget } = agent.account;
  await agent.rest('PATCH', `widgets/${widget}/`, { is_bot_use: true });
  const later = saysLater(ANSWERED);
  llm.behave(later.behaviour, says(ANSWERED));
  const { visitor, room } = await app.session(widget);
  const say = async (client: string) => {
    const body = { body: 'Hm?', room: { uuid: room.uuid } };
    return (await app.request('POST', '/api/v1/messages/', { visitor, headers: from(client), body })).json;
  };
  const first = say(address(1));
  // As long as it waits, it has to be known to whichever process answers it.
  const waiting = { room: room.uuid, answer_due: { $exists: true } };
  await expect.poll(async () => (await messages.findOne(waiting).lean())?.asked_from).toHaveLength(1);
  later.say();
  expect((await first).support_answer).toBe(ANSWERED);
  expect((await say(address(1))).support_answer).toBe(ANSWERED);
  expect((await say(address(1))).support_answer).toBe(NOT_ANSWERED);
  expect((await say(address(2))).support_answer).toBe(ANSWERED);
  expect(await ask(address(1))).toBe(NOT_ANSWERED);
  expect(await messages.countDocuments({ asked_from: { $exists: true } })).toBe(0);
  const booked = (await usage.find().lean()).map(({ _id }) => _id).join('\n');
  expect(booked).not.toContain(address(1));
});

it('counts what somebody asks who tries a workflow', async () => {
  const test = async (client: string) => {
    const path = `workflows/${agent.uuid}/test/`;
    const { state } = (await agent.rest('POST', path, {}, from(client))).json;
    const answer = await agent.rest('POST', path, { state, message: 'Hm?' }, from(client));
    return answer.json.messages[0];
  };
  expect(await test(address(1))).toBe(ANSWERED);
  expect(await test(address(1))).toBe(ANSWERED);
  expect(await test(address(1))).toBe(NOT_ANSWERED);
  expect(await test(address(2))).toBe(ANSWERED);
});
