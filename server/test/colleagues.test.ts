import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Member } from '@parlor/shared';
import { beforeAll, expect, it } from 'vitest';
import { PASSWORD } from './members.ts';
import { png } from './pictures.ts';
import { connect } from './realtime-client.ts';
import { beginConversation, isType, says } from './realtime-parts.ts';
import { caller, owner } from './rest.ts';
import { type ServerProcess, serverSettings, sharedSettings, startServerProcess } from './server-process.ts';
import { afterThem } from './shared-server.ts';

/** What members tell each other about a conversation: notes, and who views it. */

/** The long form: NOTES_KILL_ROUNDS=50. */
const ROUNDS = Number(process.env.NOTES_KILL_ROUNDS ?? 5);

type Rest = ReturnType<typeof caller>;

const memberOf = async (url: string, rest: Rest, widgets: string[] | null, name: string) => {
  const username = `m-${randomUUID().slice(0, 8)}`;
  const invitation = { email: `${username}@example.com`, widgets, name };
  const invited = await rest('POST', '/api/v1/members/', invitation);
  const token = invited.json.invite_url.split('#token=')[1];
  const accepted = { token, username, password: PASSWORD, password2: PASSWORD };
  const { json } = await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted);
  const signedIn = await caller(url)('POST', '/api/v1/auth/api-token', { username, password: PASSWORD });
  return { uuid: json.uuid as string, username, token: signedIn.json.token as string };
};

const conversationIsThere = (rest: Rest, uuid: string) =>
  expect
    .poll(async () => (await rest('GET', `/api/v1/conversations/${uuid}/`)).status, { timeout: 60_000 })
    .toBe(200);

/** Two servers on one database, for tests with accounts of their own. */
let server: ServerProcess;
let other: ServerProcess;
const atEnd = afterThem();
beforeAll(async () => {
  const settings = { ...(await sharedSettings(atEnd)), RATE_LIMIT: 'off' };
  server = await startServerProcess(settings, undefined, atEnd);
  other = await startServerProcess(settings, undefined, atEnd);
});

it('tells colleagues of notes and of who is there, on every process, and nobody else', async () => {
  const { url, rest, visitor } = await beginConversation(server);
  const ada = await visitor();
  const { room } = ada;
  await ada.say('Hi');
  await conversationIsThere(rest, room.uuid);
  const grace = await memberOf(url, rest, null, 'Grace');
  const linus = await memberOf(url, rest, null, 'Linus');
  const hidden = await memberOf(url, rest, [], 'Hidden');
  const colleague = await connect(other.url, { token: linus.token });
  const outsiders = [
    await connect(other.url, { visitor: ada.token }),
    await connect(url, { visitor: ada.token }),
    await connect(other.url, { token: hidden.token }),
  ];
  const own = await connect(url, { token: grace.token });
  const setPicture = async (): Promise<string> => {
    const headers = { Authorization: `Token ${grace.token}`, 'Content-Type': 'image/png' };
    const picture = { method: 'PUT', headers, body: png() as unknown as string };
    return ((await (await fetch(`${url}/api/v1/members/me/avatar/`, picture)).json()) as Member).avatar ?? '';
  };
  // Its socket is open already.
  const avatar = await setPicture();
  own.send({ type: 'viewing', room: room.uuid, is_typing: true });
  const member = { uuid: grace.uuid, name: 'Grace', avatar };
  const seen = await colleague.find(isType('viewing', { is_typing: true }));
  expect(seen).toEqual({
    type: 'viewing',
    room: room.uuid,
    data: { member, is_viewing: true, is_typing: true },
  });
  // Whoever comes later is told at once.
  const late = await connect(url, { token: linus.token });
  expect((await late.find(isType('viewing'))).data).toEqual(seen.data);

  const another = await setPicture();
  own.send({ type: 'viewing', room: room.uuid, is_typing: false });
  const again = await colleague.find(isType('viewing', { is_typing: false }));
  expect(again.data).toMatchObject({ member: { ...member, avatar: another } });

  const asGrace = caller(url, `Token ${grace.token}`);
  const path = `/api/v1/conversations/${room.uuid}/notes/`;
  const body = `@${linus.username} <b>secret</b>`;
  const made = (await asGrace('POST', path, { body })).json;
  const added = await colleague.find(isType('note.added'));
  expect(added).toMatchObject({
    room: room.uuid,
    data: { ...made, mentions: [linus.uuid], mentioned: [linus.uuid] },
  });
  await asGrace('PATCH', `${path}${made.uuid}/`, { body: 'secret again' });
  const changed = await colleague.find(isType('note.changed'));
  expect(changed.data).toMatchObject({ body: 'secret again', mentions: [], mentioned: [] });
  await asGrace('DELETE', `${path}${made.uuid}/`);
  expect((await colleague.find(isType('note.deleted'))).data).toEqual({ uuid: made.uuid });

  await own.close();
  await colleague.find(isType('viewing', { is_viewing: false }));
  await ada.say('the last one');
  for (const client of outsiders.slice(0, 2)) await client.find(says('the last one'));
  const replayed = await connect(url, { visitor: ada.token }, { after: outsiders[1]?.after ?? '' });
  await replayed.find(says('the last one'));
  for (const client of [...outsiders, replayed]) {
    const types = client.frames.map(({ type }) => type);
    for (const type of types) expect(type).not.toMatch(/^(note\.|viewing)/);
    expect(JSON.stringify(client.frames)).not.toContain('secret');
  }

  const watching = await connect(url, { token: grace.token });
  const view = { type: 'viewing', room: room.uuid, is_typing: false } as const;
  // One who has heard nothing of those before.
  const observer = await connect(other.url, { token: linus.token });
  watching.send(view);
  await observer.find(isType('viewing', { is_viewing: true }));
  expect((await rest('DELETE', `/api/v1/rooms/${room.label}/`)).status).toBe(204);
  await observer.find(isType('viewing', { is_viewing: false }));
  // Nothing tells its client that the room has gone.
  watching.send(view);
  watching.send({ type: 'ping' });
  await watching.find(isType('pong'));
  for (const at of [url, other.url]) {
    const newcomer = await connect(at, { token: linus.token });
    newcomer.send({ type: 'ping' });
    await newcomer.find(isType('pong'));
    expect(newcomer.frames.filter(({ type }) => type === 'viewing')).toEqual([]);
  }
});

