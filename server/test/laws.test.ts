import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { testApp } from './app.ts';
import { type Fixtures, makeFixtures } from './fixtures.ts';

/** What holds for every object and every input, by fast-check. */

const app = testApp();
const RUNS = { numRuns: 40 };
let own: Fixtures;

beforeAll(async () => {
  own = await makeFixtures(app);
});

const send = (method: string, path: string, body?: unknown) =>
  app.request(method, path, { token: own.token, ...(body !== undefined && { body }) });

/** Well-formed text without NUL, of every script. */
const words = (max: number) =>
  fc
    .string({ unit: 'binary', maxLength: max })
    .filter((text) => !text.includes('\0') && !/\p{Surrogate}/u.test(text));

const room = fc.record(
  {
    name: words(60),
    rating: fc.option(fc.integer({ min: 1, max: 5 }), { nil: null }),
    is_bot_use: fc.boolean(),
  },
  { requiredKeys: [] },
);
const lead = fc.record({
  nickname: words(40).map((text) => `x${text}`),
  device: words(60),
  referrer: words(60),
});
const widget = fc.record(
  { name: words(60), header_title: words(60), popup_timeout: fc.integer({ min: 0, max: 86_400 }) },
  { requiredKeys: [] },
);

const paths = () => ({
  rooms: `/api/v1/rooms/${own.room.label}/`,
  leads: `/api/v1/leads/${own.ids.leads}/`,
  widgets: `/api/v1/widgets/${own.ids.widgets}/`,
});

describe.each([
  ['rooms', room],
  ['leads', lead],
  ['widgets', widget],
] as const)('%s', (resource, input) => {
  it('PATCH of nothing changes nothing; PUT of what GET gave changes nothing', async () => {
    await fc.assert(
      fc.asyncProperty(input as fc.Arbitrary<object>, async (fields) => {
        const path = paths()[resource];
        const changed = await send('PATCH', path, fields);
        expect(changed.status).toBe(200);
        expect((await send('PATCH', path, {})).json).toEqual(changed.json);
        const put = await send('PUT', path, changed.json);
        expect([put.status, put.text]).toEqual([200, changed.text]);
      }),
      RUNS,
    );
  });

  it('PATCH sets what is sent, normalised, and leaves the rest', async () => {
    await fc.assert(
      fc.asyncProperty(input as fc.Arbitrary<object>, async (fields) => {
        const path = paths()[resource];
        const before = (await send('PATCH', path, {})).json;
        const sent = Object.fromEntries(
          Object.entries(fields).map(([name, value]) => [
            name,
            typeof value === 'string' ? value.normalize('NFC') : value,
          ]),
        );
        expect((await send('PATCH', path, fields)).json).toEqual({ ...before, ...sent });
      }),
      RUNS,
    );
  });
});

describe('lists', () => {
  it('are their pages joined, whatever the page size and days', async () => {
    const account = await app.account();
    const day = 86_400_000;
    const first = Date.UTC(2026, 0, 1);
    await app.services.models.leads.insertMany(
      Array.from({ length: 60 }, (_, n) => ({
        _id: `00000000-0000-7000-8000-${String((n * 7) % 60).padStart(12, '0')}`,
        nickname: `lead ${n}`,
        email: '',
        phone_number: '',
        device: '',
        from_page_title: '',
        referrer: '',
        // Many of one moment, some at the very ends of a day.
        created_at: new Date(first + Math.floor(n / 6) * day + (n % 3 === 0 ? day - 1 : 0)),
        account: account.id,
        widget: '',
        version: 1,
      })),
    );
    const get = (path: string) => app.request('GET', path, { token: account.token });
    const whole = (await get('/api/v1/leads/')).json as { uuid: string; created_at: string }[];
    expect(whole).toHaveLength(60);
    const isoDay = (n: number) => new Date(first + n * day).toISOString().slice(0, 10);
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 61 }),
        fc.integer({ min: 0, max: 10 }),
        fc.integer({ min: 0, max: 10 }),
        async (limit, one, other) => {
          const [from, to] = [Math.min(one, other), Math.max(one, other)].map(isoDay) as [string, string];
          const found: object[] = [];
          let path: string | undefined = `/api/v1/leads/?limit=${limit}&start_date=${from}&end_date=${to}`;
          while (path) {
            const answer = await get(path);
            expect(answer.json.length).toBeLessThanOrEqual(limit);
            found.push(...answer.json);
            const next = /^<([^>]+)>/.exec(answer.headers.link ?? '')?.[1];
            path = next && new URL(next).pathname + new URL(next).search;
          }
          const wanted = whole.filter(({ created_at }) => {
            const on = created_at.slice(0, 10);
            return on >= from && on <= to;
          });
          expect(found).toEqual(wanted);
        },
      ),
      RUNS,
    );
  });

  it('refuse any cursor that was not handed out, and never fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 40 }), async (text) => {
        const cursor = encodeURIComponent(text.replace(/\p{Surrogate}/gu, '?'));
        expect((await send('GET', `/api/v1/rooms/?cursor=${cursor}`)).status).toBe(400);
      }),
      RUNS,
    );
  });
});

describe('texts', () => {
  it('come back as they were sent, after NFC', async () => {
    await fc.assert(
      fc.asyncProperty(words(200), async (text) => {
        const body = `.${text}`;
        const made = await send('POST', '/api/v1/messages/', { body, room: { uuid: own.room.uuid } });
        expect([made.status, made.json.body]).toEqual([201, body.normalize('NFC')]);
        expect((await send('GET', `/api/v1/messages/${made.json.uuid}/`)).json.body).toBe(made.json.body);
      }),
      RUNS,
    );
  });
});
