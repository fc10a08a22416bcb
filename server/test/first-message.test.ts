import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { caller, owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { startWebhookReceiver, verifySignature } from './webhook-receiver.ts';

it("takes a visitor's first message to the owner and to a webhook subscriber", async () => {
  const server = await startServerProcess(await serverSettings());
  const receiver = await startWebhookReceiver();
  const { rest, widget } = await owner(server.url);
  const hook = await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: receiver.url });
  expect(hook).toMatchObject({ status: 201, json: { event: 'message.added', target: receiver.url } });
  const chats = await rest('POST', '/api/v1/webhooks/', { event: 'chat.added', target: receiver.url });
  const { json: secret } = await rest('GET', `/api/v1/webhooks/${hook.json.uuid}/secret/`);

  const { json: session } = await caller(server.url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
  const visitor = caller(server.url, `Visitor ${session.token}`);
  const posted = await visitor('POST', '/api/v1/messages/', {
    body: 'Do you deliver on Sundays?',
    email: 'grace@example.com',
    nickname: 'Grace',
    room: { uuid: session.room.uuid },
  });
  expect(posted.status).toBe(201);
  expect(Object.keys(posted.json)).toEqual([
    'uuid',
    'nickname',
    'email',
    'body',
    'is_support_sender',
    'sent_at',
  ]);

  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  expect(rooms).toMatchObject([{ uuid: session.room.uuid, label: session.room.label }]);
  expect(rooms[0].messages).toMatchObject([posted.json]);
  const single = await rest('GET', `/api/v1/messages/${posted.json.uuid}/`);
  expect(single.json).toEqual({
    ...posted.json,
    room: { uuid: rooms[0].uuid, label: rooms[0].label },
    phone_number: '',
    is_bot: false,
  });

  const message = await receiver.find((data) => data.uuid === posted.json.uuid);
  expect(verifySignature(secret.secret, message)).toEqual(JSON.parse(message.body));
  expect(JSON.parse(message.body)).toEqual({
    data: { ...posted.json, room: session.room },
    webhook: hook.json,
  });
  const chat = await receiver.find((data) => data.label === session.room.label);
  expect(JSON.parse(chat.body)).toEqual({
    data: { ...rooms[0], messages: [] },
    webhook: chats.json,
  });
});

it('loses nothing that was acknowledged when the process is killed the next instant, ten times', async () => {
  const settings = { ...(await serverSettings()), WEBHOOK_RETRY_DELAYS: '200ms,400ms,1s,2s,5s' };
  const receiver = await startWebhookReceiver();
  let server = await startServerProcess(settings);
  const { token, rest, widget } = await owner(server.url);
  for (const event of ['message.added', 'chat.added']) {
    await rest('POST', '/api/v1/webhooks/', { event, target: receiver.url });
  }

  const acknowledged: string[] = [];
  for (let round = 0; round < 10; round++) {
    // Half of the time the subscriber is down when the message comes.
    receiver.answer = round % 2 === 0 ? 200 : 503;
    const { json: session } = await caller(server.url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
    const posted = await caller(server.url, `Visitor ${session.token}`)('POST', '/api/v1/messages/', {
      body: `Message ${round}`,
      room: session.room,
    });
    expect(posted.status).toBe(201);
    acknowledged.push(posted.json.uuid, session.room.uuid);
    // From right after the answer to some milliseconds later, when the delivery is on its way.
    if (round > 2) await sleep(round * 3);
    await server.end('SIGKILL');
    receiver.answer = 200;
    server = await startServerProcess(settings);
  }

  const again = caller(server.url, `Token ${token}`);
  for (const uuid of acknowledged) await receiver.find((data) => data.uuid === uuid);
  const { json: rooms } = await again('GET', '/api/v1/rooms/');
  expect(
    rooms.map((room: { uuid: string }) => room.uuid).every((uuid: string) => acknowledged.includes(uuid)),
  ).toBe(true);
  expect(rooms).toHaveLength(10);
  const { json: messages } = await again('GET', '/api/v1/messages/');
  expect(messages).toHaveLength(10);

  // At least once, but each under one id.
  const idsByUuid = new Map<string, Set<unknown>>();
  for (const { headers, body } of receiver.received) {
    const { uuid } = JSON.parse(body).data;
    idsByUuid.set(uuid, (idsByUuid.get(uuid) ?? new Set()).add(headers['webhook-id']));
  }
  expect([...idsByUuid.keys()].sort()).toEqual([...acknowledged].sort());
  for (const ids of idsByUuid.values()) expect(ids.size).toBe(1);
}, 180_000);
