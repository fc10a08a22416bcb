import { afterAll, expect, it } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';

const llm = await startLlmServer();
const app = testApp({ BOT_WAIT_MS: '0', LLM_URL: llm.url, LLM_MODEL: 'small' });
afterAll(() => llm.close());

it('answers in order what comes while its bot thinks, however much that is', async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  const { uuid, label } = (await agent.rest('POST', 'rooms/', { is_bot_use: true })).json;
  const { behaviour, say } = saysLater('Yes.');
  llm.behave(behaviour);
  const asked = Array.from({ length: 40 }, (_, n) => `Question ${n}`);
  // More than wait in a conversation's line: the last ones are left to the search for what is unanswered.
  for (const body of asked) {
    expect((await agent.rest('POST', 'messages/', { body, room: { uuid } })).status).toBe(201);
  }
  say();
  const lastOf = ({ body }: (typeof llm.asked)[number]) => body.messages.at(-1)?.content;
  await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBe(asked.length);
  expect(llm.asked.map(lastOf)).toEqual(asked);
  const said = (await agent.rest('GET', `rooms/${label}/?messages_limit=100`)).json.messages;
  expect(said.filter(({ body }: { body: string }) => body === 'Yes.').length).toBeGreaterThanOrEqual(39);
}, 90_000);
