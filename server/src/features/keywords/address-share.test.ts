import { pino } from 'pino';
import { beforeEach, expect, it, vi } from 'vitest';
import { type TestAgent, testAgent } from '../../../test/agent.ts';
import { testApp } from '../../../test/app.ts';
import { Budgets } from '../../database/budgets.ts';
import { DailyCap } from './daily-cap.ts';

/** What one client address takes of the notifications that an account gets in a day, and what it leaves to others. */

const PATIENCE = { timeout: 60_000 };
const PER_DAY = 10;
const HALF = PER_DAY / 2;
/** Of an address, and of an IPv6 /48, once half of them are used up. */
const SHARE = 1;
const SHARE_OF_NETWORK = 4;

const app = testApp({
  KEYWORD_NOTIFICATIONS_PER_DAY: String(PER_DAY),
  TRUST_PROXY: '1',
  PUBLIC_URL: 'https://chat.example.com',
  REGISTRATION: 'open',
});

const FLOW = [
  { id: 's', type: 'start', greeting: 'Hello', next: 'm' },
  { id: 'm', type: 'faq', entries: [{ questions: ['when'], answer: 'Soon.' }] },
];
const ATTACKER = '198.51.100.1';
const from = (client: string) => ({ 'x-forwarded-for': client });

let agent: TestAgent;
beforeEach(async () => {
  agent = await testAgent(app, FLOW);
  await agent.rest('POST', 'keywords/', { keyword: 'refund' });
});

const settled = (): Promise<void> => {
  const waiting = { account: agent.account.id, events: { $exists: true } };
  return vi.waitFor(
    async () => expect(await app.services.models.messages.countDocuments(waiting)).toBe(0),
    PATIENCE,
  );
};
const raised = (room = {}) =>
  app.services.models.notifications.countDocuments({ account: agent.account.id, ...room });

/** Starts a number of conversations through the agent API, with one message in each. */
const asks = async (count: number, client: (n: number) => string): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const { conversationId } = (await agent.start({}, from(client(n)))).json;
    expect((await agent.say(conversationId, 'refund please', from(client(n)))).status).toBe(200);
  }
  await settled();
};

/** A visitor of the widget writes for the first time. @returns how many notifications that raised */
const writes = async (client: string): Promise<number> => {
  const { visitor, room } = await app.session(agent.account.widget);
  const body = { body: 'I want a refund', room: { uuid: room.uuid } };
  const sent = await app.request('POST', '/api/v1/messages/', { visitor, body, headers: from(client) });
  expect(sent.status).toBe(201);
  await settled();
  return raised({ room: room.uuid });
};

it('keeps nobody else back, however many conversations it starts', { timeout: 120_000 }, async () => {
  await asks(2 * PER_DAY + 5, () => ATTACKER);
  expect(await raised()).toBe(HALF);
  expect(await writes(ATTACKER)).toBe(0);
  for (let n = 1; n <= SHARE; n++) expect(await writes('203.0.113.7')).toBe(1);
  expect(await writes('203.0.113.7')).toBe(0);
  expect(await writes('203.0.113.8')).toBe(1);
});

it('counts the same in the widget, whenever its sessions were opened', { timeout: 120_000 }, async () => {
  for (let n = 0; n < HALF + 3; n++) expect(await writes(ATTACKER)).toBe(n < HALF ? 1 : 0);
  await asks(2, () => ATTACKER);
  expect(await raised()).toBe(HALF);
  expect(await writes('203.0.113.7')).toBe(1);
});

it('is an IPv6 /64, and a /48 has four times as many', { timeout: 120_000 }, async () => {
  await asks(HALF, (n) => `203.0.113.${n}`);
  await asks(SHARE + 3, (n) => `2001:db8:1:1::${n}`);
  expect(await raised()).toBe(HALF + SHARE);
  await asks(SHARE_OF_NETWORK + 3, (n) => `2001:db8:1:${n + 2}::1`);
  expect(await raised()).toBe(HALF + SHARE_OF_NETWORK);
  expect(await writes('2001:db8:2::1')).toBe(1);
});

it('does not limit what comes with a credential of the account', async () => {
  const { uuid } = (await agent.rest('POST', 'rooms/', {}, from(ATTACKER))).json;
  const others: string[] = [uuid];
  while (others.length <= HALF + 2) {
    others.push((await agent.rest('POST', 'rooms/', {}, from(ATTACKER))).json.uuid);
  }
  for (const room of others) {
    await agent.rest('POST', 'messages/', { body: 'refund', room: { uuid: room } }, from(ATTACKER));
  }
  await settled();
  expect(await raised()).toBe(others.length);
});

it('is known to other processes by its keyed hash alone, and to nobody afterwards', async () => {
  const { notifications, messages, usage, rooms } = app.services.models;
  const address = '2001:db8:77:5::1';
  const raise = vi.spyOn(app.services.notifications, 'raise');
  await asks(HALF, () => address);
  const askedFrom = raise.mock.calls.flatMap(([events]) =>
    events.flatMap(({ asked_from }) => asked_from ?? []),
  );
  const [own = '', network = ''] = askedFrom;
  expect(new Set(askedFrom)).toEqual(new Set([own, network]));
  const log = pino({ level: 'silent' });
  const other = new DailyCap({ notifications, budgets: new Budgets(usage) }, PER_DAY, log);
  const { id } = agent.account;
  const wanted = (uuid: string, ...from: string[]) => ({ uuid, room: uuid, askedFrom: from });
  const all = [wanted('one', own, network), wanted('two'), wanted('three', 'another')];
  expect((await other.allowed(id, all)).map(({ uuid }) => uuid)).toEqual(['two', 'three']);
  const booked = await usage.find({ _id: { $regex: own } }).lean();
  expect(booked.map(({ _id }) => _id.startsWith(`${id} `))).toEqual([true]);
  expect(booked[0]?.expires_at.getTime()).toBeLessThan(Date.now() + 2 * 86_400_000);
  await vi.waitFor(async () => {
    const left = [await messages.find().lean(), await notifications.find().lean(), await rooms.find().lean()];
    expect(JSON.stringify(left)).not.toMatch(new RegExp(`${own}|${network}|2001:db8:77`));
  }, PATIENCE);
});
