import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { says, saysLater, startLlmServer } from '../../../test/agent-llm-server.ts';
import { testApp } from '../../../test/app.ts';

const llm = await startLlmServer();
const MODEL = { LLM_URL: llm.url, LLM_MODEL: 'small' };
const app = testApp({ BOT_WAIT_MS: '20000', ...MODEL });
const impatient = testApp({ BOT_WAIT_MS: '500', ...MODEL });
afterAll(() => llm.close());

const FLOW = [
  { id: 's', type: 'start', greeting: 'Welcome', next: 'm' },
  { id: 'm', type: 'message', text: 'I am a bot.', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'a' },
  { id: 'a', type: 'question', text: 'And you want, {{name}}?', next: 'h' },
  { id: 'h', type: 'handoff', text: 'A colleague comes.' },
];

const room = async (agent: TestAgent, fields: object = { is_bot_use: true }) =>
  (await agent.rest('POST', 'rooms/', fields)).json;
const write = async (agent: TestAgent, uuid: string, body: string, more = {}, headers = {}) =>
  (await agent.rest('POST', 'messages/', { body, room: { uuid }, ...more }, headers)).json;
const said = async (agent: TestAgent, label: string): Promise<string[]> =>
  (await agent.rest('GET', `rooms/${label}/`)).json.messages.map(({ body }: { body: string }) => body);
const single = async (agent: TestAgent, uuid: string) => (await agent.rest('GET', `messages/${uuid}/`)).json;

it('greets when a room is made, and answers from the node after it until a person is wanted', async () => {
  const agent = await testAgent(app, FLOW);
  const made = await room(agent);
  expect(made.messages).toMatchObject([{ body: 'Welcome', is_support_sender: true, is_bot: true }]);
  const first = await write(agent, made.uuid, 'Hi');
  expect(Object.keys(first)).toEqual([
    'uuid',
    'nickname',
    'email',
    'body',
    'is_support_sender',
    'sent_at',
    'support_answer',
  ]);
  expect(first.support_answer).toBe('I am a bot.\n\nYour name?');
  expect((await single(agent, first.uuid)).support_answer).toBe('I am a bot.\n\nYour name?');
  expect((await write(agent, made.uuid, 'Ada')).support_answer).toBe('And you want, Ada?');
  expect((await write(agent, made.uuid, 'Help')).support_answer).toBe('A colleague comes.');
  const after = await write(agent, made.uuid, 'Anybody?');
  expect(after).not.toHaveProperty('support_answer');
  expect(await said(agent, made.label)).toEqual([
    'Welcome',
    'Hi',
    'I am a bot.',
    'Your name?',
    'Ada',
    'And you want, Ada?',
    'Help',
    'A colleague comes.',
    'Anybody?',
  ]);
  // Operators learn that a person is wanted.
  const handedOff = (await agent.rest('GET', `rooms/${made.label}/`)).json;
  expect(handedOff.is_bot_use).toBe(false);
});

it("answers a visitor's first message in the room that its widget makes", async () => {
  const agent = await testAgent(app, FLOW);
  const { widget } = agent.account;
  await agent.rest('PATCH', `widgets/${widget}/`, { is_bot_use: true });
  const session = await app.session(widget);
  const { json } = await app.request('POST', '/api/v1/messages/', {
    visitor: session.visitor,
    body: { body: 'Hi', room: { uuid: session.room.uuid } },
  });
  expect(json.support_answer).toBe('I am a bot.\n\nYour name?');
  expect(await said(agent, session.room.label)).toEqual(['Welcome', 'Hi', 'I am a bot.', 'Your name?']);
});

it("ends with a person's message, and begins again when it is switched on", async () => {
  const agent = await testAgent(app, FLOW);
  const made = await room(agent);
  await write(agent, made.uuid, 'Hi');
  await write(agent, made.uuid, 'I take over', { is_support_sender: true });
  expect(await write(agent, made.uuid, 'Ada')).not.toHaveProperty('support_answer');
  await agent.rest('PATCH', `rooms/${made.label}/`, { is_bot_use: true });
  expect((await write(agent, made.uuid, 'Ada')).support_answer).toBe('And you want, Ada?');
});

it('has no support_answer where there is no bot', async () => {
  const agent = await testAgent(app, FLOW);
  const made = await room(agent, {});
  const message = await write(agent, made.uuid, 'Hi');
  expect(message).not.toHaveProperty('support_answer');
  expect(await single(agent, message.uuid)).not.toHaveProperty('support_answer');
});

