import { beforeAll, expect, it } from 'vitest';
import { testApp } from '../../../test/app.ts';

/** `GET /api/v1/leads/stats/` */

const app = testApp();
let token = '';

beforeAll(async () => {
  ({ token } = await app.account());
});

it('counts by each group, largest first, in the days asked for', async () => {
  const account = await app.account();
  const stats = (query: string) =>
    app.request('GET', `/api/v1/leads/stats/?${query}`, { token: account.token });
  const lead = (n: number, fields: object) => ({
    _id: `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`,
    nickname: '',
    email: '',
    phone_number: '',
    device: '',
    from_page_title: '',
    referrer: '',
    created_at: new Date('2026-03-01T23:59:59.999Z'),
    account: account.id,
    widget: '',
    version: 1,
    ...fields,
  });
  const widget = await app.services.widgets.firstOf(account.id);
  await app.services.models.leads.insertMany([
    lead(1, { nickname: 'Ada', email: 'a@x.test', widget: widget?._id }),
    lead(2, { nickname: 'Ada', device: 'a phone', created_at: new Date('2026-03-03T00:00:00Z') }),
    lead(3, { email: 'b@x.test', phone_number: '1', created_at: new Date('2026-03-03T12:00:00Z') }),
    lead(4, { phone_number: '2', created_at: new Date('2026-02-28T12:00:00Z') }),
  ]);
  const march = 'start_date=2026-03-01&end_date=2026-03-03';
  const base = { start_date: '2026-03-01', end_date: '2026-03-03', total: 3 };
  const byUser = {
    group_by: 'user',
    ...base,
    results: [
      { user: 'Ada', total: 2 },
      { user: 'b@x.test', total: 1 },
    ],
  };
  expect((await stats(march)).json).toEqual(byUser);
  expect((await stats(`group_by=user&${march}`)).json).toEqual(byUser);
  expect((await stats(`group_by=day&${march}`)).json.results).toEqual([
    { day: '2026-03-01', total: 1 },
    { day: '2026-03-02', total: 0 },
    { day: '2026-03-03', total: 2 },
  ]);
  expect((await stats(`group_by=device&${march}`)).json.results).toEqual([
    { device: '', total: 2 },
    { device: 'a phone', total: 1 },
  ]);
  expect((await stats(`group_by=widget&${march}`)).json.results).toEqual([
    { widget: '', name: '', total: 2 },
    { widget: widget?._id, name: widget?.name, total: 1 },
  ]);
  expect((await stats('end_date=2026-02-28')).json).toEqual({
    group_by: 'user',
    start_date: '2026-02-01',
    end_date: '2026-02-28',
    total: 1,
    results: [{ user: '2', total: 1 }],
  });
  expect((await stats(`limit=1&${march}`)).json).toEqual({ ...byUser, results: [byUser.results[0]] });
});

it('shows the current month by default', async () => {
  const today = new Date().toISOString().slice(0, 10);
  const answer = await app.request('GET', '/api/v1/leads/stats/?group_by=day', { token });
  expect(answer.json).toMatchObject({ start_date: `${today.slice(0, 8)}01`, end_date: today });
  expect(answer.json.results).toHaveLength(Number(today.slice(8)));
});

it.each(['group_by=', 'group_by=month', 'group_by=$nickname', 'start_date=x', 'group_by=user&group_by=day'])(
  'answers 400 to %s',
  async (query) => {
    expect((await app.request('GET', `/api/v1/leads/stats/?${query}`, { token })).status).toBe(400);
  },
);

it('names the groups that there are, and refuses more days than can be shown', async () => {
  const stats = async (query: string) =>
    (await app.request('GET', `/api/v1/leads/stats/?${query}`, { token })).json;
  expect((await stats('group_by=x')).group_by[0]).toMatch(
    /user, day, device, referrer, from_page_title, widget/,
  );
  expect(Object.keys(await stats('group_by=day&start_date=0001-01-01'))).toEqual(['start_date']);
  expect((await stats('start_date=0001-01-01')).start_date).toBe('0001-01-01');
});
