import { randomUUID } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import { startGatedDatabase } from './database-gate.ts';
import { startConversation } from './realtime-parts.ts';

const TOGETHER = 20;

it('what is acknowledged is there, when a connection to the database breaks with it', async () => {
  const { gate, settings, database } = await startGatedDatabase();
  const { rest, visitor } = await startConversation({ ...settings, DATABASE_TIMEOUT: '2s' });
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
    // Until the server has seen the database again it answers 503 without asking it.
    await expect
      .poll(async () => (await rest('GET', '/api/v1/rooms/')).status, { timeout: 60_000 })
      .toBe(200);
    const statuses = answers.map(({ status }) => status);
    expect([collection, statuses.filter((status) => status !== 201 && status !== 503)]).toEqual([
      collection,
      [],
    ]);
    expect([collection, statuses]).toEqual([collection, expect.arrayContaining([503])]);
    for (const { status, json } of answers) {
      if (status !== 201) continue;
      const made = `/api/v1/${path}/${json.label ?? json.uuid}/`;
      await expect.poll(async () => [made, (await rest('GET', made)).status]).toEqual([made, 200]);
    }

    // Stored, and answered 503 since nobody knows: the same request again finds it.
    const text = randomUUID();
    const once = () => rest('POST', `/api/v1/${path}/`, body(text), { 'idempotency-key': text });
    gate.shutAfter(isInsert);
    expect([collection, (await once()).status]).toEqual([collection, 503]);
    gate.reopen();
    await vi.waitFor(async () => expect([collection, (await once()).status]).toEqual([collection, 201]), {
      timeout: 60_000,
    });
    const stored = await database.collection(collection).find().toArray();
    const found = stored.filter((one) => JSON.stringify(one).includes(text));
    expect([collection, found.length]).toEqual([collection, 1]);
  }
});
