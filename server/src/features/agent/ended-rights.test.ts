import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { refuses, saysLater, startLlmServer, writesThen } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';
import { FairTurns } from '../../platform/fair-turns.ts';

/** What becomes of messages that were let in before their key, or their workflow, was taken away. */

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_MODEL: 'small', LLM_TIMEOUT: '60s', BOT_WAIT_MS: '30000' });
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'l' },
  { id: 'l', type: 'llm', prompt: 'You are kind.', on_error: 'again' },
  { id: 'again', type: 'llm', prompt: 'You are patient.', on_error: 'm' },
  { id: 'm', type: 'message', text: 'Not now.', next: 'l' },
];

const unpublish = (agent: TestAgent) =>
  agent.rest('PATCH', `workflows/${agent.uuid}/`, { is_published: false });
const remove = (agent: TestAgent) => agent.rest('DELETE', `workflows/${agent.uuid}/`);
const rotate = (agent: TestAgent) => agent.rest('POST', `workflows/${agent.uuid}/rotate-key/`);

const UNPUBLISHED = 'Workflow not found or not published.';
const INVALID = 'Invalid API key. Include a valid X-API-Key header.';
const ENDS = [
  { what: 'its key is rotated', end: rotate, status: 401, error: INVALID },
  { what: 'its workflow is unpublished', end: unpublish, status: 404, error: UNPUBLISHED },
  { what: 'its workflow is deleted', end: remove, status: 401, error: INVALID },
];

const STREAM = { Accept: 'text/event-stream' };

/** Whoever was looked at within the last second is not looked at again. */
const untilLookedAtAgain = () => sleep(2_000);

it.each(ENDS)('what waits in a conversation is refused when $what', async ({ end, status, error }) => {
  const agent = await testAgent(app, FLOW);
  const id = await agent.open();
  const answer = saysLater('Once upon a time');
  llm.behave(answer.behaviour);
  const before = llm.asked.length;
  const first = agent.say(id, 'Tell me a story');
  await expect.poll(() => llm.asked.length).toBe(before + 1);
  const key = { 'Idempotency-Key': '6f1e5a39-0b0c-4b5c-9a53-0d9bb0f3f0a1' };
  const waiting = [agent.say(id, 'And?'), agent.say(id, 'And?', STREAM), agent.say(id, 'And?', key)];
  await untilLookedAtAgain();
  expect((await end(agent)).status).toBeLessThan(300);
  const fresh = await agent.say(id, 'Now?');
  expect([fresh.status, fresh.json.error]).toEqual([status, error]);
  answer.say();
  expect((await first).status).toBe(200);
  const [whole, streamed, kept] = await Promise.all(waiting);
  expect([whole?.status, whole?.json]).toEqual([fresh.status, fresh.json]);
  expect([kept?.status, kept?.json]).toEqual([fresh.status, fresh.json]);
  expect(whole?.headers['www-authenticate']).toBe(fresh.headers['www-authenticate']);
  expect(streamed?.text).toContain(`event: error\ndata: ${JSON.stringify({ error })}`);
  expect(llm.asked).toHaveLength(before + 1);
});

it.each(ENDS)(
  'a conversation that waits for its turn is not begun when $what',
  async ({ end, status, error }) => {
    const agent = await testAgent(app, FLOW);
    const { id } = agent.account;
    const { run } = FairTurns.prototype;
    let open = (): void => undefined;
    const isOpen = new Promise<void>((resolve) => (open = resolve));
    let held = 0;
    const holding = vi.spyOn(FairTurns.prototype, 'run').mockImplementation(async function (
      this: FairTurns,
      ...[who, ...given]
    ) {
      if (who === id) {
        held++;
        await isOpen;
      }
      return run.call(this, who, ...given) as never;
    });
    onTestFinished(() => holding.mockRestore());
    const started = agent.start();
    await expect.poll(() => held).toBe(1);
    await untilLookedAtAgain();
    await end(agent);
    open();
    const { status: begun, json } = await started;
    expect([begun, json.error]).toEqual([status, error]);
    expect(await app.services.models.rooms.countDocuments({ account: id })).toBe(0);
  },
);

it.each(ENDS)('no other node is asked when $what', async ({ end, status }) => {
  const agent = await testAgent(app, FLOW);
  const id = await agent.open();
  let fail = (): void => undefined;
  const isToFail = new Promise<void>((resolve) => (fail = resolve));
  llm.behave((res, asked) => isToFail.then(() => refuses(400)(res, asked)));
  const before = llm.asked.length;
  const said = agent.say(id, 'Tell me a story');
  await expect.poll(() => llm.asked.length).toBe(before + 1);
  await untilLookedAtAgain();
  await end(agent);
  fail();
  expect((await said).status).toBe(status);
  expect(llm.asked).toHaveLength(before + 1);
});

