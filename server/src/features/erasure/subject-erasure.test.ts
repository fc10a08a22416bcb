import { mongo } from 'mongoose';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { decodeLines } from '../search/lines.ts';

const app = testApp();

it('erases in every other collection where one has too much to be done in time', async () => {
  const { id, widget } = await app.account();
  const { visitor, room } = await app.session(widget);
  const body = { body: 'lighthouse', room: { uuid: room.uuid } };
  const headers = { 'idempotency-key': 'once' };
  expect((await app.request('POST', '/api/v1/messages/', { visitor, headers, body })).status).toBe(201);
  const { models } = app.services;
  const indexed = async () => {
    const segments = await models.searchSegments.find({ account: id }).lean();
    return segments.flatMap(decodeLines).flatMap(({ words }) => words);
  };
  await expect.poll(indexed, { timeout: 20_000 }).toContain('lighthouse');
  const late = new mongo.MongoServerError({ message: 'operation exceeded time limit', code: 50 });
  const failing = vi
    .spyOn(models.deliveries, 'updateMany')
    .mockImplementation((() => Promise.reject(late)) as never);
  const erase = () => app.request('DELETE', `/api/v1/widgets/${widget}/sessions/`, { visitor });
  expect((await erase()).status).toBe(503);
  expect(failing).toHaveBeenCalled();
  expect(await indexed()).toEqual([]);
  expect(JSON.stringify(await models.idempotency.find().lean())).not.toContain('lighthouse');
  failing.mockRestore();
});
