import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';
import { roomLabelOf } from './conversations.service.ts';

const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: '1000',
  RATE_LIMIT_SIGN_IN: '1000',
  RATE_LIMIT_UNKNOWN: '5',
  RATE_LIMIT_AGENT_START: '8',
  RATE_LIMIT_AGENT_START_IP: '4',
  RATE_LIMIT_AGENT_START_DAY: '10',
  RATE_LIMIT_AGENT_CONVERSATION: '4',
  RATE_LIMIT_AGENT_IP: '12',
  RATE_LIMIT_AGENT_KEY: '20',
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});

const nodes = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
  { id: 'q', type: 'question', text: 'And?', save_as: 'last', next: 'q' },
];

/** Each test comes from addresses of its own. */
let last = 0;
const address = () => ({ 'x-forwarded-for': `192.0.2.${++last}` });

const LIMITED = {
  status: 429,
  json: { error: expect.stringMatching(/^Request was throttled\. Expected available in \d+ seconds\.$/) },
  headers: expect.objectContaining({
    'retry-after': expect.stringMatching(/^\d+$/),
    'ratelimit-policy': expect.any(String),
  }),
};

const get = (agent: TestAgent, id: string, headers: Record<string, string>) =>
  app.request('GET', `/api/v1/public/conversations/${id}`, {
    headers: { 'X-API-Key': agent.key, ...headers },
  });

describe('the agent API', () => {
  it('limits messages per minute in one conversation, streamed or not, from wherever they come', async () => {
    const agent = await testAgent(app, nodes);
    const id = (await agent.start({}, address())).json.conversationId;
    const say = (more = {}) => agent.say(id, 'Hi', { ...address(), ...more });
    const stream = { Accept: 'text/event-stream' };
    expect((await say()).headers.ratelimit).toMatch(/"agent-conversation";r=3;t=\d+/);
    const answers = await Promise.all([say(stream), say(), say(stream), say(), say(stream)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    expect(await say()).toMatchObject(LIMITED);
    expect(await say(stream)).toMatchObject(LIMITED);
    // Joining a stream that runs is a request, too.
    const event = '0198c1d2-7a54-4b3e-9c1f-2f6f0a9d4e11.0.0';
    expect(await say({ ...stream, 'Last-Event-ID': event })).toMatchObject(LIMITED);
    const other = (await agent.start({}, address())).json.conversationId;
    expect((await agent.say(other, 'Hi', address())).status).toBe(200);
  });

  it('limits requests of an address, whatever they ask and whether the key is good or not', async () => {
    const agent = await testAgent(app, nodes);
    const from = address();
    const id = (await agent.start({}, from)).json.conversationId;
    const statuses = [];
    for (let n = 0; n < 5; n++) statuses.push((await get(agent, id, from)).status);
    for (let n = 0; n < 6; n++) {
      const headers = { 'X-API-Key': `pk_live_${String(n).repeat(32)}`, ...from };
      statuses.push((await app.request('POST', '/api/v1/public/conversations/start', { headers })).status);
    }
    expect(statuses).toEqual([...Array(5).fill(200), ...Array(6).fill(401)]);
    expect(await get(agent, id, from)).toMatchObject(LIMITED);
    expect(await agent.start({}, from)).toMatchObject(LIMITED);
    expect((await get(agent, id, address())).status).toBe(200);
  });

  it('limits requests with one key, from wherever they come', async () => {
    const agent = await testAgent(app, nodes);
    const id = (await agent.start({}, address())).json.conversationId;
    const answers = await Promise.all(Array.from({ length: 30 }, () => get(agent, id, address())));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
    expect(await agent.say(id, 'Hi', address())).toMatchObject(LIMITED);
  });

  it('gives an address a share of the conversations that are started with one key', async () => {
    const agent = await testAgent(app, nodes);
    const starts = async (from: Record<string, string>, count: number) => {
      const statuses = [];
      for (let n = 0; n < count; n++) statuses.push((await agent.start({}, from)).status);
      return statuses;
    };
    expect(await starts(address(), 8)).toEqual([200, 200, 200, 200, 429, 429, 429, 429]);
    // What was refused there is left to others; of IPv6 a network is an address.
    const within = (host: number) => ({ 'x-forwarded-for': `2001:db8:1:1::${host}` });
    expect([await starts(within(1), 3), await starts(within(2), 2)]).toEqual([
      [200, 200, 200],
      [200, 429],
    ]);
    const last = await agent.start({}, address());
    expect(last).toMatchObject(LIMITED);
    expect(last.headers.ratelimit).toMatch(/"agent-start";r=0;t=\d+$/);
  });

  it('has an address start a number of conversations in a day, of which those that are refused are none', async () => {
    const agent = await testAgent(app, nodes);
    const from = address();
    // What the address has started before.
    const earlier = app.services.rateLimits.of('agent-start-day');
    for (let n = 0; n < 8; n++) await earlier?.take(from['x-forwarded-for']);
    expect((await agent.start({ metadata: 'none' }, from)).status).toBe(400);
    expect([(await agent.start({}, from)).status, (await agent.start({}, from)).status]).toEqual([200, 200]);
    const refused = await agent.start({}, from);
    expect(refused).toMatchObject(LIMITED);
    expect(refused.headers['ratelimit-policy']).toMatch(/"agent-start-day";q=10;w=86400$/);
    expect((await agent.start({}, address())).status).toBe(200);
  });

  it('takes nothing of what a key may start for an address whose day is used up', async () => {
    const agent = await testAgent(app, nodes);
    const earlier = app.services.rateLimits.of('agent-start-day');
    for (const from of [address(), address()]) {
      for (let n = 0; n < 10; n++) await earlier?.take(from['x-forwarded-for']);
      for (let n = 0; n < 4; n++) expect(await agent.start({}, from)).toMatchObject(LIMITED);
    }
    const other = await agent.start({}, address());
    expect([other.status, other.headers.ratelimit]).toEqual([
      200,
      expect.stringMatching(/"agent-start";r=7;t=\d+$/),
    ]);
  });

  it('takes nothing of the day of an address for a start that the key had no room for', async () => {
    const agent = await testAgent(app, nodes);
    for (const from of [address(), address()]) {
      for (let n = 0; n < 4; n++) expect((await agent.start({}, from)).status).toBe(200);
    }
    const from = address();
    for (let n = 0; n < 3; n++) expect(await agent.start({}, from)).toMatchObject(LIMITED);
    const day = await app.services.rateLimits.of('agent-start-day')?.take(from['x-forwarded-for']);
    expect(day?.remaining).toBe(9);
  });

  it('takes nothing of a key for what an address or a conversation has used up', async () => {
    const agent = await testAgent(app, nodes);
    const from = address();
    const ids = [];
    for (let n = 0; n < 4; n++) ids.push((await agent.start({}, from)).json.conversationId);
    for (let n = 0; n < 6; n++) expect(await agent.start({}, from)).toMatchObject(LIMITED);
    for (let n = 0; n < 4; n++) expect((await agent.say(ids[0], 'Hi', address())).status).toBe(200);
    for (let n = 0; n < 6; n++) expect(await agent.say(ids[0], 'Hi', address())).toMatchObject(LIMITED);
    // 4 starts, 4 messages and this.
    expect((await get(agent, ids[1], address())).headers.ratelimit).toMatch(/"agent-key";r=11;/);
  });

  it('takes nothing of a key for conversations that there are not', async () => {
    const agent = await testAgent(app, nodes);
    const id = (await agent.start({}, address())).json.conversationId;
    const unknown = [`conv_${'x'.repeat(24)}`, 'conv_x'];
    for (let n = 0; n < 3; n++) {
      const from = address();
      const ask = (m: number) => {
        const of = unknown[m % 2] ?? '';
        return m % 3 === 2 ? agent.say(of, 'Hi', from) : get(agent, of, from);
      };
      const statuses = [];
      for (let m = 0; m < 9; m++) statuses.push((await ask(m)).status);
      expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429, 429]);
      // Those that there are it is answered all the same.
      expect((await get(agent, id, from)).status).toBe(200);
    }
    expect((await get(agent, id, address())).headers.ratelimit).toMatch(/"agent-key";r=15;/);
  });
});

