import { afterAll, expect, it } from 'vitest';
import { testAgent } from '../../../../test/agent.ts';
import { says, startLlmServer } from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';
import { events } from '../../../../test/event-stream.ts';

/** The tokens of an account and of all accounts, by whichever way a model is asked. */

/** What each answer takes, as the endpoint counts it. */
const TAKEN = 42;

const llm = await startLlmServer();
const app = testApp({
  LLM_URL: llm.url,
  LLM_MODEL: 'small',
  // An answer for each way, each of which books some 120 tokens at first, and no further one.
  LLM_TOKENS_PER_DAY_TOTAL: String(3 * TAKEN + 145),
  LLM_TOKENS_PER_ADDRESS: '0',
  BOT_WAIT_MS: '20000',
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

type Agent = Awaited<ReturnType<typeof testAgent>>;

/** What somebody is answered, by each way to a model. */
const WAYS: Record<string, (agent: Agent) => Promise<unknown>> = {
  'the agent API': async (agent) => (await agent.talk(await agent.open(), 'Hm?'))[0][0],
  'the agent API, streamed': async (agent) => {
    const { text } = await agent.say(await agent.open(), 'Hm?', { Accept: 'text/event-stream' });
    return events(text).find(([event]) => event === 'message')?.[1].message;
  },
  'the widget': async ({ account, rest }) => {
    await rest('PATCH', `widgets/${account.widget}/`, { is_bot_use: true });
    const { visitor, room } = await app.session(account.widget);
    const body = { body: 'Hm?', room: { uuid: room.uuid } };
    return (await app.request('POST', '/api/v1/messages/', { visitor, body })).json.support_answer;
  },
  'a workflow that is tried': async ({ uuid, rest }) => {
    const { state } = (await rest('POST', `workflows/${uuid}/test/`, {})).json;
    return (await rest('POST', `workflows/${uuid}/test/`, { state, message: 'Hm?' })).json.messages[0];
  },
};

it('counts every way to a model, and answers by none once the tokens of the server are used up', async () => {
  const { usage } = app.services.models;
  const agent = await testAgent(app, FLOW);
  const day = new Date().toISOString().slice(0, 10);
  const used = async (whose: string) => (await usage.findOne({ _id: `${whose} tokens ${day}` }).lean())?.used;
  llm.behave(says(ANSWERED));
  for (const [n, [way, ask]] of Object.entries(WAYS).entries()) {
    expect([way, await ask(agent)]).toEqual([way, ANSWERED]);
    // What was booked is corrected once the answer is there.
    const taken = (n + 1) * TAKEN;
    await expect.poll(async () => [way, await used('server')]).toEqual([way, taken]);
    await expect.poll(async () => [way, await used(agent.account.id)]).toEqual([way, taken]);
  }
  const asked = llm.asked.length;
  const other = await testAgent(app, FLOW);
  for (const [way, ask] of Object.entries(WAYS)) {
    expect([way, await ask(agent)]).toEqual([way, NOT_ANSWERED]);
    expect([way, await ask(other)]).toEqual([way, NOT_ANSWERED]);
  }
  expect(llm.asked).toHaveLength(asked);
  expect(await used('server')).toBe(Object.keys(WAYS).length * TAKEN);
});
