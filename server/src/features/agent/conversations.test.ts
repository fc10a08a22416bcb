import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';

const app = testApp();
let agent: TestAgent;

const nodes = [
  { id: 's', type: 'start', greeting: 'Hello {{customer.name}}', next: 'm' },
  { id: 'm', type: 'message', text: 'We are open.', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'e' },
  { id: 'e', type: 'end', text: 'Bye {{name}}' },
];

beforeAll(async () => {
  agent = await testAgent(app, nodes);
});

const START = '/api/v1/public/conversations/start';

describe('POST /api/v1/public/conversations/start', () => {
  it('answers exactly as the specification says', async () => {
    const started = await agent.start({ metadata: { 'customer.name': 'Ada', $plan: 'pro' } });
    expect(started.status).toBe(200);
    expect(started.json).toEqual({
      conversationId: expect.stringMatching(/^conv_[A-Za-z0-9]{24}$/),
      message: 'Hello Ada\n\nWe are open.\n\nYour name?',
      workflowName: 'Orders',
    });
  });

  it.each([[undefined], [{}], [{ metadata: {} }]])('takes %j', async (body) => {
    expect((await agent.start(body)).status).toBe(200);
  });

  it.each<[what: string, body: unknown, error: RegExp]>([
    ['metadata that is text', { metadata: 'x' }, /metadata must be an object of strings/],
    ['metadata that is a list', { metadata: [] }, /metadata must be an object of strings/],
    ['metadata that is null', { metadata: null }, /metadata must be an object of strings/],
    ['a value that is no string', { metadata: { a: 5 } }, /metadata "a": Not a valid string/],
    ['a value that is an object', { metadata: { a: {} } }, /metadata "a": Not a valid string/],
    ['a key too long', { metadata: { [`${'k'.repeat(41)}`]: 'x' } }, /longer than 40/],
    ['a value too long', { metadata: { a: 'x'.repeat(501) } }, /no more than 500/],
    ['a NUL', { metadata: { a: 'x\0' } }, /Null characters/],
    [
      'too many keys',
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`k${i}`, 'x'])) },
      /at most 50 keys/,
    ],
    ['a body that is a list', [], /must be a JSON object/],
    ['broken JSON', '{"metadata":', /JSON parse error/],
  ])('refuses %s', async (_, body, error) => {
    const answer = await agent.start(body);
    expect(answer.json).toEqual({ error: expect.stringMatching(error) });
    expect(answer.status).toBe(400);
  });

  it('counts the limits of metadata in code points, and takes what is just within', async () => {
    const metadata = Object.fromEntries(
      Array.from({ length: 50 }, (_, i) => [`${i}`.padEnd(40, '.$'), '😀'.repeat(500)]),
    );
    expect((await agent.start({ metadata })).status).toBe(200);
  });

  it.each([
    [{}, 'Missing API key. Include X-API-Key header.'],
    [{ 'X-API-Key': 'pk_live_wrong' }, 'Invalid API key. Include a valid X-API-Key header.'],
    [{ 'X-API-Key': `pk_live_${'a'.repeat(32)}` }, 'Invalid API key. Include a valid X-API-Key header.'],
  ])('401 with %j', async (headers, error) => {
    for (const body of [{}, '{broken']) {
      const answer = await app.request('POST', START, { headers, body });
      expect(answer).toMatchObject({ status: 401, json: { error } });
    }
  });

  it('404 for a workflow that is not published, 401 for one that was deleted', async () => {
    const other = await testAgent(app, nodes);
    const conversation = await other.open();
    await other.rest('PATCH', `workflows/${other.uuid}/`, { is_published: false });
    const error = 'Workflow not found or not published.';
    expect(await other.start()).toMatchObject({ status: 404, json: { error } });
    expect(await other.say(conversation, 'Ada')).toMatchObject({ status: 404, json: { error } });
    await other.rest('DELETE', `workflows/${other.uuid}/`);
    expect((await other.start()).status).toBe(401);
  });

  it('500 for a workflow without a Start node', async () => {
    const other = await testAgent(app, [nodes[1] as object]);
    expect(await other.start()).toMatchObject({
      status: 500,
      json: { error: 'Workflow does not have a Start node configured.' },
    });
  });

  it('the old key is dead when the new one is given', async () => {
    const other = await testAgent(app, nodes);
    const { json } = await other.rest('POST', `workflows/${other.uuid}/rotate-key/`);
    expect((await other.start()).status).toBe(401);
    expect((await other.start(undefined, { 'X-API-Key': json.public_key })).status).toBe(200);
  });

  it('answers every other fault in the same shape', async () => {
    const wrong = (method: string, path: string, more = {}) =>
      app.request(method, `/api/v1/public${path}`, { headers: { 'X-API-Key': agent.key }, ...more });
    expect(await wrong('PUT', '/conversations/start')).toMatchObject({
      status: 405,
      json: { error: 'Method "PUT" not allowed.' },
    });
    expect(await wrong('GET', '/nothing')).toMatchObject({ status: 404, json: { error: 'Not found.' } });
    const text = { headers: { 'X-API-Key': agent.key, 'Content-Type': 'text/plain' }, body: 'hi' };
    expect(await wrong('POST', '/conversations/start', text)).toMatchObject({
      status: 415,
      json: { error: expect.any(String) },
    });
    expect(
      await wrong('POST', '/conversations/start', { body: { metadata: { a: 'x'.repeat(300_000) } } }),
    ).toMatchObject({ status: 413, json: { error: expect.any(String) } });
  });
});

