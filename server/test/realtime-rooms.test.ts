import { expect, it } from 'vitest';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { beginConversation, isType, operator, says } from './realtime-parts.ts';
import { useServer } from './shared-server.ts';

/** What members are told of rooms that are deleted. */

const server = useServer();

/** Each visitor says this of itself. */
const WORD = 'Ada Lovelace';

const isDeleted = (uuid: string) => isType('room.deleted', { uuid });

/** The rooms whose end a client was told of, in order. */
const deletedFor = (client: RealtimeClient): unknown[] =>
  client.events().flatMap(({ type, data }) => (type === 'room.deleted' ? [data] : []));

/** Two widgets with a visitor's room on each, and one of the owner's own, which belongs to no widget. */
const start = async () => {
  const parts = await beginConversation(server());
  const { url, rest, visitor } = parts;
  const [a] = (await rest('GET', '/api/v1/widgets/')).json;
  const b = (await rest('POST', '/api/v1/widgets/', {})).json;
  const enter = async (widget: { token: string }) => {
    const who = await visitor(widget.token);
    await who.say(WORD);
    const path = `/api/v1/widgets/${widget.token}/sessions/`;
    return { ...who, erase: () => who.call('DELETE', path) };
  };
  const [ofA, ofB] = [await enter(a), await enter(b)];
  const own = (await rest('POST', '/api/v1/rooms/', { name: WORD })).json as { uuid: string; label: string };
  const restricted = await operator(url, rest, [a.uuid]);
  const remove = ({ label }: { label: string }, headers?: Record<string, string>) =>
    rest('DELETE', `/api/v1/rooms/${label}/`, undefined, headers);
  return { ...parts, a, ofA, ofB, own, restricted, remove, enter };
};

it('tells whoever saw a room that it was deleted or erased, and nobody else', async () => {
  const { url, token, ofA, ofB, own, restricted, remove, a, enter } = await start();
  const all = await connect(url, { token });
  const hers = await connect(url, { token: restricted.token });
  const ofRoom = await connect(url, { token }, { rooms: [ofB.room.uuid] });
  const pages = [await connect(url, { visitor: ofA.token }), await connect(url, { visitor: ofB.token })];

  expect((await remove(own, { 'If-Match': '"another"' })).status).toBe(412);
  expect((await remove(own)).status).toBe(204);
  const ofNoWidget = await all.find(isDeleted(own.uuid));
  expect(ofNoWidget).toEqual({
    type: 'room.deleted',
    id: expect.any(String),
    room: own.uuid,
    data: { uuid: own.uuid },
  });
  expect((await remove(ofA.room)).status).toBe(204);
  await all.find(isDeleted(ofA.room.uuid));
  expect((await ofB.erase()).status).toBe(204);
  await all.find(isDeleted(ofB.room.uuid));
  // A visitor has one room: begun once more it has the same uuid, and is deleted once more.
  await ofA.say('once more');
  await all.find(says('once more'));
  expect((await ofA.erase()).status).toBe(204);

  const last = await enter(a);
  for (const client of [all, hers]) await client.find(isType('chat.added', { uuid: last.room.uuid }));
  await ofRoom.find(isDeleted(ofB.room.uuid));
  const [first, second] = [{ uuid: ofA.room.uuid }, { uuid: ofB.room.uuid }];
  expect(deletedFor(all)).toEqual([{ uuid: own.uuid }, first, second, first]);
  expect(deletedFor(hers)).toEqual([first, first]);
  expect(deletedFor(ofRoom)).toEqual([second]);
  for (const page of pages) expect(deletedFor(page)).toEqual([]);
});

it('tells it after a gap, without a word of who was erased, and tells no webhook', async () => {
  const { url, token, rest, ofA, ofB, own, restricted, remove, a, enter } = await start();
  const before = {
    all: await connect(url, { token }),
    hers: await connect(url, { token: restricted.token }),
  };
  for (const client of Object.values(before)) await client.close();
  // Begun and erased while nobody looked.
  const later = await enter(a);
  for (const { erase } of [later, ofA, ofB]) expect((await erase()).status).toBe(204);
  expect((await remove(own)).status).toBe(204);
  // What follows from the erasures is told before this.
  const marker = await enter(a);

  const all = await connect(url, { token }, { after: before.all.after });
  const hers = await connect(url, { token: restricted.token }, { after: before.hers.after });
  for (const client of [all, hers]) await client.find(isType('chat.added', { uuid: marker.room.uuid }));
  const uuids = [later, ofA, ofB].map(({ room }) => ({ uuid: room.uuid }));
  expect(deletedFor(all)).toEqual([...uuids, { uuid: own.uuid }]);
  expect(deletedFor(hers)).toEqual(uuids.slice(0, 2));
  for (const client of [all, hers]) {
    const told = client.events().filter((frame) => !('room' in frame) || frame.room !== marker.room.uuid);
    expect(JSON.stringify(told)).not.toContain(WORD);
    expect(client.frames.map(({ type }) => type)).not.toContain('resync');
  }
  const refused = await rest('POST', '/api/v1/webhooks/', {
    event: 'room.deleted',
    target: 'https://example.com/',
  });
  expect(refused.status).toBe(400);
});
