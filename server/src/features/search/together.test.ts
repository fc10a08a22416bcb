import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { newEvent } from '../../events/events.ts';
import { createLog } from '../../platform/log.ts';
import { createSearch } from './create-search.ts';

const app = testApp();

const changedNotes = async (count: number) => {
  const { models } = app.services;
  const accounts = await Promise.all([app.account(), app.account()]);
  const notes = accounts.flatMap(({ id, widget }) =>
    Array.from({ length: count }, () => ({
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
  const linesOf = async () => {
    const ids = accounts.map(({ id }) => id);
    const segments = await models.searchSegments.find({ account: { $in: ids }, kind: 'note' }).lean();
    return segments.reduce((sum, { count: lines }) => sum + lines, 0);
  };
  return { models, index, linesOf };
};

it('reads what was changed 100 objects at a time, of however many accounts', async () => {
  const { models, index, linesOf } = await changedNotes(130);
  const read: number[] = [];
  const count = ({ command }: CommandStartedEvent) => {
    if (command.find !== 'notes' || !command.projection.body) return;
    const { length } = command.filter._id.$in;
    // The server looks for none from time to time.
    if (length > 0) read.push(length);
  };
  const client = models.notes.db.getClient();
  client.on('commandStarted', count);
  onTestFinished(() => void client.off('commandStarted', count));
  await index.flush();
  expect(read).toEqual([100, 30, 70, 60]);
  expect(await linesOf()).toBe(260);
});

it('writes nothing twice where the disk has room for the first of it', async () => {
  const { models, index, linesOf } = await changedNotes(130);
  const { collection } = models.searchSegments;
  const insertMany = collection.insertMany.bind(collection) as (...given: unknown[]) => Promise<never>;
  let count = 0;
  const inserting = vi.spyOn(collection, 'insertMany').mockImplementation((async (...given: unknown[]) => {
    if (++count % 2 === 0)
      throw Object.assign(new Error('no space'), { name: 'MongoServerError', code: 14031 });
    return insertMany(...given);
  }) as never);
  onTestFinished(() => inserting.mockRestore());
  for (const written of [100, 200, 260]) {
    await index.flush().catch(() => undefined);
    expect(await linesOf()).toBe(written);
  }
});
