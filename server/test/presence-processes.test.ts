import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { connect } from './realtime-client.ts';
import { startConversation } from './realtime-parts.ts';
import { owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/** How many times a member and visitors come at the same moment, each time an account's first ones. */
const TIMES = 2;

it('a member is told of visitors who come to another process at the same moment', async () => {
  const settings = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const { url } = await startConversation(settings);
  const other = await startServerProcess(settings);
  await Promise.all(
    Array.from({ length: TIMES }, async (_, time) => {
      const { rest, token, widget } = await owner(url, `ada-${time}`);
      const visitors = await Promise.all(
        Array.from({ length: 3 }, async () => {
          const headers = { 'Content-Type': 'application/json' };
          const sessions = `${url}/api/v1/widgets/${widget}/sessions/`;
          const session = await (await fetch(sessions, { method: 'POST', headers, body: '{}' })).json();
          const message = { body: 'Hi', room: { uuid: session.room.uuid } };
          const { status } = await fetch(`${url}/api/v1/messages/`, {
            method: 'POST',
            headers: { ...headers, Authorization: `Visitor ${session.token}` },
            body: JSON.stringify(message),
          });
          expect(status).toBe(201);
          return { token: session.token as string, room: session.room.uuid as string };
        }),
      );
      expect((await rest('GET', '/api/v1/rooms/')).json).toHaveLength(visitors.length);
      const [first, ...later] = visitors;
      // For a moment this process knows that nobody of the account is there.
      await connect(url, { visitor: first?.token ?? '' });
      await sleep(300);
      const member = connect(other.url, { token });
      for (const [index, { token: visitor }] of later.entries()) {
        await sleep(index * 40);
        await connect(url, { visitor });
      }
      for (const { room } of visitors) {
        const isTold = (frame: { type: string; room?: string; data?: unknown }): boolean =>
          frame.type === 'presence' && frame.room === room;
        expect((await (await member).find(isTold as never)).data).toEqual({
          sender: 'visitor',
          online: true,
        });
      }
    }),
  );
});
