import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandStartedEvent } from 'mongodb';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';

const llm = await startLlmServer();
const app = testApp({ BOT_WAIT_MS: '0', LLM_URL: llm.url, LLM_MODEL: 'small' });
afterAll(() => llm.close());

it('messages that wait in a line are written seldom, and are free at once when their server stops', async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  const { uuid } = (await agent.rest('POST', 'rooms/', { is_bot_use: true })).json;
  const { behaviour, say } = saysLater('Yes.');
  llm.behave(behaviour);
  const { messages } = app.services.models;
  /** How often each message was written, by its id. */
  const written = new Map<string, number>();
  const count = ({ command }: CommandStartedEvent) => {
    if (command.update !== messages.collection.name) return;
    for (const { q, u } of command.updates) {
      const ids: string[] = u.$set?.answer_due ? (q._id?.$in ?? []) : [];
      for (const id of ids) written.set(id, (written.get(id) ?? 0) + 1);
    }
  };
  const client = messages.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  const said: string[] = [];
  for (let n = 0; n < 10; n++)
    said.push((await agent.rest('POST', 'messages/', { body: `${n}`, room: { uuid } })).json.uuid);
  await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBe(1);
  await sleep(9_000);
  const [first = '', ...waiting] = said;
  expect(written.get(first)).toBeGreaterThanOrEqual(2);
  for (const id of waiting) expect([id, written.get(id)]).toEqual([id, 1]);
  const dueOf = async (id: string) => Number((await messages.findById(id).lean())?.answer_due);
  for (const id of waiting) expect(await dueOf(id)).toBeGreaterThan(Date.now() + 15_000);
  const stopped = app.services.stop();
  const areFree = async () => (await Promise.all(waiting.map(dueOf))).every((due) => due <= Date.now());
  await expect.poll(areFree, { timeout: 20_000 }).toBe(true);
  say();
  await stopped;
}, 120_000);