it('a conversation is shown as far as 2 MiB of its latest messages go', async () => {
  const agent = await testAgent(app, nodes);
  const { conversationId } = (await agent.start({}, address())).json;
  const { messages, rooms } = app.services.models;
  const room = await rooms.findOne({ label: roomLabelOf(conversationId) }).lean();
  const [first] = await messages.find({ room: room?._id ?? '' }).lean();
  await messages.collection.insertMany(
    Array.from({ length: 100 }, (_, n) => ({
      ...first,
      _id: randomUUID() as never,
      body: `${n} ${'🦉'.repeat(9_900)}`,
      sent_at: new Date(Date.now() + n),
    })),
  );
  const answer = await get(agent, conversationId, address());
  expect(Buffer.byteLength(answer.text)).toBeLessThan(2_200_000);
  const shown = answer.json.messages.map(({ message }: any) => message.split(' ', 1)[0]);
  expect(shown).toEqual(Array.from({ length: 52 }, (_, n) => String(n + 48)));
});

describe('a turn', () => {
  it('says a limited number of bytes, and goes on with the next message', async () => {
    const long = '{{owls}}'.repeat(18);
    const agent = await testAgent(app, [
      { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
      { id: 'q', type: 'question', text: 'And?', next: 'm0' },
      ...Array.from({ length: 30 }, (_, n) => ({
        id: `m${n}`,
        type: 'message',
        text: `${n} ${long}`,
        next: n === 29 ? 'q' : `m${n + 1}`,
      })),
    ]);
    const metadata = { owls: '🦉'.repeat(500) };
    const id = (await agent.start({ metadata }, address())).json.conversationId;
    const answer = await agent.say(id, 'Hi', address());
    expect(answer.status).toBe(200);
    expect(answer.json.status).toBe('active');
    expect(Buffer.byteLength(answer.text)).toBeLessThan(300_000);
    expect(answer.json.messages.length).toBeGreaterThan(5);
    expect((await agent.say(id, 'Go on', address())).json.messages[0].message).toMatch(/^7 🦉/);
  });
});
