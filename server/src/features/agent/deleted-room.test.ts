import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { says, saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';
import { Turns } from './turns.ts';

/** What becomes of messages that wait for their bot while their room is deleted, and their visitor begins anew there. */

const llm = await startLlmServer();
const app = testApp({ BOT_WAIT_MS: '50', LLM_URL: llm.url, LLM_MODEL: 'small' });
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'You are kind.' },
];

it('are not answered in the room that was begun anew, and reach no model', async () => {
  const agent = await testAgent(app, FLOW);
  const { widget } = agent.account;
  await agent.rest('PATCH', `widgets/${widget}/`, { is_bot_use: true });
  const { visitor, room } = await app.session(widget);
  const say = async (body: string): Promise<void> => {
    const said = { visitor, body: { body, room: { uuid: room.uuid } } };
    expect((await app.request('POST', '/api/v1/messages/', said)).status).toBe(201);
  };
  const taken = vi.spyOn(Turns.prototype, 'take');
  onTestFinished(() => taken.mockRestore());
  const held = saysLater('Of the old room');
  llm.behave(held.behaviour, says('Of the new room'));
  await say('first old words');
  await expect.poll(() => llm.asked).toHaveLength(1);
  await say('second old words');
  const { messages } = app.services.models;
  const lease = async () => Number((await messages.findOne({ body: 'second old words' }).lean())?.answer_due);
  const first = await lease();
  // It is renewed of what waits in its line.
  await expect.poll(lease).toBeGreaterThan(first);
  expect((await agent.rest('DELETE', `rooms/${room.label}/`)).status).toBe(204);
  await say('new words');
  held.say();
  const shown = async () => (await agent.rest('GET', `rooms/${room.label}/`)).json.messages;
  const words = async () => (await shown()).map(({ body }: { body: string }) => body);
  const answered = () =>
    taken.mock.results.map(({ value }) => (value as Promise<unknown>).catch(() => undefined));
  await expect.poll(() => taken.mock.calls).toHaveLength(3);
  await Promise.all(answered());
  expect(await words()).toEqual(['Hello', 'new words', 'Of the new room']);
  const asked = llm.asked.slice(1).map(({ body }) => JSON.stringify(body.messages));
  expect(asked).toHaveLength(1);
  expect(asked[0]).toContain('new words');
  expect(asked[0]).not.toContain('old words');
});
