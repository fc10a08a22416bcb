import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startGatedDatabase } from './database-gate.ts';
import { connect, openSocket } from './realtime-client.ts';
import { isType, says, startConversation } from './realtime-parts.ts';

it('keeps sockets while the database is gone, and goes on when it is back', async () => {
  const { gate, settings } = await startGatedDatabase();
  const { url, token, visitor, answer } = await startConversation(settings);
  const ada = await visitor();
  const message = await ada.say('Hello');
  const page = await connect(url, { visitor: ada.token });
  const operator = await connect(url, { token });

  gate.shut();
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(503);
  const refused = await fetch(`${url}/api/v1/messages/`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Visitor ${ada.token}` },
    body: JSON.stringify({ body: 'Lost?', room: { uuid: ada.room.uuid } }),
  });
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
  page.send({ type: 'ping' });
  await page.find(isType('pong'));
  operator.send({ type: 'read', room: ada.room.uuid, message });
  expect((await operator.find(isType('error'))).data).toMatchObject({ of: 'read', retry: true });
  const stranger = await openSocket(url);
  stranger.send({ type: 'auth', scheme: 'Visitor', token: ada.token });
  expect((await stranger.closed).code).toBe(1013);
  expect([page.socket.readyState, operator.socket.readyState]).toEqual([WebSocket.OPEN, WebSocket.OPEN]);

  gate.reopen();
  let uuid: string | undefined;
  for (let i = 0; i < 100 && !uuid; i++) {
    await sleep(200);
    uuid = await answer(ada.room.uuid, 'Here again');
  }
  await page.find(says('Here again'));
  operator.send({ type: 'read', room: ada.room.uuid, message });
  await page.find(isType('read', { sender: 'person', message }));
});
