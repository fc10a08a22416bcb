import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';

/** What events tell is gathered, and written before they leave their documents. */

const app = testApp();

const said = (account: string, room: string, body: string, at = new Date()) => {
  const data = { uuid: randomUUID() as string, body, sent_at: at.toISOString(), room: { uuid: room } };
  return newEvent('message.added', account, at, data, { room });
};
const stored = async (word: string) => {
  const found = await app.services.models.searchSegments.find({ lines: { $regex: word } }).lean();
  return found.reduce((sum, { count }) => sum + count, 0);
};

it('many rounds of many accounts are written with one command', async () => {
  const { searchIndex, models } = app.services;
  const accounts = [(await app.account()).id, (await app.account()).id];
  await searchIndex.flush();
  let inserts = 0;
  const count = ({ command }: CommandStartedEvent) => {
    if (command.insert === 'searchsegments') inserts++;
  };
  const client = models.searchSegments.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  for (let n = 0; n < 40; n++) {
    for (const account of accounts) await searchIndex.consume([said(account, randomUUID(), `gathered${n}`)]);
  }
  expect(inserts).toBe(0);
  await searchIndex.flush();
  expect(inserts).toBe(1);
  expect(await stored('gathered')).toBe(80);
});

it('what is much is written at once', async () => {
  const { id } = await app.account();
  const long = () => Array.from({ length: 270 }, () => randomUUID()).join(' ');
  for (let n = 0; n < 130; n++)
    await app.services.searchIndex.consume([said(id, randomUUID(), `much ${long()}`)]);
  expect(await stored(' much ')).toBeGreaterThan(50);
});

it('events stay in their documents while their words cannot be written, and are found then', async () => {
  const { token } = await app.account();
  const { models } = app.services;
  const room = (await app.request('POST', '/api/v1/rooms/', { token, body: {} })).json;
  await app.services.searchIndex.flush();
  const { collection } = models.searchSegments;
  const failing = vi.spyOn(collection, 'insertMany').mockRejectedValue(new Error('not now'));
  onTestFinished(() => failing.mockRestore());
  const body = { body: 'patience', room: { uuid: room.uuid } };
  const { uuid } = (await app.request('POST', '/api/v1/messages/', { token, body })).json;
  await vi.waitFor(() => expect(failing).toHaveBeenCalled(), { timeout: 60_000 });
  expect(await models.messages.countDocuments({ _id: uuid, 'events.name': 'message.added' })).toBe(1);
  failing.mockRestore();
  const path = '/api/v1/search/?q=patience&kind=message';
  await expect
    .poll(async () => (await app.request('GET', path, { token })).json, { timeout: 60_000 })
    .toHaveLength(1);
  await expect
    .poll(() => models.messages.countDocuments({ _id: uuid, events: { $exists: true } }), { timeout: 60_000 })
    .toBe(0);
});

it('what is told of a conversation after its erasure is not written, and what is said in it anew is', async () => {
  const { id } = await app.account();
  const { searchIndex, models } = app.services;
  const room = randomUUID();
  await searchIndex.consume([said(id, room, 'forgotten before')]);
  await searchIndex.forget(room);
  await searchIndex.consume([said(id, room, 'forgotten late')]);
  // Also where the clock was put back in between.
  const anew = said(id, room, 'forgotten never', new Date(Date.now() - 3_600_000));
  const _id = (anew.data as { uuid: string }).uuid;
  await models.messages.collection.insertOne({ _id, account: id } as never);
  await searchIndex.consume([anew]);
  await searchIndex.flush();
  expect(await stored('forgotten')).toBe(1);
  expect(await stored('forgotten never')).toBe(1);
});

it('nothing is written of an account that is gone', async () => {
  const { searchIndex } = app.services;
  await searchIndex.consume([said(randomUUID(), randomUUID(), 'nobody')]);
  await searchIndex.flush();
  expect(await stored('nobody')).toBe(0);
});

it('a conversation whose document is damaged keeps the words of nobody else back', async () => {
  const { searchIndex, models } = app.services;
  const { id } = await app.account();
  const damaged = {
    _id: randomUUID(),
    account: id,
    widget: '',
    name: '',
    label: 'damaged',
    created_at: null,
  };
  await models.rooms.collection.insertOne(damaged as never);
  const data = { uuid: damaged._id, label: damaged.label };
  await searchIndex.consume([newEvent('chat.added', id, new Date(), data, { room: damaged._id })]);
  await searchIndex.consume([said(id, randomUUID(), 'unscathed')]);
  await searchIndex.flush();
  expect(await stored('unscathed')).toBe(1);
});
