import mongoose from 'mongoose';
import { expect, it } from 'vitest';
import { connect, type RealtimeClient } from './realtime-client.ts';
import {
  beginConversation,
  isType,
  operator,
  says,
  startConversation,
  type TestVisitor,
} from './realtime-parts.ts';
import { caller } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';
import { useServer } from './shared-server.ts';

/** The live channel of members who are restricted to some widgets, beside those who are not. */

const server = useServer();

type Conversation = Awaited<ReturnType<typeof startConversation>>;

/** Two widgets with a visitor on each, who has written once. */
const twoWidgets = async ({ rest, visitor }: Pick<Conversation, 'rest' | 'visitor'>) => {
  const [a] = (await rest('GET', '/api/v1/widgets/')).json;
  const b = (await rest('POST', '/api/v1/widgets/', {})).json;
  const ofA = await visitor(a.token);
  const ofB = await visitor(b.token);
  await ofA.say('first of A');
  await ofB.say('first of B');
  return { a, b, ofA, ofB };
};

/** Whatever names a visitor's conversation. */
const marksOf = ({ room, token }: TestVisitor): string[] => [room.uuid, room.label, token];

/** What a client was told so far, up to a message of A that comes after everything else. */
const toldUpTo = async (client: RealtimeClient, visitor: TestVisitor, last: string): Promise<string> => {
  await visitor.say(last);
  await client.find(says(last));
  return JSON.stringify(client.frames);
};

it('tells whoever is restricted of its own widget alone, beside whoever sees all', async () => {
  const parts = await beginConversation(server());
  const { url, token, rest } = parts;
  const { a, ofA, ofB } = await twoWidgets(parts);
  const { token: own } = await operator(url, rest, [a.uuid]);
  const program = await caller(url, `Token ${own}`)('POST', '/api/v1/tokens/', {
    name: 'desk',
    scopes: ['conversations:read', 'leads:read'],
  });
  const all = await connect(url, { token });
  const restricted = [await connect(url, { token: own }), await connect(url, { token: program.json.token })];

  for (const one of [ofB, ofA]) {
    const page = await connect(url, { visitor: one.token });
    await all.find(
      ({ type, ...frame }) => type === 'presence' && 'room' in frame && frame.room === one.room.uuid,
    );
    page.send({ type: 'typing', is_typing: true, nickname: 'Ada' });
    const answered = { body: 'An answer', room: { uuid: one.room.uuid }, is_support_sender: true };
    const { json } = await rest('POST', '/api/v1/messages/', answered);
    page.send({ type: 'read', message: json.uuid });
    await one.call('POST', '/api/v1/leads/', { nickname: 'Ada' });
    await one.call('POST', '/api/v1/leads/', { nickname: 'Grace' });
    await one.call('PATCH', `/api/v1/rooms/${one.room.label}/`, { rating: 5 });
    await page.close();
    const isGone = (frame: { type: string; room?: string; data?: any }) =>
      frame.type === 'presence' && frame.room === one.room.uuid && frame.data.online === false;
    await all.find(isGone);
  }
  // What belongs to no widget.
  const made = (await rest('POST', '/api/v1/rooms/', {})).json;
  await rest('POST', '/api/v1/messages/', { body: 'of no widget', room: { uuid: made.uuid } });

  const seen = await toldUpTo(all, ofA, 'the last one');
  const types = [
    ...['message.added', 'room.updated', 'conversation.updated', 'lead.added', 'lead.changed', 'read'],
    ...['typing', 'presence'],
  ];
  for (const client of restricted) {
    await client.find(says('the last one'));
    const told = client.frames.filter((frame) => !['ready', 'unread'].includes(frame.type));
    expect([...new Set(told.map(({ type }) => type))].sort()).toEqual([...types].sort());
    for (const frame of told) expect(frame).toMatchObject({ room: ofA.room.uuid });
    for (const mark of [...marksOf(ofB), made.uuid]) expect(JSON.stringify(told)).not.toContain(mark);
  }
  for (const { room } of [ofA, ofB, { room: made }]) expect(seen).toContain(room.uuid);
});

it('replays after a gap what is of its own widget', async () => {
  const parts = await beginConversation(server());
  const { url, token, rest } = parts;
  const { a, ofA, ofB } = await twoWidgets(parts);
  const { token: own } = await operator(url, rest, [a.uuid]);
  const before = { all: await connect(url, { token }), one: await connect(url, { token: own }) };
  for (const client of Object.values(before)) await client.close();
  for (const n of [1, 2, 3]) {
    await ofB.say(`B ${n}`);
    await ofA.say(`A ${n}`);
  }
  const bodies = (client: RealtimeClient) =>
    client.events().flatMap(({ type, data }) => (type === 'message.added' ? [data.body] : []));
  const one = await connect(url, { token: own }, { after: before.one.after });
  expect(await toldUpTo(one, ofA, 'the last one')).not.toContain(ofB.room.uuid);
  expect(bodies(one)).toEqual(['A 1', 'A 2', 'A 3', 'the last one']);
  const all = await connect(url, { token }, { after: before.all.after });
  await all.find(says('the last one'));
  expect(bodies(all)).toEqual(['B 1', 'A 1', 'B 2', 'A 2', 'B 3', 'A 3', 'the last one']);
});

