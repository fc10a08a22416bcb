import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { cuts, hangs, refuses, says, saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';
import { events } from '../../../test/event-stream.ts';
import { roomLabelOf } from './conversations.service.ts';

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_MODEL: 'small', LLM_TIMEOUT: '2s' });
afterAll(() => llm.close());

let agent: TestAgent;
beforeAll(async () => {
  agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
    { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'm' },
    { id: 'm', type: 'message', text: 'Welcome, {{name}}.', next: 'l' },
    { id: 'l', type: 'llm', on_error: 'h' },
    { id: 'h', type: 'handoff', text: 'A colleague comes.' },
  ]);
});

const SSE = { Accept: 'text/event-stream' };

it('streams a turn as it is made', async () => {
  const id = await agent.open();
  const first = await agent.say(id, 'Ada', SSE);
  expect(first.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(events(first.text).map(([event, data]) => [event, data])).toEqual([
    ['message', { message: 'Welcome, Ada.', sentAt: expect.stringMatching(/\+00:00$/) }],
    ['done', { status: 'active' }],
  ]);
  llm.behave(says('We do deliver.'));
  const second = events((await agent.say(id, 'Do you deliver?', SSE)).text);
  expect(second.map(([event, data]) => [event, data.text ?? data.message ?? data.status])).toEqual([
    ['delta', 'We '],
    ['delta', 'do '],
    ['delta', 'deliver.'],
    ['message', 'We do deliver.'],
    ['done', 'active'],
  ]);
  expect(new Set(second.map(([, , eventId]) => eventId)).size).toBe(5);
  expect((await agent.get(id)).json.messages.at(-1).message).toBe('We do deliver.');
});

it('tells an ended conversation and wrong input by their status', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  expect((await agent.say(id, '', SSE)).status).toBe(400);
  expect((await agent.say(`conv_${'a'.repeat(24)}`, 'Hi', SSE)).status).toBe(404);
  const ending = await testAgent(app, [
    { id: 's', type: 'start', next: 'q' },
    { id: 'q', type: 'question', text: '?' },
  ]);
  const other = await ending.open();
  expect(events((await ending.say(other, 'x', SSE)).text)).toEqual([
    ['done', { status: 'ended' }, expect.any(String)],
  ]);
  expect(await ending.say(other, 'x', SSE)).toMatchObject({
    status: 409,
    json: { error: 'Conversation has ended.' },
  });
});

it.each([
  ['a failure', refuses(500)],
  ['a hang', hangs],
])('streams what follows %s of the language model', async (_, behaviour) => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  llm.behave(behaviour);
  const told = events((await agent.say(id, 'Do you?', SSE)).text);
  expect(told.map(([event, data]) => [event, data.message ?? data.status])).toEqual([
    ['message', 'A colleague comes.'],
    ['done', 'handoff'],
  ]);
});

describe('tells what is in the conversation, and nothing else', () => {
  /** Each event as one text. */
  const told = (text: string): string[] =>
    events(text).map(([event, data]) => `${event} ${data.text ?? data.message ?? data.status}`);
  const stored = async (of: TestAgent, id: string): Promise<string[]> =>
    (await of.get(id)).json.messages.map(({ sender, message }: any) => `${sender} ${message}`);

  it('when a member takes over while the model answers', async () => {
    const id = await agent.open();
    await agent.say(id, 'Ada');
    const { behaviour, say } = saysLater('Too late.');
    const asked = llm.asked.length;
    llm.behave(behaviour);
    const stream = agent.say(id, 'Do you?', SSE);
    await expect.poll(() => llm.asked.length).toBe(asked + 1);
    const room = (await agent.rest('GET', `rooms/${roomLabelOf(id)}/`)).json;
    const person = { body: 'I do.', is_support_sender: true, room: { uuid: room.uuid } };
    expect((await agent.rest('POST', 'messages/', person)).status).toBe(201);
    say();
    expect(told((await stream).text)).toEqual(['delta Too ', 'delta late.', 'done handoff']);
    expect((await stored(agent, id)).filter((line) => line.startsWith('bot'))).toEqual([
      'bot Hello',
      'bot Your name?',
      'bot Welcome, Ada.',
    ]);
  });

  it('when another process came between, and the message was answered once more', async () => {
    const id = await agent.open();
    await agent.say(id, 'Ada');
    const { behaviour, say } = saysLater('First answer.');
    const asked = llm.asked.length;
    llm.behave(behaviour, says('Second answer.'));
    const stream = agent.say(id, 'Do you?', SSE);
    await expect.poll(() => llm.asked.length).toBe(asked + 1);
    await app.services.models.rooms.updateOne({ label: roomLabelOf(id) }, {
      $inc: { 'bot.turns': 1 },
    } as never);
    say();
    const { text } = await stream;
    expect(told(text)).toEqual([
      'delta First ',
      'delta answer.',
      'delta \n\nSecond ',
      'delta answer.',
      'message Second answer.',
      'done active',
    ]);
    expect((await stored(agent, id)).at(-1)).toBe('bot Second answer.');
    // Whoever has seen the deltas of the first only is told the second, and whoever has been told that the end.
    const ids = events(text).map(([, , eventId]) => eventId);
    const resume = async (last = '') =>
      told((await agent.say(id, 'Do you?', { ...SSE, 'Last-Event-ID': last })).text);
    expect(await resume(ids[1])).toEqual(['message Second answer.', 'done active']);
    expect(await resume(ids[4])).toEqual(['done active']);
  });

  it('text by text, where one of them broke off', async () => {
    const other = await testAgent(app, [
      { id: 's', type: 'start', greeting: 'Hello', next: 'f' },
      { id: 'f', type: 'faq', entries: [{ questions: ['owls'], answer: 'Owls.' }], on_miss: 'm' },
      { id: 'm', type: 'message', text: 'One moment.', next: 'l' },
      { id: 'l', type: 'llm', on_error: 'k' },
      { id: 'k', type: 'llm' },
    ]);
    const id = await other.open();
    llm.behave(cuts, says('A colleague knows.'));
    expect(told((await other.say(id, 'Do you deliver?', SSE)).text)).toEqual([
      'delta One moment.',
      'delta \n\nThe answer is',
      'delta \n\nA ',
      'delta colleague ',
      'delta knows.',
      'message One moment.',
      'message A colleague knows.',
      'done active',
    ]);
  });
});
