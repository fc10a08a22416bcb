import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

const app = testApp();

it('drops what passes while too much of it waits for the database, and tells again afterwards', async () => {
  const { channel, models } = app.services;
  const account = randomUUID();
  const pass = () => channel.pass({ name: 'typing', account, room: 'r', data: { is_typing: true } });
  await Promise.all(Array.from({ length: 3_000 }, pass));
  expect(await models.realtimeEntries.countDocuments({ account })).toBe(1_000);
  await pass();
  expect(await models.realtimeEntries.countDocuments({ account })).toBe(1_001);
});