it('takes no frame about another widget, as if its rooms did not exist', async () => {
  const parts = await beginConversation(server());
  const { url, rest } = parts;
  const { a, ofA, ofB } = await twoWidgets(parts);
  const { token } = await operator(url, rest, [a.uuid]);
  const client = await connect(url, { token });
  client.send({ type: 'unread', rooms: [ofB.room.uuid, ofA.room.uuid] });
  const { data } = await client.find(isType('unread'));
  expect(data).toMatchObject([{ room: ofA.room.uuid, unread: 1 }]);
  const visitor = await connect(url, { visitor: ofB.token });
  for (const room of [ofB.room.uuid, '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11']) {
    for (const frame of [
      { type: 'typing', room, is_typing: true },
      { type: 'read', room, message: room },
    ]) {
      const refused = await connect(url, { token });
      refused.send(frame);
      expect(await refused.closed).toEqual({ code: 1008, reason: 'no such room' });
    }
  }
  await ofB.say('still there');
  await visitor.find(says('still there'));
  expect(visitor.frames.map(({ type }) => type)).not.toContain('typing');
});

it('follows a change of its widgets on an open socket, on whichever process', async () => {
  const settings = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const parts = await startConversation(settings);
  const { url, rest } = parts;
  const other = await startServerProcess(settings);
  const { a, b, ofA, ofB } = await twoWidgets(parts);
  const { uuid, token } = await operator(url, rest, [a.uuid]);
  const program = await caller(url, `Token ${token}`)('POST', '/api/v1/tokens/', {
    name: 'desk',
    scopes: ['conversations:read'],
  });
  const clients = [
    await connect(url, { token }),
    await connect(other.url, { token }),
    await connect(other.url, { token: program.json.token }),
  ];
  const resyncs = ({ frames }: RealtimeClient) => frames.filter(({ type }) => type === 'resync').length;
  let told = 0;
  /** Does something that changes what the operator sees, and waits until its sockets have followed. */
  const change = async (method: string, path: string, body?: object) => {
    const { status } = await rest(method, path, body);
    expect(status).toBeLessThan(300);
    told++;
    for (const client of clients) await expect.poll(() => resyncs(client), { timeout: 60_000 }).toBe(told);
  };
  let said = 0;
  /** All its sockets are told of the words of these visitors, and of no other's. */
  const sees = async (...expected: string[]) => {
    const number = ++said;
    const marker = (await parts.visitor(a.token)) as TestVisitor;
    await ofA.say(`A ${number}`);
    await ofB.say(`B ${number}`);
    // Somebody who sees all has got both: who is to get them has, too.
    const all = await Promise.all([url, other.url].map((one) => connect(one, { token: parts.token })));
    await marker.say(`marker ${number}`);
    for (const client of all) await client.find(says(`marker ${number}`));
    for (const client of clients) {
      for (const name of expected) await client.find(says(`${name} ${number}`));
      const found = ['A', 'B'].filter((name) => client.frames.some(says(`${name} ${number}`)));
      expect(found).toEqual(expected);
    }
  };

  const path = `/api/v1/members/${uuid}/`;
  await sees('A');
  await change('PATCH', path, { widgets: [b.uuid] });
  await sees('B');
  await change('PATCH', path, { widgets: null });
  await sees('A', 'B');
  await change('PATCH', path, { widgets: [] });
  await sees();
  await change('PATCH', path, { role: 'admin' });
  await sees('A', 'B');
  await change('PATCH', path, { role: 'operator', widgets: [a.uuid, b.uuid] });
  await change('DELETE', `/api/v1/widgets/${b.token}/`);
  expect((await rest('GET', path)).json.widgets).toEqual([a.uuid]);
  for (const client of clients) expect(client.socket.readyState).toBe(client.socket.OPEN);
});

it('follows a change that a process wrote and did not live to tell', async () => {
  const shared = await sharedSettings();
  const parts = await startConversation(shared);
  const { url, rest } = parts;
  const { a, b, ofA, ofB } = await twoWidgets(parts);
  const { uuid, token } = await operator(url, rest, [a.uuid, b.uuid]);
  const client = await connect(url, { token });
  await ofB.say('seen');
  await client.find(says('seen'));
  const connection = await mongoose.createConnection(shared.MONGODB_URL ?? '').asPromise();
  const members = connection.db?.collection<{ _id: string; widgets?: string[] }>('members');
  await members?.updateOne({ _id: uuid }, { $set: { widgets: [a.uuid] } });
  await client.find(isType('resync'));
  await ofB.say('not seen');
  expect(await toldUpTo(client, ofA, 'the last one')).not.toContain('not seen');
  // So with one that was deleted.
  await connection.db?.collection<{ _id: string }>('widgets').deleteOne({ _id: a.uuid });
  await expect.poll(() => client.frames.filter(({ type }) => type === 'resync').length).toBe(2);
  // Nor does a program see everything whose member is gone.
  const body = { name: 'desk', scopes: ['conversations:read'] };
  const program = await caller(url, `Token ${token}`)('POST', '/api/v1/tokens/', body);
  const desk = await connect(url, { token: program.json.token });
  await members?.deleteOne({ _id: uuid });
  expect(await desk.closed).toMatchObject({ code: 4401 });
  expect(desk.frames.map(({ type }) => type)).not.toContain('resync');
  await connection.close();
});