it('is silent without a published workflow, and begins late when there is one', async () => {
  const agent = await testAgent(app, FLOW, { is_published: false });
  const made = await room(agent);
  expect(made.messages).toEqual([]);
  const unanswered = await write(agent, made.uuid, 'Hi');
  expect(unanswered).not.toHaveProperty('support_answer');
  expect((await single(agent, unanswered.uuid)).support_answer).toBe('');
  await agent.rest('PATCH', `workflows/${agent.uuid}/`, { is_published: true });
  expect((await write(agent, made.uuid, 'Hi')).support_answer).toBe('I am a bot.\n\nYour name?');
  expect(await said(agent, made.label)).toEqual(['Hi', 'Hi', 'Welcome', 'I am a bot.', 'Your name?']);
});

it.each([
  ['that an older server stored goes on', '^(?:a|b|c|d|e|f){0,480}$', 'It matches.'],
  ["that can't be compiled holds for nothing", '(a', 'It does not.'],
])('of a condition with a pattern %s', async (_, pattern, answer) => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', next: 'q' },
    { id: 'q', type: 'question', text: 'And?', save_as: 'last', next: 'c' },
    {
      id: 'c',
      type: 'condition',
      branches: [{ variable: 'last', operator: 'matches', value: 'STORED', next: 'y' }],
      else: 'n',
    },
    { id: 'y', type: 'message', text: 'It matches.', next: 'q' },
    { id: 'n', type: 'message', text: 'It does not.', next: 'q' },
  ]);
  const { graphs } = app.services.models;
  const [graph] = await graphs.find({ workflow: agent.uuid }).lean();
  const nodes = graph?.nodes.replace('STORED', pattern);
  await graphs.updateOne({ _id: graph?._id }, { $set: { nodes } });
  const made = await room(agent);
  await write(agent, made.uuid, 'Hi');
  expect((await write(agent, made.uuid, 'abc')).support_answer).toBe(`${answer}\n\nAnd?`);
  const conversation = await agent.open();
  expect(await agent.talk(conversation, 'abc')).toEqual([[answer, 'And?'], 'active']);
});

describe('a message that is sent once more under its Idempotency-Key while its bot thinks', () => {
  const thinking = async () => {
    const agent = await testAgent(app, [
      { id: 's', type: 'start', next: 'l' },
      { id: 'l', type: 'llm' },
    ]);
    const made = await room(agent);
    const { behaviour, say } = saysLater('Here I am.');
    llm.behave(behaviour);
    const before = llm.asked.length;
    const send = () => write(agent, made.uuid, 'Hi', {}, { 'idempotency-key': made.uuid });
    const sent = send();
    await expect.poll(() => llm.asked.length, { timeout: 60_000 }).toBe(before + 1);
    const claim = () =>
      app.services.models.idempotency.findOne({ account: agent.account.id, answer: { $exists: false } });
    return { sent, send, say, claim };
  };

  it('is answered both times', async () => {
    const expected = vi.spyOn(app.services.answers, 'expected');
    onTestFinished(() => expected.mockRestore());
    const { sent, send, say, claim } = await thinking();
    // As where the first one has stopped for long.
    await (await claim())?.updateOne({ leased_until: new Date(0) });
    const again = send();
    await expect.poll(() => expected.mock.calls.length, { timeout: 60_000 }).toBe(2);
    say();
    expect(await sent).toMatchObject({ support_answer: 'Here I am.' });
    expect(await again).toEqual(await sent);
  });

  it('waits for the first one, however long that takes', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { sent, say, claim } = await thinking();
    const before = await claim();
    vi.advanceTimersByTime(10_000);
    const leased = async () => Number((await claim())?.leased_until);
    await expect.poll(leased, { timeout: 60_000 }).toBeGreaterThan(Number(before?.leased_until));
    say();
    expect(await sent).toMatchObject({ support_answer: 'Here I am.' });
  });
});

it('does not wait longer than BOT_WAIT_MS, and answers all the same', async () => {
  const agent = await testAgent(impatient, [
    { id: 's', type: 'start', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  const made = await room(agent);
  const { behaviour, say } = saysLater('Here I am.');
  llm.behave(behaviour);
  const message = await write(agent, made.uuid, 'Hi');
  expect(message).not.toHaveProperty('support_answer');
  expect((await single(agent, message.uuid)).support_answer).toBe('');
  say();
  const late = () => single(agent, message.uuid).then(({ support_answer }) => support_answer);
  await expect.poll(late, { timeout: 60_000, interval: 100 }).not.toBe('');
  expect(await late()).toBe('Here I am.');
});

it('says nothing behind a person who came while the model was thinking', async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', next: 'l' },
    { id: 'l', type: 'llm' },
  ]);
  const made = await room(agent);
  const { behaviour, say } = saysLater('Too late.');
  llm.behave(behaviour);
  const before = llm.asked.length;
  const written = write(agent, made.uuid, 'Hi');
  await expect.poll(() => llm.asked.length).toBe(before + 1);
  await write(agent, made.uuid, 'I take over', { is_support_sender: true });
  say();
  const message = await written;
  // Its turn has ended.
  const { messages } = app.services.models;
  const due = () => messages.countDocuments({ _id: message.uuid, answer_due: { $exists: true } });
  await expect.poll(due).toBe(0);
  expect(await said(agent, made.label)).toEqual(['Hi', 'I take over']);
  expect(await single(agent, message.uuid)).not.toHaveProperty('support_answer');
});

