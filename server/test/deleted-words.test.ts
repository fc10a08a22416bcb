import { randomUUID } from 'node:crypto';
import { newIdempotencyKey } from '@parlor/shared/idempotency-key';
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { EventLogEntry } from '../src/features/realtime/event-log.model.ts';
import { testApp } from './app.ts';
import { documentsWith } from './everything.ts';

/** What is left of an object that somebody deletes by itself: no word of it, but for its name in the audit trail. */

const app = testApp();
let word = '';
let pattern = /./;
let token = '';
let widget = '';

beforeAll(async () => {
  ({ token, widget } = await app.account());
});

beforeEach(() => {
  word = `canary${randomUUID().slice(0, 8)}`;
  pattern = new RegExp(word, 'i');
});

const call = async (method: string, path: string, body?: object, key?: string) => {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await app.request(method, `/api/v1${path}`, { token, headers, ...(body && { body }) });
  expect(answer.status, answer.text).toBeLessThan(300);
  return answer;
};

const found = async (): Promise<string[]> => {
  const all = await documentsWith(app.services, pattern);
  return all.filter((text) => !text.startsWith('auditentries') && !isAudited(text));
};

/** What waits to be moved into the audit trail. */
const isAudited = (text: string): boolean => text.startsWith('tombstones') && !text.includes('"note.');

const notesPath = async (): Promise<string> => {
  const { visitor, room } = await app.session(widget);
  const body = { body: 'Hello', room: { uuid: room.uuid } };
  expect((await app.request('POST', '/api/v1/messages/', { visitor, body })).status).toBe(201);
  await expect
    .poll(async () => (await app.request('GET', `/api/v1/conversations/${room.uuid}/`, { token })).status)
    .toBe(200);
  return `/conversations/${room.uuid}/notes/`;
};

const nodesWith = (text: string) => [
  { id: 's', type: 'start', greeting: text, next: 'm' },
  { id: 'm', type: 'message', text: `Dear ${text}`, next: null },
];

it.each<[string, () => Promise<string>, (text: string) => object]>([
  ['note', notesPath, (body) => ({ body })],
  ['saved reply', async () => '/replies/', (text) => ({ name: text, shortcut: text, body: text })],
  ['keyword', async () => '/keywords/', (keyword) => ({ keyword })],
  ['lead', async () => '/leads/', (text) => ({ nickname: text, email: `${text}@x.example` })],
  ['room', async () => '/rooms/', (name) => ({ name })],
  ['workflow', async () => '/workflows/', (text) => ({ name: text, nodes: nodesWith(text) })],
  ['widget', async () => '/widgets/', (text) => ({ name: text, greeting_message: text })],
  [
    'webhook',
    async () => '/webhooks/',
    (text) => ({ event: 'message.added', target: `https://x.example/${text}` }),
  ],
])('leaves no word of a %s that was deleted', async (kind, place, bodyOf) => {
  const path = await place();
  const made = (await call('POST', path, bodyOf(word), newIdempotencyKey(Date.now()))).json;
  const address = `${path}${made.label ?? made.token ?? made.uuid}/`;
  if (kind !== 'keyword') await call('PATCH', address, bodyOf(`${word}-2`));
  expect(await found()).not.toEqual([]);
  await call('DELETE', address);
  // What is told of it at this moment goes within moments.
  await vi.waitFor(async () => expect(await found()).toEqual([]), { timeout: 10_000 });
});

it('leaves no word of a draft that was emptied', async () => {
  const path = (await notesPath()).replace('notes', 'draft');
  await call('PUT', path, { body: word });
  await call('PUT', path, { body: '' });
  expect(await found()).toEqual([]);
});

it('tells whoever repeats a note’s request after it was deleted, and brings it back for nobody', async () => {
  const path = await notesPath();
  const key = newIdempotencyKey(Date.now());
  const first = (await call('POST', path, { body: word }, key)).json;
  expect((await call('POST', path, { body: word }, key)).headers['idempotency-replayed']).toBe('true');
  await call('DELETE', `${path}${first.uuid}/`);
  const headers = { 'idempotency-key': key };
  const again = await app.request('POST', `/api/v1${path}`, { token, headers, body: { body: word } });
  expect([again.status, again.json]).toEqual([
    409,
    { detail: 'What was made under this Idempotency-Key has been deleted.' },
  ]);
  await vi.waitFor(async () => expect(await found()).toEqual([]), { timeout: 10_000 });
});

it('leaves no word of a note whose request ends, or whose event is told, only after it was deleted', async () => {
  const { channel, models } = app.services;
  const path = await notesPath();
  const { uuid } = (await call('POST', path, { body: word }, newIdempotencyKey(Date.now()))).json;
  const written = async () => (await models.realtimeEntries.findOne({ 'data.uuid': uuid }).lean())?.name;
  await expect.poll(written).toBe('note.added');
  const entry = (await models.realtimeEntries.findOne({ 'data.uuid': uuid }).lean()) as EventLogEntry;
  // As of a request that another process has not finished.
  await models.idempotency.updateOne({ object: uuid }, { $set: { subject: uuid } });
  await call('DELETE', `${path}${uuid}/`);
  await expect
    .poll(() => models.realtimeEntries.countDocuments({ name: 'note.deleted', 'data.uuid': uuid }))
    .toBe(1);
  // Another process tells it late.
  const { account, room = '', at, data = {} } = entry;
  await channel.consume([{ id: randomUUID(), name: 'note.added', account, at, room, data }]);
  await vi.waitFor(async () => expect(await found()).toEqual([]), { timeout: 10_000 });
  expect(channel.recent.after(0)?.filter(({ text }) => pattern.test(text))).toEqual([]);
});

it('announces nothing of a note that waits when it is deleted', async () => {
  const { tombstones } = app.services;
  const path = await notesPath();
  const bury = vi.spyOn(tombstones, 'bury');
  onTestFinished(() => bury.mockRestore());
  const { uuid } = (await call('POST', path, { body: word })).json;
  await call('DELETE', `${path}${uuid}/`);
  expect(bury.mock.calls).toHaveLength(1);
  expect(JSON.stringify(bury.mock.calls)).not.toMatch(pattern);
  await vi.waitFor(async () => expect(await found()).toEqual([]), { timeout: 10_000 });
});
