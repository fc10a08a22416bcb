import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { says, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';
import { events } from '../../../test/event-stream.ts';

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

/** Whoever comes back with the id of the last event that it has. */

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
