import { randomUUID } from 'node:crypto';
import type { CommandSucceededEvent } from 'mongodb';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';

/** A conversation with more leads than its line in the index has room for. */

const app = testApp();
let token = '';
let id = '';

beforeAll(async () => {
  ({ token, id } = await app.account());
  // The walk through what was there before the index reads leads, too.
  const { searchProgress } = app.services.models;
  await vi.waitFor(async () => expect(await searchProgress.exists({ is_done: true })).not.toBeNull(), 20_000);
});

/** A conversation with leads, each with a word of its own, the last one the latest; and what tells of the last one. */
const withLeads = async (count: number) => {
  const body = { name: 'Many leads' };
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body })).json.uuid as string;
  // What tells of the room is through: it would make a line of the leads as well.
  const own = { kind: 'conversation' as const, subjects: room };
  await vi.waitFor(
    async () => expect(await app.services.models.searchSegments.countDocuments(own)).toBe(1),
    20_000,
  );
  const word = `lead${randomUUID().slice(0, 8)}`;
  const leads = Array.from({ length: count }, (_, n) => ({
    _id: randomUUID() as string,
    account: id,
    widget: '',
    room,
    nickname: `${word}n${n}`,
    email: '',
    phone_number: '',
    device: '',
    from_page_title: '',
    referrer: '',
    created_at: new Date(Date.now() - 1_000_000 + n * 1_000),
    version: 1,
  }));
  await app.services.models.leads.collection.insertMany(leads as never[]);
  const tell = async () => {
    const last = leads.at(-1);
    const event = newEvent('lead.added', id, new Date(), { uuid: last?._id }, { room });
    await app.services.searchIndex.consume([event]);
    await app.services.searchIndex.flush();
  };
  return { room, word, leads, tell };
};

const found = async (word: string) => {
  const path = `/api/v1/search/?kind=conversation&q=${word}`;
  return (await app.request('GET', path, { token })).json.map(({ uuid }: any) => uuid);
};
const indexed = (word: string) =>
  app.services.models.searchSegments.countDocuments({ kind: 'conversation', lines: { $regex: `${word} ` } });

it('is found by the 50 that were left last, and no more are read of it', async () => {
  const { room, word, tell } = await withLeads(120);
  const read: number[] = [];
  const listen = ({ reply }: CommandSucceededEvent) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: unknown[]; nextBatch?: unknown[] } };
    if (cursor?.ns.endsWith('.leads')) read.push((cursor.firstBatch ?? cursor.nextBatch ?? []).length);
  };
  const client = app.services.connection.getClient();
  client.on('commandSucceeded', listen);
  onTestFinished(() => void client.off('commandSucceeded', listen));
  await tell();
  client.off('commandSucceeded', listen);
  expect(Math.max(...read)).toBe(50);
  expect([await found(`${word}n119`), await found(`${word}n70`)]).toEqual([[room], [room]]);
  expect(await found(`${word}n69`)).toEqual([]);
  const [segment] = await app.services.models.searchSegments
    .find({ kind: 'conversation', subjects: room, lines: { $regex: `${word}n119 ` } })
    .lean();
  expect(segment?.subjects.length).toBe(51);
});

it('keeps no word of a lead that is deleted, whether it is among them or not', async () => {
  const { room, word, leads, tell } = await withLeads(60);
  await tell();
  const remove = async (n: number) => {
    const path = `/api/v1/leads/${leads[n]?._id}/`;
    expect((await app.request('DELETE', path, { token })).status).toBe(204);
  };
  await remove(3);
  expect(await indexed(`${word}n3`)).toBe(0);
  expect(await found(`${word}n59`)).toEqual([room]);
  await remove(59);
  expect(await indexed(`${word}n59`)).toBe(0);
  // The one that has moved up is found instead.
  expect(await found(`${word}n9`)).toEqual([room]);
  expect(await found(`${word}n8`)).toEqual([]);
});

it('keeps no word of a lead that others have displaced since', async () => {
  const { word, leads, tell } = await withLeads(50);
  await tell();
  expect(await indexed(`${word}n0`)).toBe(1);
  const later = leads.map((lead, n) => ({
    ...lead,
    _id: randomUUID(),
    nickname: `later${n}`,
    created_at: new Date(),
  }));
  await app.services.models.leads.collection.insertMany(later as never[]);
  await tell();
  await app.services.earlierObjects.sweep(new Date(Date.now() + 3_600_000));
  const path = `/api/v1/leads/${leads[0]?._id}/`;
  expect((await app.request('DELETE', path, { token })).status).toBe(204);
  expect(await indexed(`${word}n0`)).toBe(0);
});
