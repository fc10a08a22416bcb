import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { expect, it } from 'vitest';
import { type Answer, testApp } from './app.ts';

/** Several filters of a list together: the rarest says what is looked at, and what of that for one page has a bound. */

const app = testApp();

/** What each `find` of a collection examines, while `work` runs. */
const examinedBy = async <T>(collection: string, work: () => Promise<T>) => {
  const { connection } = app.services;
  const client = connection.getClient();
  const commands: object[] = [];
  const listen = ({ command }: CommandStartedEvent) => {
    // Not what goes on in the background, nor single documents.
    if (command.find !== collection || !command.sort || !command.filter.account) return;
    const { find, filter, sort, projection, limit, skip, hint } = command;
    commands.push({ find, filter, sort, projection, limit, ...(skip && { skip }), ...(hint && { hint }) });
  };
  client.on('commandStarted', listen);
  const result = await work().finally(() => client.off('commandStarted', listen));
  let examined = 0;
  for (const command of commands) {
    const explained = await connection.db?.command({ explain: command, verbosity: 'executionStats' });
    examined += explained?.executionStats.totalDocsExamined;
  }
  return { result, examined, queries: commands.length };
};

const COMMON = 400;
const RARE = 3;
const SECOND_MS = 1_000;

/** What one page looks at (docs/limits.md), by the index before, and more than that; and the ends that are met twice. */
const MOST_EXAMINED = 2 * 10_000 + 10;
const MANY = 6_000;

const nextOf = ({ headers }: Pick<Answer, 'headers'>): string | undefined =>
  /<https?:\/\/[^/]+([^>]+)>/.exec(headers.link ?? '')?.[1];

const deliveryOf = (account: string, webhook: string) => (state: string, event: string, n: number) => ({
  _id: randomUUID(),
  account,
  webhook,
  event,
  state,
  subscription: { uuid: webhook, event, target: 'http://example.com/' },
  event_id: randomUUID(),
  body: '{}',
  tries: 1,
  attempts: [],
  created_at: new Date(Date.now() - n * SECOND_MS),
});

it('deliveries are looked at along the filter that fewest have, whichever it is', async () => {
  const { token, id: account } = await app.account();
  const webhook = randomUUID();
  const delivery = deliveryOf(account, webhook);
  const fill = (count: number, state: string, event: string) =>
    Array.from({ length: count }, (_, n) => delivery(state, event, n));
  await app.services.models.deliveries.collection.insertMany([
    ...fill(COMMON, 'delivered', 'message.added'),
    ...fill(RARE, 'failed', 'message.added'),
    ...fill(RARE, 'delivered', 'chat.added'),
  ] as never);
  for (const [query, found] of [
    ['state=delivered&event=lead.changed', 0],
    ['state=delivered&event=chat.added', RARE],
    ['state=failed&event=message.added', RARE],
    ['state=failed&event=chat.added', 0],
    [`webhook=${webhook}&event=lead.changed`, 0],
    [`webhook=${webhook}&event=chat.added`, RARE],
    [`webhook=${webhook}&state=delivered&event=chat.added`, RARE],
    [`webhook=${webhook}&state=failed&event=message.added`, RARE],
  ] as const) {
    const { result, examined, queries } = await examinedBy('deliveries', () =>
      app.request('GET', `/api/v1/deliveries/?${query}`, { token }),
    );
    expect([query, result.status, result.json.length, queries]).toEqual([query, 200, found, 1]);
    expect([query, examined <= RARE]).toEqual([query, true]);
  }
});

