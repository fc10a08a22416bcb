import { randomUUID } from 'node:crypto';
import type { CommandStartedEvent } from 'mongodb';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';

/** The numbers of the side bar look at what they count, however much else there is. */

const app = testApp();
const people = testMembers(app);

const SEEN = 150;
const UNSEEN = 150;
const FEW = 5;
/** A database looks a little beyond the ends of what it counts. */
const BEYOND = 3;

const TAGS = ['vip', 'refund', 'bug'];

let token = '';
let widgets: [string, string, string] = ['', '', ''];
let like: object = {};

const patch = (uuid: string, body: object) =>
  app.request('PATCH', `/api/v1/conversations/${uuid}/`, { token, body });

const many = (count: number, fields: object) =>
  Array.from({ length: count }, () => ({ ...like, _id: randomUUID(), unread: [], ...fields }));

beforeAll(async () => {
  const account = await app.account();
  token = account.token;
  const { visitor, room } = await app.session(account.widget);
  const said = { body: 'Hi', room: { uuid: room.uuid } };
  await app.request('POST', '/api/v1/messages/', { visitor, body: said });
  const tagged = async () => expect((await patch(room.uuid, { tags: TAGS })).status).toBe(200);
  await vi.waitFor(tagged, { timeout: 60_000 });
  const { inbox } = app.services.models;
  const found = await inbox.findOne({ account: account.id }, { events: 0 }).lean();
  like = { ...found };
  const made = [];
  for (let n = 0; n < 2; n++) made.push((await app.request('POST', '/api/v1/widgets/', { token })).json.uuid);
  widgets = [found?.widget ?? '', made[0], made[1]];
  await inbox.collection.insertMany([
    ...many(UNSEEN, { widget: widgets[0], assignee: null }),
    ...many(SEEN, { widget: widgets[1], assignee: randomUUID(), tags: [] }),
    ...many(FEW, { widget: widgets[1], assignee: null }),
  ] as never);
});

/** How many entries of an index each count looks at, while `work` runs. */
const lookedAtBy = async <T>(work: () => Promise<T>) => {
  const { connection } = app.services;
  const client = connection.getClient();
  const commands: object[] = [];
  const listen = ({ command }: CommandStartedEvent) => {
    if (command.aggregate !== 'conversations') return;
    const { aggregate, pipeline, cursor, hint } = command;
    commands.push({ aggregate, pipeline, cursor, hint });
  };
  client.on('commandStarted', listen);
  const result = await work().finally(() => client.off('commandStarted', listen));
  const lookedAt: number[] = [];
  for (const explain of commands) {
    const explained = await connection.db?.command({ explain, verbosity: 'executionStats' });
    // MongoDB tells it of a part of an aggregation.
    const { executionStats } = explained?.stages?.[0].$cursor ?? explained;
    lookedAt.push(executionStats.totalKeysExamined);
  }
  return { result, lookedAt };
};

describe.each([1, 2])('of a member who sees %i widgets of three', (count) => {
  it('looks at nothing of the others, nor at what is not counted', async () => {
    const seen = widgets.slice(1, 1 + count);
    const member = await people.member(token, 'operator', { widgets: seen });
    const { collection } = app.services.models.inbox;
    // Unread, and its own, from before it was restricted.
    const earlier = { widget: widgets[0], assignee: member.uuid, unread: [member.uuid] };
    await collection.insertMany(many(UNSEEN, earlier) as never);
    const { result, lookedAt } = await lookedAtBy(() =>
      app.request('GET', '/api/v1/conversations/counts/', { token: member.token }),
    );
    const numbers = {
      open: SEEN + FEW,
      mine: 0,
      unassigned: FEW,
      waiting: SEEN + FEW,
      unread: 0,
      snoozed: 0,
      widgets: Object.fromEntries(seen.map((widget, at) => [widget, at === 0 ? SEEN + FEW : 0])),
      tags: Object.fromEntries(TAGS.map((tag) => [tag, FEW])),
    };
    expect(result.json).toEqual(numbers);
    const { widgets: inWidgets, tags, ...others } = numbers;
    const all = [...Object.values(others), ...Object.values(inWidgets), ...Object.values(tags)];
    expect(lookedAt).toHaveLength(all.length);
    const most = all.reduce((sum, number) => sum + number + BEYOND, 0);
    expect(lookedAt.reduce((sum, keys) => sum + keys, 0)).toBeLessThanOrEqual(most);
  });
});
