import { expect, it } from 'vitest';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { isType, operator, says, startConversation } from './realtime-parts.ts';

/** What members are told of leads that are deleted. */

/** Each lead says this of its visitor. */
const WORD = 'Ada Lovelace';

const isDeleted = (uuid: string) => isType('lead.deleted', { uuid });

/** The leads whose end a client was told of, in order. */
const deletedFor = (client: RealtimeClient): unknown[] =>
  client.events().flatMap(({ type, data }) => (type === 'lead.deleted' ? [data] : []));

/** Two widgets with a visitor's lead on each, and one of the owner's own, which belongs to no widget. */
const start = async () => {
  const parts = await startConversation();
  const { url, rest, visitor } = parts;
  const [a] = (await rest('GET', '/api/v1/widgets/')).json;
  const b = (await rest('POST', '/api/v1/widgets/', {})).json;
  const leave = async (widget: { token: string }) => {
    const who = await visitor(widget.token);
    const { json } = await who.call('POST', '/api/v1/leads/', { nickname: WORD });
    const path = `/api/v1/widgets/${widget.token}/sessions/`;
    return { ...who, lead: json.uuid as string, erase: () => who.call('DELETE', path) };
  };
  const [ofA, ofB] = [await leave(a), await leave(b)];
  const own = (await rest('POST', '/api/v1/leads/', { nickname: WORD })).json.uuid as string;
  const restricted = await operator(url, rest, [a.uuid]);
  const remove = (lead: string, headers?: Record<string, string>) =>
    rest('DELETE', `/api/v1/leads/${lead}/`, undefined, headers);
  return { ...parts, a, ofA, ofB, own, restricted, remove, leave };
};

it('tells whoever saw a lead that it was deleted or erased, and nobody else', async () => {
  const { url, token, ofA, ofB, own, restricted, remove } = await start();
  const all = await connect(url, { token });
  const hers = await connect(url, { token: restricted.token });
  const ofRoom = await connect(url, { token }, { rooms: [ofB.room.uuid] });
  const pages = [await connect(url, { visitor: ofA.token }), await connect(url, { visitor: ofB.token })];

  expect((await remove(ofA.lead, { 'If-Match': '"another"' })).status).toBe(412);
  expect((await remove(own)).status).toBe(204);
  const ofNoWidget = await all.find(isDeleted(own));
  expect(ofNoWidget).toEqual({ type: 'lead.deleted', id: expect.any(String), data: { uuid: own } });
  expect((await remove(ofA.lead)).status).toBe(204);
  const deleted = await all.find(isDeleted(ofA.lead));
  expect(deleted).toMatchObject({ room: ofA.room.uuid, data: { uuid: ofA.lead } });
  expect((await ofB.erase()).status).toBe(204);
  const erased = await all.find(isDeleted(ofB.lead));
  expect(erased).toMatchObject({ room: ofB.room.uuid, data: { uuid: ofB.lead } });
  // A visitor has one lead: left once more it has the same uuid, and is deleted once more.
  expect((await ofA.call('POST', '/api/v1/leads/', { nickname: WORD })).json.uuid).toBe(ofA.lead);
  expect((await remove(ofA.lead)).status).toBe(204);

  await ofA.say('the last one');
  for (const client of [all, hers, pages[0] as RealtimeClient]) await client.find(says('the last one'));
  await ofRoom.find(isDeleted(ofB.lead));
  expect(deletedFor(all)).toEqual([own, ofA.lead, ofB.lead, ofA.lead].map((uuid) => ({ uuid })));
  expect(deletedFor(hers)).toEqual([{ uuid: ofA.lead }, { uuid: ofA.lead }]);
  expect(deletedFor(ofRoom)).toEqual([{ uuid: ofB.lead }]);
  for (const page of pages) expect(deletedFor(page)).toEqual([]);
});

it('tells it after a gap, without a word of who was erased, and tells no webhook', async () => {
  const { url, token, rest, ofA, ofB, own, restricted, remove, a, leave } = await start();
  const before = {
    all: await connect(url, { token }),
    hers: await connect(url, { token: restricted.token }),
  };
  for (const client of Object.values(before)) await client.close();
  // Left and erased while nobody looked.
  const later = await leave(a);
  for (const { erase } of [later, ofA, ofB]) expect((await erase()).status).toBe(204);
  expect((await remove(own)).status).toBe(204);
  // What follows from the erasures is told before this.
  const marker = await leave(a);

  const all = await connect(url, { token }, { after: before.all.after });
  const hers = await connect(url, { token: restricted.token }, { after: before.hers.after });
  for (const client of [all, hers]) await client.find(isType('lead.added', { uuid: marker.lead }));
  expect(deletedFor(all)).toEqual([later.lead, ofA.lead, ofB.lead, own].map((uuid) => ({ uuid })));
  expect(deletedFor(hers)).toEqual([{ uuid: later.lead }, { uuid: ofA.lead }]);
  for (const client of [all, hers]) {
    const told = client.events().filter(({ data }) => data.uuid !== marker.lead);
    expect(JSON.stringify(told)).not.toContain(WORD);
    expect(client.frames.map(({ type }) => type)).not.toContain('resync');
  }
  const refused = await rest('POST', '/api/v1/webhooks/', {
    event: 'lead.deleted',
    target: 'https://example.com/',
  });
  expect(refused.status).toBe(400);
});

it('tells a program of leads that may read them, and no other', async () => {
  const { url, rest, ofA, leave, a } = await start();
  const programOf = async (...scopes: string[]) => {
    const { json } = await rest('POST', '/api/v1/tokens/', { name: 'A program', scopes });
    return json.token as string;
  };
  const [blind, seeing] = [
    await programOf('conversations:read'),
    await programOf('conversations:read', 'leads:read'),
  ];
  const [without, withLeads] = [await connect(url, { token: blind }), await connect(url, { token: seeing })];
  const { after } = without;
  const left = await leave(a);
  await rest('PATCH', `/api/v1/leads/${left.lead}/`, { nickname: `${WORD} King` });
  expect((await rest('DELETE', `/api/v1/leads/${left.lead}/`)).status).toBe(204);
  await ofA.say('the last one');
  for (const client of [without, withLeads]) await client.find(says('the last one'));
  const ofLeads = (client: RealtimeClient) =>
    client
      .events()
      .map(({ type }) => type)
      .filter((type) => String(type).startsWith('lead.'));
  expect(ofLeads(withLeads)).toEqual(['lead.added', 'lead.changed', 'lead.deleted']);
  expect(ofLeads(without)).toEqual([]);
  // Nor when it comes back for what it has missed.
  const again = await connect(url, { token: blind }, { after });
  await again.find(says('the last one'));
  expect(ofLeads(again)).toEqual([]);
});
