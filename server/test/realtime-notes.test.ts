import { expect, it } from 'vitest';
import { connect } from './realtime-client.ts';
import { beginConversation, isType, operator } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

/** What colleagues are told of notes that are deleted. */

const server = useServer();

it('tells whoever was away that a note was deleted, and not what it said', async () => {
  const { url, token, rest, visitor } = await beginConversation(server());
  const { room, say } = await visitor();
  await say('Hello');
  const { token: colleague } = await operator(url, rest, null);
  const there = await connect(url, { token });
  const away = await connect(url, { token: colleague });
  const { after } = (await away.find(({ type }) => type === 'ready')) as unknown as { after: string };
  await away.close();

  const path = `/api/v1/conversations/${room.uuid}/notes/`;
  await expect.poll(async () => (await rest('GET', path.replace('notes/', ''))).status).toBe(200);
  const { uuid } = (await rest('POST', path, { body: 'Card 4111' })).json;
  const kept = (await rest('POST', path, { body: 'Call back' })).json;
  await there.find(isType('note.added', { uuid }));
  await rest('PATCH', `${path}${uuid}/`, { body: 'Card 4222' });
  await there.find(isType('note.changed', { uuid }));
  expect((await rest('DELETE', `${path}${uuid}/`)).status).toBe(204);
  await there.find(isType('note.deleted', { uuid }));

  const back = await connect(url, { token: colleague }, { after });
  await back.find(isType('note.deleted', { uuid }));
  const told = back.events().filter(({ type }) => type.startsWith('note.'));
  expect(told.map(({ type, data }) => [type, data.uuid])).toEqual([
    ['note.added', kept.uuid],
    ['note.deleted', uuid],
  ]);
  expect(JSON.stringify(back.frames)).not.toContain('Card');
});