it('says nothing of a conversation that was deleted in the one that its visitor begins anew', async () => {
  const agent = await testAgent(app, [
    { id: 's', type: 'start', greeting: 'Welcome', next: 'l' },
    { id: 'l', type: 'llm', next: 'l' },
  ]);
  const { widget } = agent.account;
  await agent.rest('PATCH', `widgets/${widget}/`, { is_bot_use: true });
  const { visitor, room: own } = await app.session(widget);
  const say = (body: string) =>
    app.request('POST', '/api/v1/messages/', { visitor, body: { body, room: { uuid: own.uuid } } });
  const later = saysLater('About your secret.');
  llm.behave(later.behaviour, says('About your parcel.'));
  const before = llm.asked.length;
  const first = say('A secret');
  await expect.poll(() => llm.asked.length).toBe(before + 1);
  expect((await agent.rest('DELETE', `rooms/${own.label}/`)).status).toBe(204);
  const second = say('A parcel');
  await expect.poll(() => said(agent, own.label)).toEqual(['Welcome', 'A parcel']);
  later.say();
  expect((await second).json.support_answer).toBe('About your parcel.');
  expect((await first).json).not.toHaveProperty('support_answer');
  expect(await said(agent, own.label)).toEqual(['Welcome', 'A parcel', 'About your parcel.']);
});

const announced = (agent: TestAgent, messages: { uuid: string }[]) =>
  messages.map(({ uuid }) => ({
    ...{ id: uuid, name: 'message.added' as const, account: agent.account.id, at: new Date() },
    ...{ data: { uuid }, is_for_bot: true as const },
  }));

/** Says again what it is told. */
const ECHO = [
  { id: 's', type: 'start', next: 'q' },
  { id: 'q', type: 'question', text: 'And?', save_as: 'last', next: 'm' },
  { id: 'm', type: 'message', text: 'You said {{last}}.', next: 'q' },
];

it('answers many messages at once in order, each exactly once', async () => {
  const agent = await testAgent(app, ECHO);
  const made = await room(agent);
  await write(agent, made.uuid, 'first');
  const messages = await Promise.all(Array.from({ length: 12 }, (_, i) => write(agent, made.uuid, `m${i}`)));
  for (const { uuid, body } of messages) {
    await expect
      .poll(async () => (await single(agent, uuid)).support_answer, { timeout: 60_000 })
      .toBe(`You said ${body}.\n\nAnd?`);
  }
  const answers = (await said(agent, made.label)).filter((body) => body.startsWith('You said'));
  expect(new Set(answers).size).toBe(12);
  expect(answers).toHaveLength(12);
  // The outbox may bring a message again: that changes nothing.
  await app.services.answers.consume(announced(agent, messages));
  await sleep(300);
  expect(await said(agent, made.label)).toHaveLength(1 + 1 + 24 + 12);
});

it('answers in order what is announced together, whichever message is read of sooner', async () => {
  const agent = await testAgent(app, ECHO);
  const made = await room(agent);
  await write(agent, made.uuid, 'first');
  const bot = (is_bot_use: boolean) => agent.rest('PATCH', `rooms/${made.label}/`, { is_bot_use });
  await bot(false);
  const waiting = [await write(agent, made.uuid, 'one'), await write(agent, made.uuid, 'two')];
  await bot(true);
  const { messages, rooms } = app.services.models;
  const ids = { _id: { $in: waiting.map(({ uuid }) => uuid) } };
  await messages.updateMany(ids, { $set: { answer_due: new Date(Date.now() + 60_000) } });
  const findOne = rooms.findOne.bind(rooms);
  const reading = vi.spyOn(rooms, 'findOne').mockImplementationOnce(((filter: object) => ({
    lean: async () => {
      await sleep(200);
      return findOne(filter).lean();
    },
  })) as never);
  onTestFinished(() => reading.mockRestore());
  await app.services.answers.consume(announced(agent, waiting));
  await expect.poll(() => messages.countDocuments({ ...ids, answer_due: { $exists: true } })).toBe(0);
  const answers = (await said(agent, made.label)).filter((body) => body.startsWith('You said'));
  expect(answers).toEqual(['You said one.', 'You said two.']);
});
