import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { hangs, says, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';
import { events } from '../../../test/event-stream.ts';
import { readEventId, TurnStream } from './turn-stream.ts';

const llm = await startLlmServer();
const app = testApp({ LLM_URL: llm.url, LLM_MODEL: 'small' });
afterAll(() => llm.close());

let agent: TestAgent;
beforeAll(async () => {
  agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
    { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'm' },
    { id: 'm', type: 'message', text: 'Welcome, {{name}}.', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
});

const SSE = { Accept: 'text/event-stream' };

describe('after an error', () => {
  const gone = () => Object.assign(new Error('connection 7 closed'), { name: 'MongoNetworkError' });
  /** The write of a turn fails, once; `isStored`: only its reply was lost. */
  const loseTurn = (isStored: boolean) => {
    const { rooms } = app.services.models;
    const write = rooms.findOneAndUpdate.bind(rooms) as (...given: unknown[]) => any;
    const spy = vi.spyOn(rooms, 'findOneAndUpdate').mockImplementation(((...given: any[]) => {
      if (given[0]?.['bot.turns'] === undefined) return write(...given);
      spy.mockRestore();
      const lean = async () => {
        if (isStored) await write(...given).lean();
        throw gone();
      };
      return { lean };
    }) as never);
  };

  it.each([
    ['the answer was stored', true, {}],
    ['nothing was stored', false, {}],
    ['the answer was stored, with an Idempotency-Key', true, { 'Idempotency-Key': randomUUID() }],
  ])('the same request behind its id is told the answer where %s', async (_, isStored, key) => {
    const id = await agent.open();
    await agent.say(id, 'Ada');
    llm.behave(says('Once.'), says('Twice.'));
    loseTurn(isStored);
    const broken = events((await agent.say(id, 'Do you?', { ...SSE, ...key })).text);
    expect(broken.map(([event, data]) => [event, data])).toEqual([
      ['delta', { text: 'Once.' }],
      ['error', { error: 'The database is not reachable. Try again.' }],
    ]);
    const last = broken.at(-1)?.[2] ?? '';
    const resumed = await agent.say(id, 'Do you?', { ...SSE, ...key, 'Last-Event-ID': last });
    const told = events(resumed.text);
    expect(told.map(([event, data]) => [event, data.text ?? data.message ?? data.status])).toEqual([
      // Behind what the first try showed.
      ...(isStored ? [] : [['delta', '\n\nTwice.']]),
      ['message', isStored ? 'Once.' : 'Twice.'],
      ['done', 'active'],
    ]);
    const { messages } = (await agent.get(id)).json;
    expect(messages.filter(({ message }: any) => message === 'Do you?')).toHaveLength(1);
  });

  it('before any other event there is an id to come back with, too', async () => {
    const id = await agent.open();
    loseTurn(true);
    const [failed, ...more] = events((await agent.say(id, 'Ada', SSE)).text);
    expect([failed?.[0], more]).toEqual(['error', []]);
    const resumed = await agent.say(id, 'Ada', { ...SSE, 'Last-Event-ID': failed?.[2] ?? '' });
    expect(events(resumed.text).map(([event, data]) => [event, data.message ?? data.status])).toEqual([
      ['message', 'Welcome, Ada.'],
      ['done', 'active'],
    ]);
  });

  it.each(['1.0', '0.7', 'done'])(
    'before any other event it names the place where its caller is: %s',
    (place) => {
      const turn = randomUUID();
      const said = { conversation: 'conv_a', text: 'Hello' };
      const stream = new TurnStream(turn, said, readEventId(`${turn}.${place}`, said)?.after);
      stream.fail(gone());
      const told = events(stream.text);
      expect(told.map(([event, , id]) => [event, id])).toEqual([
        ['error', expect.stringMatching(new RegExp(`^${turn}-[\\da-f]{16}\\.${place}$`))],
      ]);
      expect(readEventId(told[0]?.[2] ?? '', said)).toEqual(readEventId(`${turn}.${place}`, said));
    },
  );
});

it('says that the server stops', async () => {
  const id = await agent.open();
  await agent.say(id, 'Ada');
  llm.behave(hangs);
  const asked = llm.asked.length;
  const stream = agent.say(id, 'Do you?', SSE);
  await expect.poll(() => llm.asked.length).toBe(asked + 1);
  await app.services.stop();
  const told = events((await stream).text).map(([event, data]) => [event, data]);
  expect(told).toEqual([['error', { error: 'The server is stopping. Try again.' }]]);
});
