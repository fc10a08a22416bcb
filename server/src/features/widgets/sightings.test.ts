import { setTimeout as sleep } from 'node:timers/promises';
import { Sighting } from '@parlor/shared';
import type { CommandStartedEvent } from 'mongodb';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { PATIENCE } from '../../../test/mailed-account.ts';
import { testMembers } from '../../../test/members.ts';

const app = testApp();
const { member } = testMembers(app);
let token = '';
let stranger = '';
let first: { uuid: string; token: string };

beforeAll(async () => {
  const account = await app.account();
  token = account.token;
  stranger = (await app.account()).token;
  [first] = (await app.request('GET', '/api/v1/widgets/', { token })).json;
});

const make = async (settings = {}): Promise<{ uuid: string; token: string }> =>
  (await app.request('POST', '/api/v1/widgets/', { token, body: settings })).json;
const view = (widget: { token: string }, origin?: string) =>
  app.request('GET', `/api/v1/widgets/?token=${widget.token}`, { headers: origin ? { origin } : {} });
const list = async (query = '', as = token): Promise<Sighting[]> =>
  (await app.request('GET', `/api/v1/sightings/${query}`, { token: as })).json;
const of = ({ uuid }: { uuid: string }, as = token) => list(`?widget=${uuid}`, as);
/** Whatever was to be written, is. */
const settled = async () => {
  await app.services.sightings.stop();
  app.services.sightings.start();
};

it('says on which sites a widget is, and since when', async () => {
  const before = Date.now();
  await view(first, 'https://shop.example.com');
  const [seen] = await vi.waitFor(async () => {
    const found = await of(first);
    if (found.length === 0) throw new Error('not seen yet');
    return found;
  }, PATIENCE);
  expect(Object.keys(seen ?? {})).toEqual(Object.keys(Sighting.shape));
  expect(seen).toMatchObject({ widget: first.uuid, origin: 'https://shop.example.com' });
  expect(Date.parse(seen?.first_seen_at ?? '')).toBeGreaterThanOrEqual(before);
  expect(seen?.last_seen_at).toBe(seen?.first_seen_at);
  expect(await list()).toEqual([seen]);
});

it('notes pages of sites alone, and those that the domain allows', async () => {
  const widget = await make({ domain: 'https://example.com' });
  for (const origin of [
    'https://elsewhere.test',
    'https://example.com.evil.test',
    'null',
    'file://example.com',
    'https://example.com/path',
    'https://EXAMPLE.com',
    `https://${'a'.repeat(300)}.example.com`,
  ]) {
    await view(widget, origin);
  }
  await view(widget);
  await app.request('GET', `/api/v1/widgets/?token=${widget.token}`, {
    token,
    headers: { origin: 'https://own.example.com' },
  });
  await view(widget, 'http://www.example.com:8080');
  await settled();
  expect((await of(widget)).map(({ origin }) => origin)).toEqual(['http://www.example.com:8080']);
});

it('is written at most every five minutes, and keeps since when', async () => {
  const widget = await make();
  const writes: unknown[] = [];
  const listen = ({ command }: CommandStartedEvent) => {
    if (command.update === 'sightings') writes.push(command);
  };
  const client = app.services.connection.getClient();
  client.on('commandStarted', listen);
  onTestFinished(() => void client.off('commandStarted', listen));
  for (let n = 0; n < 10; n++) await view(widget, 'https://often.test');
  await settled();
  for (let n = 0; n < 10; n++) await view(widget, 'https://often.test');
  await settled();
  expect(writes).toHaveLength(1);

  // Another process, or this one later.
  const long = new Date(Date.now() - 86_400_000);
  const both = { first_seen_at: long, last_seen_at: long };
  const { sightings } = app.services.models;
  await sightings.updateOne({ widget: widget.uuid, origin: 'https://often.test' }, { $set: both });
  // The cache of what is known asks the clock once a millisecond.
  await sleep(2);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 301_000);
  const later = await view(widget, 'https://often.test');
  clock.mockRestore();
  expect(later.status).toBe(200);
  await settled();
  const [seen, ...others] = await of(widget);
  expect(others).toEqual([]);
  expect(Date.parse(seen?.first_seen_at ?? '')).toBe(long.getTime());
  expect(Date.parse(seen?.last_seen_at ?? '')).toBeGreaterThan(long.getTime());
});

it('comes in pages, newest site first', async () => {
  const widget = await make();
  for (const name of ['a', 'b', 'c']) {
    await view(widget, `https://${name}.test`);
    await settled();
  }
  const page = await app.request('GET', `/api/v1/sightings/?widget=${widget.uuid}&limit=2`, { token });
  expect(page.json.map(({ origin }: Sighting) => origin)).toEqual(['https://c.test', 'https://b.test']);
  const next = /<http[^>]*?(\/api[^>]*)>/.exec(page.headers.link ?? '')?.[1] ?? '';
  const rest = await app.request('GET', next, { token });
  expect(rest.json.map(({ origin }: Sighting) => origin)).toEqual(['https://a.test']);
  expect((await app.request('GET', '/api/v1/sightings/?widget=1', { token })).status).toBe(400);
});

it('is shown to whoever sees the widget', async () => {
  const other = await make();
  for (const widget of [first, other]) await view(widget, 'https://both.test');
  await settled();
  const { token: restricted } = await member(token, 'operator', { widgets: [other.uuid] });
  expect((await list('', restricted)).map(({ widget }) => widget)).toEqual([other.uuid]);
  expect([await of(first, restricted), await of(first, stranger), await list('', stranger)]).toEqual([
    [],
    [],
    [],
  ]);
});

it('goes with its widget, also where a page was seen meanwhile', async () => {
  const widget = await make();
  await view(widget, 'https://a.test');
  await settled();
  await view(widget, 'https://b.test');
  await app.request('DELETE', `/api/v1/widgets/${widget.token}/`, { token });
  await settled();
  expect(await app.services.models.sightings.countDocuments({ widget: widget.uuid })).toBe(0);
});
