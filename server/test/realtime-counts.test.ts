import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationCounts } from '@parlor/shared';
import { expect, it } from 'vitest';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { operator, startConversation } from './realtime-parts.ts';
import { caller } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

/** The numbers of the inbox, told to members who follow them. */

/** Each change is counted a second time, 2 s after the first; by then nothing is counted any more (milliseconds). */
const QUIET_MS = 5_000;

const numbers = (client: RealtimeClient): ConversationCounts[] =>
  client.frames.flatMap((frame) => (frame.type === 'counts' ? [frame.data] : []));
const latest = (client: RealtimeClient) => expect.poll(() => numbers(client).at(-1), { timeout: 60_000 });

it('tells the numbers when they change, to each member its own, and to nobody who has not asked', async () => {
  const { url, token, rest, visitor } = await startConversation();
  const [widget] = (await rest('GET', '/api/v1/widgets/')).json;
  const other = (await rest('POST', '/api/v1/widgets/', {})).json;
  const restricted = await operator(url, rest, [other.uuid]);
  const program = await rest('POST', '/api/v1/tokens/', { name: 'desk', scopes: ['conversations:read'] });
  const owner = await connect(url, { token }, { counts: true });
  const colleague = await connect(url, { token: restricted.token }, { counts: true });
  const secondTab = await connect(url, { token: restricted.token }, { counts: true });
  const silent = [
    await connect(url, { token }),
    await connect(url, { token: program.json.token }, { counts: true }),
  ];
  await latest(owner).toMatchObject({ open: 0, unassigned: 0 });
  await latest(colleague).toMatchObject({ open: 0, widgets: { [other.uuid]: 0 } });

  const ada = await visitor(other.token);
  await ada.say('Hello');
  await latest(owner).toMatchObject({ open: 1, waiting: 1, unread: 1 });
  await latest(colleague).toMatchObject({ open: 1, waiting: 1, unread: 1, widgets: { [other.uuid]: 1 } });

  await rest('PATCH', `/api/v1/conversations/${ada.room.uuid}/`, {
    assignee: restricted.uuid,
    is_unread: false,
  });
  await latest(owner).toMatchObject({ open: 1, mine: 0, unassigned: 0, unread: 0 });
  for (const tab of [colleague, secondTab]) {
    await latest(tab).toMatchObject({ open: 1, mine: 1, unassigned: 0, unread: 1 });
  }
  // What only the member itself has read.
  await rest('PATCH', `/api/v1/conversations/${ada.room.uuid}/`, { is_unread: true });
  await latest(owner).toMatchObject({ unread: 1 });

  const counts = (await rest('GET', '/api/v1/conversations/counts/')).json;
  expect(numbers(owner).at(-1)).toEqual(counts);
  expect(counts.widgets).toEqual({ [widget.uuid]: 0, [other.uuid]: 1 });
  // Each time they were others.
  const told = numbers(owner).map((data) => JSON.stringify(data));
  expect(told.filter((text, at) => text === told[at - 1])).toEqual([]);
  for (const client of silent) expect(numbers(client)).toEqual([]);
});

it('tells what a member sees from now on, and widgets that come and go', async () => {
  const settings = await sharedSettings();
  const { url, rest, visitor } = await startConversation(settings);
  const second = await startServerProcess(settings);
  const [widget] = (await rest('GET', '/api/v1/widgets/')).json;
  const other = (await rest('POST', '/api/v1/widgets/', {})).json;
  const member = await operator(url, rest, null);
  const rooms = [await visitor(), await visitor(other.token), await visitor(other.token)];
  for (const room of rooms) await room.say('Hello');
  const desk = await connect(second.url, { token: member.token }, { counts: true });
  await latest(desk).toMatchObject({ open: 3, widgets: { [widget.uuid]: 1, [other.uuid]: 2 } });
  /** Nothing is counted any more that was said before. */
  const change = async (method: string, path: string, body?: object) => {
    await sleep(QUIET_MS);
    expect((await rest(method, path, body)).status).toBeLessThan(300);
  };
  const same = async () => {
    const asked = await caller(url, `Token ${member.token}`)('GET', '/api/v1/conversations/counts/');
    expect(numbers(desk).at(-1)).toEqual(asked.json);
  };
  await change('PATCH', `/api/v1/members/${member.uuid}/`, { widgets: [widget.uuid] });
  await latest(desk).toMatchObject({ open: 1, widgets: { [widget.uuid]: 1 } });
  await same();
  await change('PATCH', `/api/v1/members/${member.uuid}/`, { role: 'admin' });
  await latest(desk).toMatchObject({ open: 3, widgets: { [widget.uuid]: 1, [other.uuid]: 2 } });
  await same();
  await change('DELETE', `/api/v1/widgets/${other.token}/`);
  await expect.poll(() => numbers(desk).at(-1)?.widgets, { timeout: 60_000 }).toEqual({ [widget.uuid]: 1 });
  await same();
  const third = await rest('POST', '/api/v1/widgets/', {});
  await latest(desk).toMatchObject({ widgets: { [third.json.uuid]: 0 } });
  await same();
});

it('tells what another server process was told', async () => {
  const settings = await sharedSettings();
  const { url, token, visitor, rest } = await startConversation(settings);
  const second = await startServerProcess(settings);
  const client = await connect(second.url, { token }, { counts: true });
  await latest(client).toMatchObject({ open: 0 });
  const ada = await visitor();
  await ada.say('Hello');
  await latest(client).toMatchObject({ open: 1, waiting: 1 });
  await rest('PATCH', `/api/v1/conversations/${ada.room.uuid}/`, { status: 'done' });
  await latest(client).toMatchObject({ open: 0, waiting: 0 });
  // What no event tells: what a member has read, and a room that is gone.
  const client2 = await connect(url, { token }, { counts: true });
  await rest('PATCH', `/api/v1/conversations/${ada.room.uuid}/`, { status: 'open', is_unread: false });
  for (const each of [client, client2]) await latest(each).toMatchObject({ open: 1, unread: 0 });
  await rest('PATCH', `/api/v1/conversations/${ada.room.uuid}/`, { is_unread: true });
  for (const each of [client, client2]) await latest(each).toMatchObject({ open: 1, unread: 1 });
  await sleep(QUIET_MS);
  await rest('DELETE', `/api/v1/rooms/${ada.room.label}/`);
  for (const each of [client, client2]) await latest(each).toMatchObject({ open: 0, unread: 0 });
});
