import { afterAll, beforeAll, expect, it } from 'vitest';
import { hangs, refuses, says, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';

const llm = await startLlmServer();
const app = testApp({
  RATE_LIMIT: 'on',
  RATE_LIMIT_REGISTER: '1000',
  RATE_LIMIT_SIGN_IN: '1000',
  RATE_LIMIT_AGENT_CONVERSATION: '12',
  LLM_URL: llm.url,
  LLM_MODEL: 'small',
  LLM_TIMEOUT: '2s',
  LLM_TOKENS_PER_CONVERSATION: '2500',
  REGISTRATION: 'open',
});
afterAll(() => llm.close());

const nodes = [
  { id: 's', type: 'start', greeting: 'Hello {{firstName}}!', next: 'q' },
  { id: 'q', type: 'question', text: 'Your e-mail?', validate: 'email', save_as: 'email', next: 'l' },
  { id: 'l', type: 'lead', fields: { email: '{{email}}' }, next: 'm' },
  { id: 'm', type: 'llm', on_error: 'h' },
  { id: 'h', type: 'handoff', text: 'A colleague writes to {{email}}.' },
];
let token = '';
const call = (method: string, path: string, body?: unknown, more = {}) =>
  app.request(method, `/api/v1/${path}`, { token, body, ...more });
const create = async (fields: object = {}) =>
  (await call('POST', 'workflows/', { name: 'Orders', nodes, ...fields })).json.uuid;
const test = async (uuid: string, body: object = {}) => {
  const { status, json, text } = await call('POST', `workflows/${uuid}/test/`, body);
  expect(status, text).toBe(200);
  return json;
};

beforeAll(async () => {
  token = (await app.account()).token;
});

it('answers as it would a visitor, unpublished, and leaves nothing behind', async () => {
  llm.behave(says('Three days.'));
  const uuid = await create();
  await call('POST', 'webhooks/', { event: 'message.added', target: 'http://127.0.0.1:8/hook' });
  const begun = await test(uuid, { variables: [{ name: 'firstName', value: 'Ada' }] });
  expect(begun).toEqual({
    messages: ['Hello Ada!', 'Your e-mail?'],
    status: 'active',
    state: expect.objectContaining({ node: 'q', asked: 1 }),
    passed: ['s', 'q'],
    leads: [],
    faults: [],
  });
  const again = await test(uuid, { state: begun.state, message: 'nobody' });
  expect(again).toMatchObject({ messages: ['Your e-mail?'], state: { asked: 2 } });
  const given = await test(uuid, { state: again.state, message: 'ada@example.com' });
  expect(given).toMatchObject({
    messages: [],
    passed: ['q', 'l', 'm'],
    leads: [{ nickname: '', email: 'ada@example.com', phone_number: '' }],
    state: { node: 'm', variables: expect.arrayContaining([{ name: 'email', value: 'ada@example.com' }]) },
  });
  const asked = await test(uuid, { state: given.state, message: 'How long does it take?' });
  expect(asked).toMatchObject({ messages: ['Three days.'], status: 'active', faults: [] });
  const sent = llm.asked.at(-1)?.body.messages.map(({ content }) => content) ?? [];
  expect(sent.slice(-3)).toEqual(
    ['nobody', 'Your e-mail?', 'ada@example.com', 'How long does it take?'].slice(1),
  );

  for (const path of ['rooms/', 'messages/', 'leads/', 'conversations/', 'deliveries/']) {
    expect([path, (await call('GET', path)).json]).toEqual([path, []]);
  }
});

it('tries a graph that is not saved, and says what goes wrong in it', async () => {
  const uuid = await create();
  const start = { id: 's', type: 'start', greeting: 'Draft' };
  expect(await test(uuid, { nodes: [start] })).toMatchObject({
    messages: ['Draft'],
    status: 'ended',
    state: null,
  });
  const dead = await test(uuid, { nodes: [{ ...start, next: 'nowhere' }] });
  expect(dead).toMatchObject({ status: 'ended', faults: ['node "nowhere" does not exist'] });
  const loop = await test(uuid, { nodes: [{ ...start, next: 's' }] });
  expect(loop.faults).toEqual(['stopped after 100 steps']);
  expect(loop.messages).toHaveLength(100);
  const handoff = await test(uuid, { nodes: [{ ...start, next: 'h' }, nodes[4]] });
  expect(handoff).toMatchObject({ status: 'handoff', state: null, passed: ['s', 'h'] });
  expect((await call('GET', `workflows/${uuid}/`)).json.nodes).toHaveLength(nodes.length);

  llm.behave(refuses(400));
  const model = [
    { ...start, next: 'm' },
    { id: 'm', type: 'llm' },
  ];
  const { state } = await test(uuid, { nodes: model });
  const failed = await test(uuid, { nodes: model, state, message: 'Hi' });
  expect(failed).toMatchObject({ messages: [], faults: ['node "m": the language model did not answer'] });
});

it('refuses what is wrong, by a clear path', async () => {
  const uuid = await create();
  const refused = async (body: object) => {
    const { status, json } = await call('POST', `workflows/${uuid}/test/`, body);
    expect(status).toBe(400);
    return json;
  };
  expect(await refused({ nodes: [] })).toEqual({ non_field_errors: ['The workflow has no Start node.'] });
  const { state } = await test(uuid);
  expect(await refused({ state })).toEqual({ message: ['This field is required.'] });
  expect(await refused({ state: { ...state, asked: 99 }, message: 'Hi' })).toEqual({
    state: { asked: ['Ensure this value is less than or equal to 21.'] },
  });
  expect(await refused({ nodes: [{ id: 's', type: 'message', text: '' }] })).toEqual({
    nodes: { 0: { text: ['This field may not be blank.'] } },
  });
  const branches = [{ variable: 'x', operator: 'matches', value: '(' }];
  expect(Object.keys(await refused({ nodes: [{ id: 'c', type: 'condition', branches }] }))).toEqual([
    'nodes',
  ]);
});

const model = [
  { id: 's', type: 'start', next: 'm' },
  { id: 'm', type: 'llm', max_tokens: 1_000 },
];

it('runs four of an account at once, and no more', async () => {
  const uuid = await create({ nodes: model });
  const states = [];
  for (let n = 0; n < 4; n++) states.push((await test(uuid)).state);
  const before = llm.asked.length;
  llm.behave(hangs);
  const say = (state: object) => call('POST', `workflows/${uuid}/test/`, { state, message: 'Hi' });
  const running = states.map(say);
  await expect.poll(() => llm.asked.length - before, { timeout: 60_000 }).toBe(4);
  const fifth = await call('POST', `workflows/${uuid}/test/`);
  expect([fifth.status, Number(fifth.headers['retry-after']) > 0]).toEqual([429, true]);
  const faults = (await Promise.all(running)).map(({ json }) => json.faults.length);
  expect(faults).toEqual([1, 1, 1, 1]);
});

it('keeps the budget and the limit of a conversation', async () => {
  const uuid = await create({ nodes: model });
  const { state } = await test(uuid);
  llm.behave(says('Hello'));
  expect(await test(uuid, { state, message: 'Hi' })).toMatchObject({ messages: ['Hello'], faults: [] });
  const before = llm.asked.length;
  const much = await test(uuid, { state, message: 'Tell me more about that. '.repeat(300) });
  expect([much.messages, much.faults.length, llm.asked.length]).toEqual([[], 1, before]);
  for (let n = 3; n < 12; n++) await test(uuid);
  const { status } = await call('POST', `workflows/${uuid}/test/`);
  expect(status).toBe(429);
});
