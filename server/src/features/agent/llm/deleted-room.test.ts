import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../../test/agent.ts';
import { startLlmServer, writesThen } from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';
import { roomLabelOf } from '../conversations.service.ts';

/** What becomes of a model's answer whose room is deleted while it is made. */

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_MODEL: 'small', LLM_TIMEOUT: '60s' });
afterAll(() => llm.close());

/** It takes 5 s; without an end it would take the time that a turn may have. */
const PATIENCE_MS = 30_000;

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'You are kind.', on_error: 'again', max_tokens: 500 },
  { id: 'again', type: 'llm', prompt: 'You are patient.', on_error: 'm' },
  { id: 'm', type: 'message', text: 'Not now.', next: 'l' },
];

/** Asks in a conversation. @returns once an answer has begun, which has no end, what deletes the conversation amid it */
const ask = async (agent: TestAgent, headers: Record<string, string>) => {
  let answer: ServerResponse | undefined;
  llm.behave((res, asked) => {
    answer = res;
    return writesThen([{ content: 'lamp ' }], 'hung')(res, asked);
  });
  const id = await agent.open();
  const said = agent.say(id, 'Tell me a story', headers);
  await expect.poll(() => answer?.headersSent).toBe(true);
  return async () => {
    const closed = once(answer as ServerResponse, 'close', { signal: AbortSignal.timeout(PATIENCE_MS) });
    expect((await agent.rest('DELETE', `rooms/${roomLabelOf(id)}/`)).status).toBe(204);
    await closed;
    return said;
  };
};

it('is given up, and costs what has come of it', async () => {
  const agent = await testAgent(app, FLOW);
  const deletions = [await ask(agent, {}), await ask(agent, { Accept: 'text/event-stream' })];
  const [whole, streamed] = await Promise.all(deletions.map((deleteAmid) => deleteAmid()));
  expect(whole?.status).toBe(404);
  expect(streamed?.text).toContain('event: error\ndata: {"error":"Not found."}');
  // No other node is tried.
  expect(llm.asked).toHaveLength(2);
  const _id = `${agent.account.id} tokens ${new Date().toISOString().slice(0, 10)}`;
  const used = async () => (await app.services.models.usage.findOne({ _id }).lean())?.used ?? 0;
  await expect.poll(used).toBeLessThan(200);
  expect(await used()).toBeGreaterThan(2);
});
