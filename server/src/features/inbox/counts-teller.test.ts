import { expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import type { Connection } from '../realtime/connection.ts';
import { ConnectionIndex } from '../realtime/connection-index.ts';
import type { InboxCounts } from './counts.ts';
import { CountsTeller } from './counts-teller.ts';

const app = testApp();

/** Tells these of one account, with such counts. */
const tellerOf = (all: readonly object[], counts: Pick<InboxCounts, 'of' | 'shared'>): CountsTeller => {
  const connections = new ConnectionIndex();
  connections.members = () => all as Connection[];
  const onEntry = () => undefined;
  const teller = new CountsTeller({ connections, onEntry, onRecount: onEntry }, counts, app.services.log);
  onTestFinished(() => teller.stop());
  return teller;
};

it('counts what members see alike once for all of them', async () => {
  const { inboxCounts } = app.services;
  const sent: string[] = [];
  const all = Array.from({ length: 60 }, (_, n) => ({
    viewer: {
      side: 'person',
      account: 'a',
      member: `m${n % 30}`,
      widgets: n < 40 ? undefined : ['w'],
      followsCounts: true,
    },
    isLive: true,
    send: (text: string) => sent.push(text),
  }));
  let shared = 0;
  const counts = {
    shared: (...asked: Parameters<typeof inboxCounts.shared>) => {
      shared++;
      return inboxCounts.shared(...asked);
    },
    of: inboxCounts.of.bind(inboxCounts),
  };
  const teller = tellerOf(all, counts);
  teller.changed('a');
  await vi.waitFor(() => expect(sent).toHaveLength(60), { timeout: 60_000 });
  expect(shared).toBe(2);
});

it('counts again after a count that failed, without waiting for the next change', async () => {
  const { inboxCounts } = app.services;
  const sent: string[] = [];
  const viewer = { side: 'person', account: 'a', member: 'm', widgets: undefined, followsCounts: true };
  const connection = { viewer, isLive: true, send: (text: string) => sent.push(text) };
  const all = [connection];
  let failures = 2;
  const counts = {
    shared: inboxCounts.shared.bind(inboxCounts),
    of: async (...asked: Parameters<typeof inboxCounts.of>) => {
      if (failures-- > 0) throw new Error('the database is away');
      return inboxCounts.of(...asked);
    },
  };
  const teller = tellerOf(all, counts);
  teller.changed('a');
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
  expect(JSON.parse(sent[0] ?? '')).toMatchObject({ type: 'counts', data: { open: 0 } });
});

it('tells others of each change while one member’s count fails, and tries that seldom', async () => {
  const { inboxCounts } = app.services;
  let told = 0;
  let tried = 0;
  const connectionOf = (member: string) => ({
    viewer: { side: 'person', account: 'a', member, widgets: undefined, followsCounts: true },
    isLive: true,
    send: () => {
      told++;
      teller.changed('a');
    },
  });
  const all = [connectionOf('ada'), connectionOf('bob')];
  const counts = {
    shared: inboxCounts.shared.bind(inboxCounts),
    of: async (...asked: Parameters<typeof inboxCounts.of>) => {
      if (asked[1] === 'bob' && tried++ >= 0) throw new Error('it took too long');
      return { ...(await inboxCounts.of(...asked)), open: told };
    },
  };
  const teller = tellerOf(all, counts);
  teller.changed('a');
  await vi.waitFor(() => expect(told).toBe(3), { timeout: 60_000 });
  expect(tried).toBeLessThan(3);
});

it('tries what failed since the database was away more often than what takes too long', async () => {
  const { inboxCounts } = app.services;
  const tries = { away: 0, slow: 0 };
  const sent: string[] = [];
  const connectionOf = (member: string) => ({
    viewer: { side: 'person', account: 'a', member, widgets: undefined, followsCounts: true },
    isLive: true,
    send: (text: string) => sent.push(text),
  });
  const all = [connectionOf('away'), connectionOf('slow')];
  const counts = {
    shared: inboxCounts.shared.bind(inboxCounts),
    of: async (...asked: Parameters<typeof inboxCounts.of>) => {
      const isSlow = asked[1] === 'slow';
      const count = isSlow ? ++tries.slow : ++tries.away;
      if (isSlow) throw new Error('it took too long');
      if (count <= 3) throw Object.assign(new Error('away'), { name: 'MongoServerSelectionError' });
      return inboxCounts.of(...asked);
    },
  };
  const teller = tellerOf(all, counts);
  teller.changed('a');
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000 });
  expect(tries.away).toBe(4);
  expect(tries.slow).toBeLessThan(3);
});