it('an answer that is being made is given up', async () => {
  const begun: ServerResponse[] = [];
  llm.behave((res, asked) => {
    begun.push(res);
    return writesThen([{ content: 'lamp ' }], 'hung')(res, asked);
  });
  const before = llm.asked.length;
  const answers = ENDS.map(async ({ end, ...expected }) => {
    const agent = await testAgent(app, FLOW);
    const [one, other] = [await agent.open(), await agent.open()];
    const said = [agent.say(one, 'Tell me a story'), agent.say(other, 'Tell me a story', STREAM)];
    return { agent, end, said, ...expected };
  });
  const asking = await Promise.all(answers);
  await expect.poll(() => begun.filter(({ headersSent }) => headersSent)).toHaveLength(6);
  // It takes 5 s; without an end it would take the time that a turn may have.
  const closed = begun.map((answer) => once(answer, 'close', { signal: AbortSignal.timeout(30_000) }));
  await Promise.all(asking.map(({ agent, end }) => end(agent)));
  await Promise.all(closed);
  for (const { said, status, error } of asking) {
    const [whole, streamed] = await Promise.all(said);
    expect([whole?.status, whole?.json.error]).toEqual([status, error]);
    expect(streamed?.text).toContain(`event: error\ndata: ${JSON.stringify({ error })}`);
  }
  expect(llm.asked).toHaveLength(before + 6);
});

const inRoom = async (agent: TestAgent) => {
  const { uuid, label } = (await agent.rest('POST', 'rooms/', { is_bot_use: true })).json;
  const write = (body: string) => agent.rest('POST', 'messages/', { body, room: { uuid } });
  const waiting = () =>
    app.services.models.messages.countDocuments({ room: uuid, answer_due: { $exists: true } });
  const said = async () =>
    (await agent.rest('GET', `rooms/${label}/`)).json.messages.map(({ body }: { body: string }) => body);
  return { write, waiting, said };
};

it.each(ENDS.slice(1))('what waits in a room gets no answer when $what', async ({ end }) => {
  const agent = await testAgent(app, FLOW);
  const { write, waiting, said } = await inRoom(agent);
  const answer = saysLater('Once upon a time');
  llm.behave(answer.behaviour);
  const before = llm.asked.length;
  const first = write('Tell me a story');
  await expect.poll(() => llm.asked.length).toBe(before + 1);
  const others = [write('And?'), write('And?')];
  await expect.poll(waiting).toBe(3);
  await sleep(300);
  await end(agent);
  answer.say();
  expect((await first).json.support_answer).toBe('Once upon a time');
  for (const { status, json } of await Promise.all(others)) {
    expect([status, json.support_answer]).toEqual([201, undefined]);
  }
  await expect.poll(waiting).toBe(0);
  expect(llm.asked).toHaveLength(before + 1);
  expect(await said()).toEqual(['Hello', 'Tell me a story', 'And?', 'And?', 'Once upon a time']);
});

it('an answer that is being made in a room is given up, and not tried again', async () => {
  const begun: ServerResponse[] = [];
  llm.behave((res, asked) => {
    begun.push(res);
    return writesThen([{ content: 'lamp ' }], 'hung')(res, asked);
  });
  const before = llm.asked.length;
  const answers = ENDS.slice(1).map(async ({ end }) => {
    const agent = await testAgent(app, FLOW);
    const room = await inRoom(agent);
    return { agent, end, room, written: room.write('Tell me a story') };
  });
  const asking = await Promise.all(answers);
  await expect.poll(() => begun.filter(({ headersSent }) => headersSent)).toHaveLength(2);
  await Promise.all(asking.map(({ agent, end }) => end(agent)));
  for (const { room, written } of asking) {
    expect((await written).json).not.toHaveProperty('support_answer');
    await expect.poll(room.waiting).toBe(0);
    expect(await room.said()).toEqual(['Hello', 'Tell me a story']);
  }
  expect(llm.asked).toHaveLength(before + 2);
});

it('a test turn is given up when the credential ends that began it, and when its workflow is deleted', async () => {
  const begun: ServerResponse[] = [];
  llm.behave((res, asked) => {
    begun.push(res);
    return writesThen([{ content: 'lamp ' }], 'hung')(res, asked);
  });
  const before = llm.asked.length;
  const ends = [
    { status: 401, end: (agent: TestAgent, program: string) => agent.rest('DELETE', `tokens/${program}/`) },
    { status: 404, end: remove },
  ];
  const tests = ends.map(async ({ end, status }) => {
    const agent = await testAgent(app, FLOW);
    const program = (await agent.rest('POST', 'tokens/', { name: 'Tests', scopes: ['workflows:write'] }))
      .json;
    const { state } = (await agent.rest('POST', `workflows/${agent.uuid}/test/`)).json;
    const said = app.request('POST', `/api/v1/workflows/${agent.uuid}/test/`, {
      token: program.token,
      body: { state, message: 'Tell me a story' },
    });
    return { end: () => end(agent, program.uuid), said, status };
  });
  const asking = await Promise.all(tests);
  await expect.poll(() => begun.filter(({ headersSent }) => headersSent)).toHaveLength(2);
  await Promise.all(asking.map(({ end }) => end()));
  for (const { said, status } of asking) expect((await said).status).toBe(status);
  expect(llm.asked).toHaveLength(before + 2);
});
