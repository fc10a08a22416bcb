import { randomUUID } from 'node:crypto';
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

/** An Idempotency-Key that nobody guesses. */
const COUNT = '1c5f3f0e-6f0b-4b5e-8a55-0d0f5c1b7e21';

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

it('resumes after any event, without taking the message twice', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  llm.behave(says('We do deliver.'));
  const whole = events((await agent.say(id, 'Do you?', SSE)).text);
  for (const [index, [, , last]] of whole.entries()) {
    const again = events((await agent.say(id, 'Do you?', { ...SSE, 'Last-Event-ID': last })).text);
    // A message that had come in part comes whole.
    expect(again.map(([event]) => event)).toEqual(
      index < 3 ? ['message', 'done'] : index === 3 ? ['done'] : [],
    );
    for (const event of again) expect(whole).toContainEqual(event);
  }
  expect((await agent.get(id)).json.messages).toHaveLength(6);
});

describe('takes a message for what it is, whatever id its client has kept', () => {
  const answers = (text: string) => events(text).map(([event, data]) => [event, data.message ?? data.status]);

  it('behind a stream that was read, in part or to its end', async () => {
    const id = await agent.open();
    await agent.say(id, 'Ada');
    llm.behave(says('One.'));
    const first = events((await agent.say(id, 'Count', SSE)).text);
    for (const [, , last] of first) {
      llm.behave(says('Two.'));
      const { text } = await agent.say(id, `And behind ${last}?`, { ...SSE, 'Last-Event-ID': last });
      expect(answers(text).slice(-2)).toEqual([
        ['message', 'Two.'],
        ['done', 'active'],
      ]);
      expect((await agent.get(id)).json.messages.at(-2).message).toBe(`And behind ${last}?`);
    }
  });

  it('while the other one is still answered', async () => {
    const id = await agent.open();
    await agent.say(id, 'Ada');
    llm.behave(says('one two three four', { between: 100 }), says('Seven.'));
    const turn = randomUUID();
    const running = agent.say(id, 'Count', { ...SSE, 'Last-Event-ID': `${turn}.0.0` });
    await new Promise((resolve) => setTimeout(resolve, 150));
    const ofOther = `${turn}-${'0'.repeat(16)}.0.4`;
    const other = await agent.say(id, 'And seven?', { ...SSE, 'Last-Event-ID': ofOther });
    expect(answers((await running).text)).toContainEqual(['message', 'one two three four']);
    expect(answers(other.text)).toContainEqual(['message', 'Seven.']);
    const { messages } = (await agent.get(id)).json;
    expect(messages.map(({ message }: any) => message).slice(-4)).toEqual([
      'Count',
      'one two three four',
      'And seven?',
      'Seven.',
    ]);
  });

  it('in another conversation', async () => {
    const [one, two] = [await agent.open(), await agent.open()];
    const [, , last = ''] = events((await agent.say(one, 'Ada', SSE)).text).at(-1) ?? [];
    const { text } = await agent.say(two, 'Ada', { ...SSE, 'Last-Event-ID': last });
    expect(answers(text)).toEqual([
      ['message', 'Welcome, Ada.'],
      ['done', 'active'],
    ]);
  });
});

it('goes on behind any event of a stream that was kept for an Idempotency-Key', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  llm.behave(says('We do deliver.'));
  const keyed = { ...SSE, 'Idempotency-Key': randomUUID() };
  const { text } = await agent.say(id, 'Do you?', keyed);
  const whole = events(text);
  expect(whole).toHaveLength(5);
  for (const [index, [, , last]] of whole.entries()) {
    const again = await agent.say(id, 'Do you?', { ...keyed, 'Last-Event-ID': last });
    expect(again.headers).toMatchObject({
      'idempotency-replayed': 'true',
      'content-type': 'text/event-stream; charset=utf-8',
    });
    expect(events(again.text)).toEqual(whole.slice(index + 1));
    expect(text.endsWith(again.text)).toBe(true);
  }
  const foreign = `${randomUUID()}.0.3`;
  const again = await agent.say(id, 'Do you?', { ...keyed, 'Last-Event-ID': foreign });
  expect(events(again.text)).toEqual(whole);
});

it('lets whoever lost a stream join it while it runs, and goes on without a reader', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  llm.behave(says('one two three four five six', { between: 100 }));
  const running = agent.say(id, 'Count', { ...SSE, 'Idempotency-Key': COUNT });
  // Its own ids are not known yet: a first look at the stream by the key's uuid would be a guess.
  const whole = events((await running).text);
  const replay = await agent.say(id, 'Count', { ...SSE, 'Idempotency-Key': COUNT });
  expect(replay.headers['idempotency-replayed']).toBe('true');
  expect(replay.headers['content-type']).toBe('text/event-stream; charset=utf-8');
  expect(events(replay.text)).toEqual(whole);

  llm.behave(says('one two three four five six', { between: 100 }));
  const turn = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4eff';
  const [first, joined] = await Promise.all([
    agent.say(id, 'Count', { ...SSE, 'Last-Event-ID': `${turn}.0.0` }),
    new Promise((resolve) => setTimeout(resolve, 250)).then(() =>
      agent.say(id, 'Count', { ...SSE, 'Last-Event-ID': `${turn}.0.4` }),
    ),
  ]);
  expect(events(first.text).filter(([event]) => event === 'message')).toHaveLength(1);
  expect(events(joined.text)).toEqual(events(first.text).slice(1));
  const { messages } = (await agent.get(id)).json;
  expect(messages.filter(({ message }: any) => message === 'Count')).toHaveLength(2);
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

it('takes no message of another account for its own, whatever Last-Event-ID names', async () => {
  const { token } = await app.account();
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
  const foreign = (
    await app.request('POST', '/api/v1/messages/', {
      token,
      body: { body: 'Mine', room: { uuid: room.uuid } },
    })
  ).json;
  const id = await agent.open();
  const answer = await agent.say(id, 'Ada', { ...SSE, 'Last-Event-ID': `${foreign.uuid}.0.0` });
  expect(events(answer.text).map(([event]) => event)).toEqual(['message', 'done']);
  llm.behave(says('Yes.'));
  expect(await agent.talk(id, 'Still there?')).toEqual([['Yes.'], 'active']);
});

it('lets nobody join a turn by the key of another workflow', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  const asked = llm.asked.length;
  llm.behave(says('one two three four five six', { between: 100 }));
  const turn = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4efe';
  const headers = { ...SSE, 'Last-Event-ID': `${turn}.0.0` };
  const first = agent.say(id, 'Count', headers);
  await expect.poll(() => llm.asked.length).toBe(asked + 1);
  const stranger = await testAgent(app, [{ id: 's', type: 'start' }]);
  const answer = await stranger.say(id, 'Count', headers);
  expect([answer.status, answer.json]).toEqual([404, { error: 'Conversation not found.' }]);
  expect(events((await first).text).at(-1)?.[0]).toBe('done');
});
