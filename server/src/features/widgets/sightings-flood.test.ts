import { setTimeout as sleep } from 'node:timers/promises';
import type { Sighting } from '@parlor/shared';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import { MAX_NEW_OF_ADDRESS } from './newcomers.ts';
import { MAX_ORIGINS } from './sites-that-stay.ts';

/** Anybody can make up sites of a widget: its token stands in the pages that it is on. */

const app = testApp({ TRUST_PROXY: '1', PUBLIC_URL: 'https://chat.example.com' });
let token = '';
let tests = 0;

beforeAll(async () => {
  ({ token } = await app.account());
});

interface Widget {
  uuid: string;
  token: string;
}

const make = async (): Promise<Widget> => {
  tests++;
  return (await app.request('POST', '/api/v1/widgets/', { token, body: {} })).json;
};
const address = (n: number) => `198.51.${tests}.${n}`;
const view = async (widget: Widget, origin: string, client: string) => {
  const headers = { origin, 'x-forwarded-for': client };
  const { status } = await app.request('GET', `/api/v1/widgets/?token=${widget.token}`, { headers });
  expect(status).toBe(200);
};
const of = async ({ uuid }: Widget): Promise<Sighting[]> =>
  (await app.request('GET', `/api/v1/sightings/?widget=${uuid}`, { token })).json;
const originsOf = async (widget: Widget) => (await of(widget)).map(({ origin }) => origin);
/** Whatever was to be written, is. */
const settled = async () => {
  await app.services.sightings.stop();
  app.services.sightings.start();
};
const SHOP = 'https://shop.example.com';

/** A site of a widget with a first sighting `hours` before its last one, an hour ago. */
const seenFor = async (widget: Widget, origin: string, hours: number, client: string) => {
  await view(widget, origin, client);
  await settled();
  const last_seen_at = new Date(Date.now() - 3_600_000);
  const first_seen_at = new Date(last_seen_at.getTime() - hours * 3_600_000);
  const { sightings } = app.services.models;
  const changed = await sightings.updateOne(
    { widget: widget.uuid, origin },
    { $set: { first_seen_at, last_seen_at } },
  );
  expect(changed.matchedCount).toBe(1);
};

it('an address adds no more than 5 sites to a widget in a day, and keeps nobody else from it', async () => {
  const [widget, other] = [await make(), await make()];
  await view(widget, SHOP, address(1));
  await settled();
  const many = Array.from({ length: 300 }, (_, n) => `https://f${n}.test`);
  await Promise.all(many.map((origin) => view(widget, origin, address(2))));
  await view(other, 'https://other.test', address(3));
  await view(widget, 'https://new.test', address(1));
  await settled();
  for (const origin of many.slice(0, 30)) {
    await view(widget, origin, address(2));
    await settled();
  }
  const origins = await originsOf(widget);
  expect(origins).toContain(SHOP);
  expect(origins).toContain('https://new.test');
  expect(origins).toHaveLength(MAX_NEW_OF_ADDRESS + 2);
  expect(await originsOf(other)).toEqual(['https://other.test']);
  await view(other, 'https://second.test', address(2));
  await settled();
  expect(await originsOf(other)).toHaveLength(2);
});

it('counts IPv6 by its /48', async () => {
  const widget = await make();
  for (let n = 0; n < 10; n++) {
    await view(widget, `https://f${n}.test`, `2001:db8:${tests}:${n}::1`);
    await settled();
  }
  expect(await originsOf(widget)).toHaveLength(MAX_NEW_OF_ADDRESS);
});

it('an address that may add no more still tells of those that are there', async () => {
  const widget = await make();
  await seenFor(widget, SHOP, 24, address(1));
  for (let n = 0; n < 10; n++) {
    await view(widget, `https://f${n}.test`, address(1));
    await settled();
  }
  expect(await originsOf(widget)).toHaveLength(MAX_NEW_OF_ADDRESS);
  // The caches ask the clock once a millisecond.
  await sleep(2);
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 301_000);
  onTestFinished(() => clock.mockRestore());
  const before = Date.now();
  await view(widget, SHOP, address(1));
  clock.mockRestore();
  await settled();
  const shop = (await of(widget)).find(({ origin }) => origin === SHOP);
  expect(Date.parse(shop?.last_seen_at ?? '')).toBeGreaterThanOrEqual(before);
});

it('a site that was seen for long outranks any number of those that were seen once', async () => {
  const widget = await make();
  await seenFor(widget, SHOP, 24, address(1));
  for (let n = 0; n < MAX_ORIGINS + 10; n++) await view(widget, `https://f${n}.test`, address(n + 2));
  await settled();
  const origins = await originsOf(widget);
  expect(origins).toHaveLength(MAX_ORIGINS);
  expect(origins).toContain(SHOP);
});

it('a new site is listed beside as many that were seen for long as may be', async () => {
  const widget = await make();
  for (let n = 0; n < MAX_ORIGINS; n++)
    await seenFor(widget, `https://long${n}.test`, n + 24, address(n + 2));
  await view(widget, SHOP, address(1));
  await settled();
  const origins = await originsOf(widget);
  expect(origins).toHaveLength(MAX_ORIGINS);
  expect(origins).toContain(SHOP);
  // That one goes of those that were seen over the shortest times.
  expect(origins).toContain(`https://long${MAX_ORIGINS - 1}.test`);
});