it('takes no viewing of visitors, of programs, and of rooms out of view', async () => {
  const { url, token, rest, visitor } = await beginConversation(server);
  const ada = await visitor();
  await ada.say('Hi');
  const { uuid } = ada.room;
  const hidden = await memberOf(url, rest, [], 'Hidden');
  const scopes = ['conversations:write'];
  const program = (await rest('POST', '/api/v1/tokens/', { name: 'desk', scopes })).json.token;
  for (const [credential, room, reason] of [
    [{ visitor: ada.token }, uuid, 'only members view rooms'],
    [{ token: program }, uuid, 'only members view rooms'],
    [{ token: hidden.token }, uuid, 'no such room'],
    [{ token }, randomUUID(), 'no such room'],
    [{ token }, 'x', 'not a frame of this channel'],
  ] as const) {
    const client = await connect(url, credential);
    client.send({ type: 'viewing', room, is_typing: false });
    expect(await client.closed).toEqual({ code: 1008, reason });
  }
});

it(`loses no note and no draft that it has answered when it is killed, ${ROUNDS} times`, async () => {
  const settings = { ...(await serverSettings()), RATE_LIMIT: 'off' };
  let server: ServerProcess = await startServerProcess(settings);
  const { token } = await owner(server.url);
  const rest = () => caller(server.url, `Token ${token}`);
  const uuid: string = (await rest()('POST', '/api/v1/rooms/', {})).json.uuid;
  await conversationIsThere(rest(), uuid);
  const grace = await memberOf(server.url, rest(), null, 'Grace');
  const path = `/api/v1/conversations/${uuid}`;
  const notes = new Map<string, string>();
  const drafts: { asked: string[]; answered: string } = { asked: [], answered: '' };
  let isOn = true;
  const write = async () => {
    while (isOn) {
      const body = randomUUID();
      const made = await rest()('POST', `${path}/notes/`, { body }).catch(() => sleep(20));
      if (made?.status === 201) notes.set(made.json.uuid, body);
    }
  };
  const draft = async () => {
    while (isOn) {
      const body = randomUUID();
      drafts.asked.push(body);
      const kept = await rest()('PUT', `${path}/draft/`, { body }).catch(() => sleep(20));
      if (kept?.status === 200) Object.assign(drafts, { asked: [], answered: body });
    }
  };
  const writers = [write(), write(), draft()];
  for (let round = 0; round < ROUNDS; round++) {
    await sleep(300 + Math.random() * 300);
    // On a busy machine there may be none yet that could be lost.
    await expect.poll(() => notes.size, { timeout: 60_000 }).toBeGreaterThan(round + 1);
    if (round === ROUNDS - 1) {
      const mention = await rest()('POST', `${path}/notes/`, { body: `@${grace.username}` });
      expect(mention.status).toBe(201);
    }
    await server.end('SIGKILL');
    server = await startServerProcess(settings);
    // What was answered last stands there, or what was asked for since and got no answer.
    const { answered, asked } = { ...drafts, asked: [...drafts.asked] };
    const { body } = (await rest()('GET', `${path}/draft/`)).json;
    expect([answered, ...asked, drafts.answered, ...drafts.asked]).toContain(body);
  }
  isOn = false;
  await Promise.all(writers);
  expect(notes.size).toBeGreaterThan(ROUNDS);
  const found = new Map<string, string>();
  for (let next = `${server.url}${path}/timeline/?limit=200`; next !== ''; ) {
    const page = await fetch(next, { headers: { Authorization: `Token ${token}` } });
    for (const { kind, uuid: id, body } of (await page.json()) as any[]) {
      if (kind === 'note') found.set(id, body);
    }
    next = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? '';
  }
  for (const [id, body] of notes) expect(found.get(id)).toBe(body);
  const asGrace = caller(server.url, `Token ${grace.token}`);
  const isUnread = async () => (await asGrace('GET', `${path}/`)).json.is_unread;
  await expect.poll(isUnread, { timeout: 60_000 }).toBe(true);
}, 300_000);
