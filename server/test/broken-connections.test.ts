import { randomUUID } from 'node:crypto';
import mongoose from 'mongoose';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { startGate } from './database-gate.ts';
import { startConversation } from './realtime-parts.ts';

const TOGETHER = 20;

it('what is acknowledged is there, when a connection to the database breaks with it', async () => {
  const gate = await startGate();
  const dbName = `parlor_test_${randomUUID().slice(0, 8)}`;
  onTestFinished(async () => {
    const connection = await mongoose.createConnection(inject('mongodbUrl'), { dbName }).asPromise();
    await connection.dropDatabase();
    await connection.close();
  });
  const { rest, visitor } = await startConversation({
    MONGODB_URL: `mongodb://127.0.0.1:${gate.port}/${dbName}?directConnection=true`,
    SECRET_KEY: 'a secret key for the tests only, 40 long',
    DATABASE_TIMEOUT: '2s',
  });
  const ada = await visitor();
  await ada.say('Hello');
  const { uuid: room } = ada.room;
  const writes: [collection: string, path: string, body: (text: string) => object][] = [
    ['messages', 'messages', (body) => ({ body, room: { uuid: room } })],
    ['notes', `conversations/${room}/notes`, (body) => ({ body })],
    ['rooms', 'rooms', (label) => ({ label })],
    ['leads', 'leads', (nickname) => ({ nickname })],
    ['keywords', 'keywords', (keyword) => ({ keyword })],
  ];

  for (const [collection, path, body] of writes) {
    const isInsert = new RegExp(`insert\0.{4}${collection}\0`, 's');
    gate.shutAt(isInsert);
    const answers = await Promise.all(
      Array.from({ length: TOGETHER }, () => rest('POST', `/api/v1/${path}/`, body(randomUUID()))),
    );
    gate.reopen();
    const statuses = answers.map(({ status }) => status);
    expect([collection, statuses.filter((status) => status !== 201 && status !== 503)]).toEqual([
      collection,
      [],
    ]);
    expect([collection, statuses]).toEqual([collection, expect.arrayContaining([503])]);
    for (const { status, json } of answers) {
      if (status !== 201) continue;
      const made = `/api/v1/${path}/${json.label ?? json.uuid}/`;
      await vi.waitFor(async () => expect([made, (await rest('GET', made)).status]).toEqual([made, 200]));
    }
  }
}, 60_000);
