import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { Budgets } from '../../database/budgets.ts';
import { DailyCap } from './daily-cap.ts';

/** The notifications of a day count also where a visitor has its messages erased, or an owner deletes a conversation. */

const PATIENCE = { timeout: 60_000 };
const PER_DAY = 3;

const app = testApp({
  KEYWORD_NOTIFICATIONS_PER_DAY: String(PER_DAY),
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});

/** Each from another address, whose share is another test's (address-share.test.ts). */
let sent = 0;
const elsewhere = () => ({ 'x-forwarded-for': `198.51.100.${sent++}` });

const start = async () => {
  const { token, widget, id } = await app.account();
  await app.request('POST', '/api/v1/keywords/', { token, body: { keyword: 'refund' } });
  const { messages, notifications } = app.services.models;
  const say = async (visitor: string, uuid: string, count: number) => {
    for (let n = 0; n < count; n++) {
      const body = { body: `refund ${n}`, room: { uuid } };
      const write = { visitor, body, headers: elsewhere() };
      expect((await app.request('POST', '/api/v1/messages/', write)).status).toBe(201);
    }
    const waiting = { account: id, events: { $exists: true } };
    await vi.waitFor(async () => expect(await messages.countDocuments(waiting)).toBe(0), PATIENCE);
  };
  const raised = () => notifications.countDocuments({ account: id });
  const isErased = () => vi.waitFor(async () => expect(await raised()).toBe(0), PATIENCE);
  return { token, widget, id, say, raised, isErased };
};

it('are no more for a visitor that erases what it wrote and begins again', async () => {
  const { widget, id, say, raised, isErased } = await start();
  const all: number[] = [];
  for (let round = 0; round < 2 * PER_DAY; round++) {
    const { visitor, room } = await app.session(widget);
    await say(visitor, room.uuid, 4);
    all.push(await raised());
    const path = `/api/v1/widgets/${widget}/sessions/`;
    expect((await app.request('DELETE', path, { visitor })).status).toBe(204);
    await isErased();
  }
  // Then the first ones of conversations, as many again.
  expect(all).toEqual([3, 1, 1, 1, 0, 0]);

  // As another process comes to it, which says so as well.
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  const { notifications, usage } = app.services.models;
  const cap = new DailyCap({ notifications, budgets: new Budgets(usage) }, PER_DAY, log);
  expect(await cap.allowed(id, [{ uuid: 'one', room: 'new', askedFrom: [] }])).toEqual([]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ account: id, limit: PER_DAY }]);
});

it('are no more for a conversation that is begun anew', async () => {
  const { token, widget, say, raised, isErased } = await start();
  const [first, second] = [await app.session(widget), await app.session(widget)];
  await say(first.visitor, first.room.uuid, PER_DAY);
  await say(second.visitor, second.room.uuid, 2);
  expect(await raised()).toBe(PER_DAY + 1);
  for (const { room } of [first, second]) {
    expect((await app.request('DELETE', `/api/v1/rooms/${room.label}/`, { token })).status).toBe(204);
  }
  await isErased();
  await say(second.visitor, second.room.uuid, 2);
  expect(await raised()).toBe(0);
  const third = await app.session(widget);
  await say(third.visitor, third.room.uuid, 2);
  expect(await raised()).toBe(1);
});
