import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { roomLabelOf } from '../src/features/agent/conversations.service.ts';
import { says, startLlmServer } from './agent-llm-server.ts';
import { owner } from './rest.ts';
import { type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { startWebhookReceiver } from './webhook-receiver.ts';

/** The long form: AGENT_KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.AGENT_KILL_ROUNDS ?? 5);

const NODES = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'q' },
  { id: 'q', type: 'question', text: 'Your name?', save_as: 'name', next: 'm' },
  { id: 'm', type: 'message', text: 'Welcome {{name}}.', next: 'l' },
  { id: 'l', type: 'lead', fields: { nickname: '{{name}}' }, next: 'g' },
  { id: 'g', type: 'message', text: 'One moment.', next: 'q' },
];

/** A call of the agent API that may find the server dead. */
const call = async (url: string, key: string, path: string, body: object, idempotencyKey: string) => {
  try {
    const answer = await fetch(`${url}/api/v1/public/conversations/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'X-API-Key': key, 'Idempotency-Key': idempotencyKey },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as any };
  } catch {
    return undefined;
  }
};

it(`a turn is done or undone when the process is killed in its middle, ${ROUNDS} times`, async () => {
  const llm = await startLlmServer();
  const settings = {
    ...(await serverSettings()),
    RATE_LIMIT: 'off',
    WEBHOOK_RETRY_DELAYS: '200ms,400ms,1s,2s,5s',
    BOT_WAIT_MS: '0',
    LLM_URL: llm.url,
    LLM_MODEL: 'small',
  };
  llm.behave(says('Done.', { before: 15 }));
  const receiver = await startWebhookReceiver();
  let server: ServerProcess = await startServerProcess(settings);
  const { token, rest } = await owner(server.url);
  for (const event of ['message.added', 'lead.added']) {
    await rest('POST', '/api/v1/webhooks/', { event, target: receiver.url });
  }
  const made = await rest('POST', '/api/v1/workflows/', { name: 'Kill', is_published: true, nodes: NODES });
  const key = made.json.public_key as string;
  // A second workflow answers the rooms, through the language model.
  const bot = [
    { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
    { id: 'l', type: 'llm' },
  ];
  const robot = { name: 'Bot', is_published: true, is_room_bot: true, nodes: bot };
  expect((await rest('POST', '/api/v1/workflows/', robot)).json.is_room_bot).toBe(true);
  const room = (await rest('POST', '/api/v1/rooms/', { is_bot_use: true })).json;
  const started = await call(server.url, key, 'start', {}, randomUUID());
  const id = started?.json.conversationId;

  const api = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${server.url}${path}`, {
      method,
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as any;
  };

  const questions: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const question = `question ${round}`;
    questions.push(
      (await api('POST', '/api/v1/messages/', { body: question, room: { uuid: room.uuid } })).uuid,
    );
    const turn = call(server.url, key, `${id}/messages`, { message: `Ada ${round}` }, randomUUID());
    // From before the turn has begun to after it is done.
    await sleep((round % 25) * 2);
    await server.end('SIGKILL');
    const answered = await turn;
    server = await startServerProcess(settings);
    // The caller comes again with the same key until it has its answer. A claim that a killed process left frees
    // itself after 30 s; a caller that does not wait so long finds the turn by the conversation.
    if (answered?.status === 200) continue;
    const shown = await fetch(`${server.url}/api/v1/public/conversations/${id}`, {
      headers: { 'X-API-Key': key },
    });
    const done = ((await shown.json()) as any).messages.some(
      ({ message }: { message: string }) => message === `Ada ${round}`,
    );
    if (!done) {
      const again = await call(server.url, key, `${id}/messages`, { message: `Ada ${round}` }, randomUUID());
      expect(again?.status).toBe(200);
    }
  }

  // Every message of the conversation exactly once, with everything that follows from it, in order.
  const { messages } = await api('GET', `/api/v1/rooms/${roomLabelOf(id)}/?messages_limit=500`);
  const expected = ['Hello', 'Your name?'];
  for (let round = 0; round < ROUNDS; round++) {
    expected.push(`Ada ${round}`, `Welcome Ada ${round}.`, 'One moment.', 'Your name?');
  }
  expect(messages.map(({ body }: { body: string }) => body)).toEqual(expected);
  const leads = await api('GET', '/api/v1/leads/?limit=1000');
  expect(leads.map(({ nickname }: { nickname: string }) => nickname).sort()).toEqual(
    Array.from({ length: ROUNDS }, (_, round) => `Ada ${round}`).sort(),
  );

  // Every question in the room is answered exactly once.
  for (const uuid of questions) {
    await expect
      .poll(async () => (await api('GET', `/api/v1/messages/${uuid}/`)).support_answer, { timeout: 60_000 })
      .toBe('Done.');
  }
  const inRoom = (await api('GET', `/api/v1/rooms/${room.label}/?messages_limit=500`)).messages;
  expect(inRoom.filter(({ body }: { body: string }) => body === 'Done.')).toHaveLength(ROUNDS);
  expect(inRoom.filter(({ body }: { body: string }) => body.startsWith('question'))).toHaveLength(ROUNDS);

  // Every message and lead was announced, each under one id.
  const all = [...messages, ...inRoom, ...leads].map(({ uuid }: { uuid: string }) => uuid);
  for (const uuid of all) await receiver.find((data) => data.uuid === uuid);
  const ids = new Map<string, Set<unknown>>();
  for (const { headers, body } of receiver.received) {
    const { uuid } = JSON.parse(body).data;
    ids.set(uuid, (ids.get(uuid) ?? new Set()).add(headers['webhook-id']));
  }
  for (const one of ids.values()) expect(one.size).toBe(1);
  await llm.close();
}, 600_000);