it('conversations are looked at along the filter that fewest have, in every order and over all pages', async () => {
  const { token, id: account, widget } = await app.account();
  const me = (await app.request('GET', '/api/v1/members/me/', { token })).json.uuid;
  const { visitor, room } = await app.session(widget);
  const said = { body: 'Hi', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { visitor, body: said });
  const conversations = app.services.connection.collection('conversations');
  await expect.poll(() => conversations.countDocuments({ account })).toBe(1);
  const template = await conversations.findOne({ account });
  const widgetId = template?.widget;
  const member = randomUUID();
  const conversation = (n: number, more: object) => {
    const at = new Date(Date.now() - n * SECOND_MS);
    const times = { created_at: at, updated_at: at, rank: at };
    const common = {
      rating: 5,
      status: 'done',
      waiting_on: null,
      assignee: null,
      tags: ['common'],
      unread: [],
    };
    return { ...template, _id: randomUUID(), ...common, ...times, ...more };
  };
  const rare = Array.from({ length: RARE }, (_, n) =>
    conversation(n * 90, {
      rating: 1,
      assignee: member,
      status: n === 0 ? 'open' : 'done',
      unread: [me, member],
    }),
  );
  const common = Array.from({ length: COMMON }, (_, n) => conversation(n, {}));
  await conversations.deleteMany({ account });
  await conversations.insertMany([...rare, ...common] as never);
  const rooms = app.services.models.rooms.collection;
  const like = await rooms.findOne({ account });
  const roomOf = ({ _id }: { _id: string }) => ({ ...like, _id, label: _id, events: [] });
  await rooms.insertMany(rare.map(roomOf) as never);
  for (const order of ['waiting', 'updated']) {
    for (const [query, found] of [
      ['tag=common&rating=1', RARE],
      ['tag=common&rating=2', 0],
      [`tag=common&assignee=${member}`, RARE],
      [`rating=5&assignee=${member}`, 0],
      [`tag=common&rating=1&assignee=none&widget=${widgetId}`, 0],
      ['tag=common&is_unread=true&rating=2', 0],
      ['is_unread=true', RARE],
      ['is_unread=true&tag=common', RARE],
      ['is_unread=true&status=done', RARE - 1],
    ] as const) {
      const path = `/api/v1/conversations/?order=${order}&${query}`;
      const { result, examined } = await examinedBy('conversations', () =>
        app.request('GET', path, { token }),
      );
      expect([path, result.status, result.json.length]).toEqual([path, 200, found]);
      expect([path, examined <= RARE]).toEqual([path, true]);
    }
    for (const query of ['tag=common&rating=1', 'is_unread=true']) {
      const seen: string[] = [];
      let path: string | undefined = `/api/v1/conversations/?order=${order}&${query}&limit=1`;
      while (path) {
        const page = await app.request('GET', path, { token });
        seen.push(...page.json.map(({ uuid }: { uuid: string }) => uuid));
        path = nextOf(page);
      }
      expect(seen).toEqual(rare.map(({ _id }) => _id));
    }
  }
});

it('pages of filters that hardly meet end after what they have looked at, and lead on', async () => {
  const { token, id: account } = await app.account();
  const webhook = randomUUID();
  const delivery = deliveryOf(account, webhook);
  const both = [delivery('delivered', 'chat.added', 50), delivery('delivered', 'chat.added', 4 * MANY)];
  const { collection } = app.services.models.deliveries;
  for (let from = 0; from < MANY; from += 2_000) {
    const some = Array.from({ length: 2_000 }, (_, n) => [
      delivery('delivered', 'message.added', 2 * (from + n)),
      delivery('failed', 'chat.added', 2 * (from + n) + 1),
    ]).flat();
    // Some of the same moment, as where a page may end.
    await collection.insertMany([...some, ...some.map((one) => ({ ...one, _id: randomUUID() }))] as never);
  }
  await collection.insertMany(both as never);
  for (const filters of [
    'state=delivered&event=chat.added',
    `webhook=${webhook}&state=delivered&event=chat.added`,
  ]) {
    const pages: string[][] = [];
    for (let path: string | undefined = `/api/v1/deliveries/?${filters}`; path; ) {
      const asked: string = path;
      const { result, examined } = await examinedBy('deliveries', () => app.request('GET', asked, { token }));
      expect(result.status).toBe(200);
      expect([asked, examined <= MOST_EXAMINED]).toEqual([asked, true]);
      pages.push(result.json.map(({ id }: { id: string }) => id));
      path = nextOf(result);
    }
    expect(pages).toEqual(both.map(({ _id }) => [_id]));
  }
});
