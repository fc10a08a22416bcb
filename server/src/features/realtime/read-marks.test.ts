import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { ReadMarks } from './read-marks.ts';

const app = testApp();

/** A conversation, what each side has not read of it, and how many messages were read to tell that. */
const conversation = async () => {
  const { token, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const { messages, models, relay } = app.services;
  let read = 0;
  const counting = {
    placeOf: messages.placeOf.bind(messages),
    outlineOf: async (uuid: string, limit: number) => {
      const found = await messages.outlineOf(uuid, limit);
      read += found.length;
      return found;
    },
  };
  const marks = new ReadMarks(models.readMarks, counting, relay);
  const said = async (by: { token: string } | { visitor: string }, times: number) => {
    for (let n = 0; n < times; n++) {
      const body = {
        body: 'Hello',
        room: { uuid: room.uuid },
        ...('token' in by && { is_support_sender: true }),
      };
      expect((await app.request('POST', '/api/v1/messages/', { ...by, body })).status).toBe(201);
    }
  };
  const unread = async (side: 'visitor' | 'person') => {
    read = 0;
    const [state] = await marks.states([room.uuid], side);
    return { unread: state?.unread, read };
  };
  return {
    unread,
    visitors: (times: number) => said({ visitor }, times),
    ours: (times: number) => said({ token }, times),
  };
};

it('reads no more messages than it takes to tell what is unread', async () => {
  const { unread, visitors, ours } = await conversation();
  await visitors(20);
  expect(await unread('visitor')).toEqual({ unread: 0, read: 8 });
  expect(await unread('person')).toEqual({ unread: 20, read: 28 });
  await ours(7);
  expect(await unread('visitor')).toEqual({ unread: 7, read: 8 });
  expect(await unread('person')).toEqual({ unread: 0, read: 8 });
  await ours(5);
  expect(await unread('visitor')).toEqual({ unread: 12, read: 40 });
});
