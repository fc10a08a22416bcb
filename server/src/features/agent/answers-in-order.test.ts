import { randomUUID } from 'node:crypto';
import { afterAll, expect, it } from 'vitest';
import { testAgent } from '../../../test/agent.ts';
import { says, saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
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

/** A room with a bot, and messages that wait there, as another process has left them. */
const waitingRoom = async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  const { uuid } = (await agent.rest('POST', 'rooms/', { is_bot_use: true })).json;
  const room = await app.services.models.rooms.findOne({ _id: uuid }).lean();
  const messageOf = (body: string, sent: number, due: number) => ({
    ...{ _id: randomUUID(), account: agent.account.id, room: uuid, body, nickname: '', email: '' },
    ...{ phone_number: '', is_support_sender: false, is_bot: false, sent_at: new Date(Date.now() + sent) },
    ...{ answer_due: new Date(Date.now() + due), room_made_at: room?.created_at },
  });
  return messageOf;
};

it('answers nothing before what another process is about to answer', async () => {
  const messageOf = await waitingRoom();
  const { messages } = app.services.models;
  const before = llm.asked.length;
  llm.behave(says('Yes.'));
  // The process that has the first one dies: its lease runs out.
  const both = [messageOf('first', -5_000, 5_000), messageOf('second', -4_000, -1_000)];
  await messages.collection.insertMany(both as never[]);
  await expect.poll(() => llm.asked.length - before, { timeout: 60_000 }).toBe(2);
  expect(llm.asked.slice(before).map(({ body }) => body.messages.at(-1)?.content)).toEqual([
    'first',
    'second',
  ]);
}, 90_000);

it('finds what an account waits for behind all that another one has to wait with', async () => {
  const [messageOf, otherOf] = [await waitingRoom(), await waitingRoom()];
  const { messages } = app.services.models;
  const before = llm.asked.length;
  llm.behave(says('Yes.'));
  // Another process has the first one in hand, and all the others wait for it.
  const many = Array.from({ length: 250 }, (_, n) => messageOf('later', -4_000 + n, -3_000));
  const all = [messageOf('first', -5_000, 25_000), ...many, otherOf('of another account', -2_000, -1_000)];
  await messages.collection.insertMany(all as never[]);
  await expect.poll(() => llm.asked.length - before, { timeout: 20_000 }).toBe(1);
  expect(llm.asked[before]?.body.messages.at(-1)?.content).toBe('of another account');
}, 90_000);