describe('a conversation', () => {
  it('goes on message by message to its end', async () => {
    const id = await agent.open({ 'customer.name': 'Ada' });
    const answer = await agent.say(id, 'Grace');
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      messages: [{ message: 'Bye Grace', sentAt: expect.stringMatching(/\+00:00$/) }],
      status: 'ended',
    });
    expect(await agent.say(id, 'Hello?')).toMatchObject({
      status: 409,
      json: { error: 'Conversation has ended.' },
    });
    const { json } = await agent.get(id);
    expect(json).toMatchObject({ conversationId: id, workflowName: 'Orders', status: 'ended' });
    expect(json.messages.map(({ message, sender }: any) => [sender, message])).toEqual([
      ['bot', 'Hello Ada'],
      ['bot', 'We are open.'],
      ['bot', 'Your name?'],
      ['visitor', 'Grace'],
      ['bot', 'Bye Grace'],
    ]);
  });

  it.each([
    [undefined, /message: This field is required/],
    ['', /message: This field may not be blank/],
    [5, /message: Not a valid string/],
    ['x'.repeat(10_001), /no more than 10000/],
  ])('refuses the message %j', async (message, error) => {
    const id = await agent.open();
    const answer = await agent.say(id, message as string);
    expect(answer).toMatchObject({ status: 400, json: { error: expect.stringMatching(error) } });
  });

  it('is a 404 for an unknown id and for the key of another workflow', async () => {
    const id = await agent.open();
    const other = await testAgent(app, nodes);
    for (const answer of [
      await other.get(id),
      await other.say(id, 'Hi'),
      await agent.get(`conv_${'a'.repeat(24)}`),
      await agent.get('nothing'),
    ]) {
      expect(answer).toMatchObject({ status: 404, json: { error: 'Conversation not found.' } });
    }
  });

  it('keeps the version of the workflow that it began with', async () => {
    const other = await testAgent(app, nodes);
    const old = await other.open();
    await other.rest('PATCH', `workflows/${other.uuid}/`, {
      nodes: [{ id: 's', type: 'start', greeting: 'New' }],
    });
    expect((await other.start()).json.message).toBe('New');
    expect(await other.talk(old, 'Ada')).toEqual([['Bye Ada'], 'ended']);
  });

  it('is a room whose messages and events the main API shows', async () => {
    const id = await agent.open();
    await agent.say(id, 'Grace');
    const label = `agent_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
    const room = (await agent.rest('GET', `rooms/${label}/`)).json;
    expect(room).toMatchObject({ label, is_bot_use: true });
    expect(room).not.toHaveProperty('bot');
    // Whoever has the id speaks as the visitor: who may read the room does not.
    for (const path of ['rooms/', `rooms/${label}/`, 'messages/', 'conversations/', 'deliveries/']) {
      const { status, text } = await agent.rest('GET', path);
      expect([path, status, text.includes(id)]).toEqual([path, 200, false]);
    }
    expect(
      room.messages.map(({ body, is_bot, is_support_sender }: any) => [body, is_bot, is_support_sender]),
    ).toEqual([
      ['Hello ', true, true],
      ['We are open.', true, true],
      ['Your name?', true, true],
      ['Grace', false, false],
      ['Bye Grace', true, true],
    ]);
    const listed = (await agent.rest('GET', `messages/?room=${room.uuid}`)).json;
    expect(listed).toHaveLength(5);
    const asked = listed.find(({ body }: any) => body === 'Grace');
    const single = (await agent.rest('GET', `messages/${asked.uuid}/`)).json;
    expect(single.support_answer).toBe('Bye Grace');
  });

  it('answers two messages at once one after the other', async () => {
    const other = await testAgent(app, [
      { id: 's', type: 'start', next: 'a' },
      { id: 'a', type: 'question', text: 'One?', save_as: 'one', next: 'b' },
      { id: 'b', type: 'question', text: 'Two? {{one}}', save_as: 'two', next: 'e' },
      { id: 'e', type: 'end', text: '{{one}} {{two}}' },
    ]);
    for (let round = 0; round < 10; round++) {
      const id = await other.open();
      const answers = await Promise.all([other.say(id, 'x'), other.say(id, 'y'), other.say(id, 'z')]);
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
      const said = answers.flatMap(({ json }) => json.messages ?? []).map(({ message }: any) => message);
      const [one, two] = (await other.get(id)).json.messages
        .filter(({ sender }: any) => sender === 'visitor')
        .map(({ message }: any) => message);
      expect(said.sort()).toEqual([`Two? ${one}`, `${one} ${two}`].sort());
    }
  });
});
