import { expect, it } from 'vitest';
import { connect } from './realtime-client.ts';
import { isType, operator, says, startConversation } from './realtime-parts.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/** What a member has read, or marked unread: its other sockets are told of it, and nobody else. */

it('tells a member what it has read elsewhere, also after a gap, and nobody else', async () => {
  const settings = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const { url, token, rest, visitor } = await startConversation(settings);
  const other = await startServerProcess(settings);
  const widget = (await rest('GET', '/api/v1/widgets/')).json[0].uuid;
  const ada = await visitor();
  await ada.say('Hello');
  const path = `/api/v1/conversations/${ada.room.uuid}/`;
  await expect.poll(async () => (await rest('GET', path)).json.is_unread, { timeout: 60_000 }).toBe(true);
  const program = await rest('POST', '/api/v1/tokens/', { name: 'desk', scopes: ['conversations:read'] });
  const colleagues = [
    (await operator(url, rest, null)).token,
    (await operator(url, rest, [widget])).token,
    program.json.token,
  ];
  const outsiders = await Promise.all(colleagues.map((one) => connect(other.url, { token: one })));
  outsiders.push(await connect(other.url, { visitor: ada.token }));
  const own = await connect(other.url, { token });
  const gone = await connect(other.url, { token });
  const { after } = (await gone.find(isType('ready'))) as unknown as { after: string };
  await gone.close();

  expect((await rest('PATCH', path, { is_unread: false })).status).toBe(200);
  const read = await own.find(isType('conversation.marked', { is_unread: false }));
  const member = (await rest('GET', '/api/v1/members/me/')).json.uuid;
  expect(read).toMatchObject({ room: ada.room.uuid, data: { member, is_unread: false } });
  const uuids = [ada.room.uuid];
  expect((await rest('POST', '/api/v1/conversations/bulk/', { uuids, is_unread: true })).status).toBe(200);
  await own.find(isType('conversation.marked', { is_unread: true }));
  // What is so already is no news.
  expect((await rest('PATCH', path, { is_unread: true })).status).toBe(200);

  const back = await connect(url, { token }, { after });
  await ada.say('The last one');
  for (const client of [own, back]) {
    await client.find(says('The last one'));
    const told = client.events().filter(({ type }) => type === 'conversation.marked');
    expect(told.map(({ data }) => data.is_unread)).toEqual([false, true]);
  }
  for (const client of outsiders) {
    await client.find(says('The last one'));
    expect(client.frames.map(({ type }) => type)).not.toContain('conversation.marked');
  }
});
