import type { CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { testAgent } from '../../../../test/agent.ts';
import { saysLater, startLlmServer } from '../../../../test/agent-llm-server.ts';
import { testApp } from '../../../../test/app.ts';

/** How many questions a language model is asked at once. */

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_API_KEY: 'sk-secret', LLM_MODEL: 'small' });
afterAll(() => llm.close());

const AT_ONCE = 64;

const agentNamed = (prompt: string) =>
  testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm', prompt },
  ]);

const askedOf = (prompt: string): number =>
  llm.asked.filter(({ body }) => body.messages[0]?.content.includes(prompt)).length;

it('asks 64 questions of an account at once; the others wait, and those of other accounts do not', async () => {
  const [busy, other] = [await agentNamed('You are busy.'), await agentNamed('You are not.')];
  const ids = await Promise.all(Array.from({ length: AT_ONCE + 6 }, () => busy.open()));
  const { behaviour, say } = saysLater('Yes.');
  llm.behave(behaviour);
  const answers = ids.map((id) => busy.talk(id, 'Hm?'));
  await expect.poll(() => askedOf('busy'), { timeout: 60_000 }).toBeGreaterThanOrEqual(AT_ONCE);
  const others = other.talk(await other.open(), 'Hm?');
  await expect.poll(() => askedOf('not'), { timeout: 60_000 }).toBe(1);
  expect(askedOf('busy')).toBe(AT_ONCE);
  say();
  for (const answer of [others, ...answers]) expect(await answer).toEqual([['Yes.'], 'active']);
  expect(askedOf('busy')).toBe(AT_ONCE + 6);
});

it('reads the conversation of a question once its turn has come, and four at a time', async () => {
  const agent = await agentNamed('You are patient.');
  const ids = await Promise.all(Array.from({ length: AT_ONCE + 6 }, () => agent.open()));
  let [reads, most] = [0, 0];
  const reading = new Set<number>();
  const begin = ({ command, requestId }: CommandStartedEvent) => {
    if (command.find !== 'messages' || !command.filter.sent_at?.$lt || !command.projection?.is_bot) return;
    reads++;
    most = Math.max(most, reading.add(requestId).size);
  };
  const end = ({ requestId }: CommandSucceededEvent) => void reading.delete(requestId);
  const client = app.services.models.messages.db.getClient();
  client.on('commandStarted', begin).on('commandSucceeded', end);
  onTestFinished(() => void client.off('commandStarted', begin).off('commandSucceeded', end));
  const { behaviour, say } = saysLater('Yes.');
  llm.behave(behaviour);
  const answers = ids.map((id) => agent.talk(id, 'Hm?'));
  await expect.poll(() => askedOf('patient'), { timeout: 60_000 }).toBe(AT_ONCE);
  const readByThen = reads;
  say();
  await Promise.all(answers);
  expect([readByThen, reads]).toEqual([AT_ONCE, AT_ONCE + 6]);
  expect(most).toBeLessThanOrEqual(4);
});
