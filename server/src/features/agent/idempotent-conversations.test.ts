import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { type Answer, testApp } from '../../../test/app.ts';

const app = testApp();
let agent: TestAgent;

const nodes = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'm' },
  { id: 'm', type: 'message', text: 'We are open.', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'e' },
  { id: 'e', type: 'end', text: 'Bye {{name}}' },
];

beforeAll(async () => {
  agent = await testAgent(app, nodes);
});

describe('Idempotency-Key of a conversation', () => {
  it('replays a start and a message', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const first = await agent.start({ metadata: { a: 'b' } }, key);
    const again = await agent.start({ metadata: { a: 'b' } }, key);
    expect(again.json).toEqual(first.json);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.headers['parlor-client']).toBe(first.headers['parlor-client']);
    expect(await agent.start({ metadata: { a: 'c' } }, key)).toMatchObject({
      status: 422,
      json: { error: expect.any(String) },
    });

    const id = first.json.conversationId;
    const said = { 'Idempotency-Key': randomUUID() };
    const answer = await agent.say(id, 'Grace', said);
    expect((await agent.say(id, 'Grace', said)).json).toEqual(answer.json);
    expect((await agent.get(id)).json.messages).toHaveLength(5);
  });

  it.each([
    'start',
    '1',
    `${'a'.repeat(64)}`,
    // Versions 1 and 7 are made of the time, to a good part.
    '01990e1c-33f0-11f1-8de9-0242ac120002',
    '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
  ])('is refused as %s with the public key alone, since others may send the same', async (key) => {
    const sent = { 'Idempotency-Key': key };
    const refused = { status: 400, json: { error: expect.stringMatching(/UUID.+Parlor-Client/) } };
    expect(await agent.start({}, sent)).toMatchObject(refused);
    const started = await agent.start({});
    expect(await agent.say(started.json.conversationId, 'Grace', sent)).toMatchObject(refused);
    expect((await agent.get(started.json.conversationId)).json.messages).toHaveLength(3);
  });

  it('may be anything for whoever shows the secret of the conversation', async () => {
    const say = (started: Answer, client?: string) =>
      agent.say(started.json.conversationId, 'Grace', {
        'Idempotency-Key': 'say-1',
        'Parlor-Client': client ?? started.headers['parlor-client'] ?? '',
      });
    const [one, two] = [await agent.start(), await agent.start()];
    const answer = await say(one);
    expect(answer.status).toBe(200);
    const again = await say(one);
    expect([again.json, again.headers['idempotency-replayed']]).toEqual([answer.json, 'true']);
    // The same key in another conversation is another request, and no other secret opens it.
    expect(await say(two, one.headers['parlor-client'])).toMatchObject({
      status: 400,
      json: { error: 'Parlor-Client is not the secret of this conversation.' },
    });
    const other = await say(two);
    expect([other.status, other.headers['idempotency-replayed']]).toEqual([200, undefined]);
    expect(one.headers['parlor-client']).not.toBe(two.headers['parlor-client']);
  });

  it('belongs to the key of the agent', async () => {
    const other = await testAgent(app, nodes);
    const key = { 'Idempotency-Key': randomUUID() };
    const [a, b] = [await agent.start({}, key), await other.start({ metadata: {} }, key)];
    expect(a.json.conversationId).not.toBe(b.json.conversationId);
  });

  it('goes on with what a killed process had begun, whether the turn was done or not', async () => {
    const { conversations, workflows } = app.services;
    const workflow = await workflows.byKey(agent.key);
    if (!workflow) expect.fail();
    const client = '192.0.2.1';
    const uuid = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11';
    const first = await conversations.start(workflow, [], { client, uuid });
    const turn = '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e12';
    const now = async () => workflow;
    const given = { client, uuid: turn, now };
    const said = await conversations.say(workflow, first.conversationId, 'Grace', given);
    expect(await conversations.start(workflow, [], { client, uuid })).toEqual(first);
    expect(await conversations.say(workflow, first.conversationId, 'Grace', given)).toEqual(said);
  });
});
