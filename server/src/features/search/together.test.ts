import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';
import { createLog } from '../../platform/log.ts';
import { createSearch } from './create-search.ts';

const app = testApp();

it('reads what was changed 100 objects at a time, of however many accounts', async () => {
  const { models } = app.services;
  const accounts = await Promise.all([app.account(), app.account()]);
  const notes = accounts.flatMap(({ id, widget }) =>
    Array.from({ length: 130 }, () => ({
      ...{ _id: randomUUID(), account: id, widget, room: randomUUID(), body: 'a note' },
      ...{ created_at: new Date(), updated_at: new Date(), version: 1 },
    })),
  );
  await models.notes.collection.insertMany(notes as never[]);
  const unfinishedImports = { without: (find: (others: object) => Promise<never[]>) => find({}) };
  const parts = { models, leases: {} as never, unfinishedImports, log: createLog('silent') };
  const { index } = createSearch(parts);
  for (const { _id: uuid, account, room, widget } of notes) {
    await index.consume([newEvent('note.changed', account, new Date(), { uuid }, { room, widget })]);
  }
  const read: number[] = [];
  const count = ({ command }: CommandStartedEvent) => {
    if (command.find === 'notes' && command.projection.body) read.push(command.filter._id.$in.length);
  };
  const client = models.notes.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  await index.flush();
  expect(read).toEqual([100, 30, 70, 60]);
  for (const { id } of accounts) {
    const segments = await models.searchSegments.find({ account: id, kind: 'note' }).lean();
    expect(segments.reduce((sum, { count: lines }) => sum + lines, 0)).toBe(130);
  }
});
