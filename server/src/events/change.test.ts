import { expect, it } from 'vitest';
import { testApp } from '../../test/app.ts';
import type { StoredRoom } from '../features/rooms/rooms.model.ts';
import { changeDocument } from './change.ts';

/** Changes of one document by compare-and-set. */

const app = testApp();

it('what was decided of a document is not written into another one of its id, though that counts as many writes', async () => {
  const { token } = await app.account();
  const { uuid } = (await app.request('POST', '/api/v1/rooms/', { token, body: { name: 'old' } })).json;
  const { rooms } = app.services.models;
  const decided: string[] = [];
  await changeDocument<StoredRoom>(rooms, { _id: uuid }, async (current) => {
    decided.push(current.name);
    if (decided.length === 1) {
      await rooms.deleteOne({ _id: uuid });
      const created_at = new Date(current.created_at.getTime() + 1);
      await rooms.collection.insertOne({ ...current, name: 'new', created_at } as never);
    }
    return { set: { name: `${current.name}, changed` } };
  });
  expect(decided).toEqual(['old', 'new']);
  expect((await rooms.findOne({ _id: uuid }).lean())?.name).toBe('new, changed');
});
