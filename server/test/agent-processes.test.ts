import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { createServices, type Services } from '../src/compose.ts';
import { createLog } from '../src/platform/log.ts';
import { type TestAgent, testAgent } from './agent.ts';
import { says, startLlmServer } from './agent-llm-server.ts';
import { testApp } from './app.ts';
import { owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_MODEL: 'small', BOT_WAIT_MS: '0' });
/** What another process on the same database consists of. */
let other: Services;
const connection = mongoose.createConnection();

beforeAll(async () => {
  const { config, connection: first } = app.services;
  await connection.openUri(inject('mongodbUrl'), { dbName: first.name, autoIndex: false, autoCreate: false });
  const secretKey = 'a secret key for the tests only, 40 long';
  other = await createServices(config, connection, secretKey, createLog('silent'));
  await other.start();
});
afterAll(async () => {
  await other?.stop();
  await connection.close();
  await llm.close();
});

const counting = [
  { id: 's', type: 'start', next: 'q' },
  { id: 'q', type: 'question', text: 'And?', save_as: 'last', next: 'm' },
  { id: 'm', type: 'message', text: 'After {{before}} came {{last}}.', next: 'q' },
];

const workflowOf = async (agent: TestAgent) => {
  const workflow = await app.services.workflows.byKey(agent.key);
  return workflow ?? expect.fail();
};

it('takes turns of one conversation one after the other, whichever process they come to', async () => {
  const agent = await testAgent(app, counting);
  const workflow = await workflowOf(agent);
  const id = await agent.open();
  const both = [app.services.conversations, other.conversations];
  await Promise.all(
    Array.from({ length: 24 }, (_, i) =>
      both[i % 2]?.say(workflow, id, `m${i}`, {
        client: '192.0.2.1',
        uuid: undefined,
        now: async () => workflow,
      }),
    ),
  );
  const { messages } = (await agent.get(id)).json;
  expect(messages).toHaveLength(1 + 24 * 3);
  // Question, answer, question: no turn has got between the messages of another.
  for (let at = 1; at < messages.length; at += 3) {
    const [asked, said, again] = messages.slice(at, at + 3);
    expect([asked.sender, said.message, again.message]).toEqual([
      'visitor',
      `After  came ${asked.message}.`,
      'And?',
    ]);
  }
});

it('sees a rotated key and another room bot at once on every process', async () => {
  const agent = await testAgent(app, counting);
  expect(await other.workflows.byKey(agent.key)).toBeDefined();
  await agent.rest('POST', `workflows/${agent.uuid}/rotate-key/`);
  expect(await other.workflows.byKey(agent.key)).toBeUndefined();
});

it('answers a message in a room once, though both processes hear of it', async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  llm.behave(says('Here I am.', { before: 200 }));
  const room = (await agent.rest('POST', 'rooms/', { is_bot_use: true })).json;
  const messages = [];
  for (let i = 0; i < 5; i++) {
    const body = { body: `m${i}`, room: { uuid: room.uuid } };
    const message = (await agent.rest('POST', 'messages/', body)).json;
    messages.push(message.uuid);
    const data = { ...message, room: { uuid: room.uuid } };
    const event = {
      id: message.uuid,
      name: 'message.added' as const,
      account: agent.account.id,
      at: new Date(),
      data,
    };
    await other.answers.consume([event]);
  }
  for (const uuid of messages) {
    await expect
      .poll(async () => (await agent.rest('GET', `messages/${uuid}/`)).json.support_answer, {
        timeout: 60_000,
      })
      .toBe('Here I am.');
  }
  await sleep(500);
  const all = (await agent.rest('GET', `rooms/${room.label}/`)).json.messages;
  expect(all.filter(({ body }: any) => body === 'Here I am.')).toHaveLength(5);
});

it('goes on rightly when a caller comes again with its Idempotency-Key after a crash', async () => {
  const shared = await sharedSettings();
  const settings = { ...shared, LLM_URL: llm.url, LLM_MODEL: 'small', RATE_LIMIT: 'off' };
  let server = await startServerProcess(settings);
  const { rest } = await owner(server.url);
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
    { id: 'l', type: 'llm' },
  ];
  const made = await rest('POST', '/api/v1/workflows/', { name: 'Crash', is_published: true, nodes });
  const call = (path: string, body: object, key: string) =>
    fetch(`${server.url}/api/v1/public/conversations/${path}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-API-Key': made.json.public_key,
        'Idempotency-Key': key,
      },
      body: JSON.stringify(body),
    });
  const { conversationId } = (await (await call('start', {}, randomUUID())).json()) as any;
  const hi = randomUUID();
  llm.behave(says('Too late.', { before: 5_000 }), says('Here I am.'));
  const lost = call(`${conversationId}/messages`, { message: 'Hi' }, hi).catch(() => undefined);
  await expect.poll(() => llm.asked.at(-1)?.body.messages.at(-1)?.content, { timeout: 60_000 }).toBe('Hi');
  await server.end('SIGKILL');
  expect(await lost).toBeUndefined();
  server = await startServerProcess(settings);
  // The claim of the killed process frees itself after a while; until then the caller is told to come again.
  const come = async () => (await call(`${conversationId}/messages`, { message: 'Hi' }, hi)).json() as any;
  expect((await come()).error).toMatch(/still running/);
  const database = await mongoose.createConnection(shared.MONGODB_URL ?? '').asPromise();
  const left = await database
    .collection('idempotencyclaims')
    .updateMany({ answer: { $exists: false } }, { $set: { leased_until: new Date(0) } });
  await database.close();
  expect(left.modifiedCount).toBe(1);
  const answer = await come();
  expect(answer).toEqual({
    messages: [{ message: 'Here I am.', sentAt: expect.any(String) }],
    status: 'active',
  });
  expect(await come()).toEqual(answer);
  const conversation = await fetch(`${server.url}/api/v1/public/conversations/${conversationId}`, {
    headers: { 'X-API-Key': made.json.public_key },
  });
  expect(((await conversation.json()) as any).messages.map(({ message }: any) => message)).toEqual([
    'Hello',
    'Hi',
    'Here I am.',
  ]);
});
