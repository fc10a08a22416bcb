import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { testMembers } from '../../../test/members.ts';
import { ConversationStatisticsService } from './statistics.ts';

const app = testApp();
const people = testMembers(app);

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 0, 10);
const DAYS = 'start_date=2026-01-10&end_date=2026-01-12';

interface Begun {
  widget: string;
  /** Milliseconds after START. */
  at: number;
  /** Seconds until the first answer. */
  answered?: number;
  rating?: number;
}

/** Conversations as they stand in the database. */
const begin = (account: string, all: readonly Begun[]) =>
  app.services.models.inbox.insertMany(
    all.map(({ widget, at, answered, rating }) => {
      const created_at = new Date(START + at);
      const first = answered === undefined ? null : new Date(START + at + answered * 1_000);
      return {
        ...{ _id: randomUUID(), account, widget, label: randomUUID(), status: 'open', created_at },
        ...{ first_response_at: first, rating: rating ?? null, tags: [], unread: [], heard: {}, version: 1 },
        ...{ updated_at: created_at, rank: created_at, assignee: null },
      };
    }),
  );

const stats = async (token: string, query: string) =>
  (await app.request('GET', `/api/v1/conversations/stats/?${query}`, { token })).json;

const accountWithWidget = async () => {
  const { id, token } = await app.account();
  const [{ uuid }] = (await app.request('GET', '/api/v1/widgets/', { token })).json;
  return { id, token, widget: uuid as string };
};

const none = { total: 0, answered: 0, first_response: null, rated: 0, rating: null };

it('says how many began, how soon they were answered and how they were rated, day by day', async () => {
  const { id, token, widget } = await accountWithWidget();
  const other = (await app.request('POST', '/api/v1/widgets/', { token })).json.uuid;
  expect(await stats(token, DAYS)).toEqual({
    start_date: '2026-01-10',
    end_date: '2026-01-12',
    ...none,
    first_response_90: null,
    ratings: [0, 0, 0, 0, 0],
    results: ['2026-01-10', '2026-01-11', '2026-01-12'].map((day) => ({ day, ...none })),
  });
  await begin(id, [
    { widget, at: -1, answered: 1, rating: 1 },
    { widget, at: 0, answered: 60, rating: 5 },
    { widget, at: DAY_MS - 1, answered: 600 },
    { widget: other, at: DAY_MS - 2, rating: 4 },
    { widget, at: 2 * DAY_MS, answered: -3, rating: 4 },
    { widget, at: 3 * DAY_MS, answered: 1, rating: 1 },
  ]);
  const first = { day: '2026-01-10', total: 3, answered: 2, first_response: 60, rated: 2, rating: 4.5 };
  const last = { day: '2026-01-12', total: 1, answered: 1, first_response: 0, rated: 1, rating: 4 };
  expect(await stats(token, DAYS)).toEqual({
    ...{ start_date: '2026-01-10', end_date: '2026-01-12', total: 4, answered: 3, first_response: 60 },
    ...{ first_response_90: 600, rated: 3, rating: 4.33, ratings: [0, 0, 0, 2, 1] },
    results: [first, { day: '2026-01-11', ...none }, last],
  });
  expect(await stats(token, `${DAYS}&widget=${other}`)).toMatchObject({ total: 1, answered: 0, rating: 4 });
});

it('leaves out a rating that is none of the five, as an import of an older version has stored it', async () => {
  const { id, token, widget } = await accountWithWidget();
  const stored = [7, 0, -1, 2.5, 1_000, 4];
  await begin(
    id,
    stored.map((rating) => ({ widget, at: 0, rating })),
  );
  expect(await stats(token, DAYS)).toMatchObject({
    ...{ total: 6, rated: 1, rating: 4, ratings: [0, 0, 0, 1, 0] },
    results: [{ total: 6, rated: 1, rating: 4 }, none, none],
  });
});

it('counts for a member what it sees, for a stranger nothing, and by default the month', async () => {
  const { id, token, widget } = await accountWithWidget();
  const other = (await app.request('POST', '/api/v1/widgets/', { token })).json.uuid;
  const today = Date.now() - START;
  await begin(id, [
    { widget, at: 0 },
    { widget: other, at: 0 },
    { widget, at: today },
  ]);
  const grace = await people.member(token, 'operator', { widgets: [other] });
  const stranger = await app.account();
  const total = async (as: string, query: string) => (await stats(as, query)).total;
  expect(await total(grace.token, DAYS)).toBe(1);
  expect(await total(grace.token, `${DAYS}&widget=${widget}`)).toBe(0);
  expect(await total(stranger.token, DAYS)).toBe(0);
  expect(await total(stranger.token, `${DAYS}&widget=${widget}`)).toBe(0);
  expect(await total(token, '')).toBe(1);
});

it('refuses what is too much, and what are no days', async () => {
  const { id, token, widget } = await accountWithWidget();
  const errors = async (query: string) => Object.keys(await stats(token, query));
  expect(await errors('start_date=2001-01-01&end_date=2026-01-01')).toEqual(['start_date']);
  expect(await errors('start_date=2026-01-02&end_date=2026-01-01')).toEqual(['start_date']);
  expect(await errors('end_date=yesterday')).toEqual(['end_date']);
  expect(await errors('widget=mine')).toEqual(['widget']);
  await begin(
    id,
    Array.from({ length: 3 }, (_, at) => ({ widget, at })),
  );
  const few = new ConversationStatisticsService(app.services.models.inbox, 2);
  const days = { from: new Date(START), until: new Date(START + DAY_MS) };
  await expect(few.count(id, async () => ({ account: id, widgets: undefined }), days)).rejects.toMatchObject({
    fields: { start_date: ['There are more than 2 conversations in these days: ask for fewer days.'] },
  });
});
