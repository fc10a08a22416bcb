import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { holdLastPage } from './hold-answer.ts';

/** Lists of which only what is near to the view is in the page. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };
const COUNT = 200;

// What is said in an open conversation has keys, too.
const rows = (page: Page) => page.locator('li[data-index]');
const scroller = (page: Page) => page.locator('ul:has(> li[data-index])').locator('..');
const scrollTo = (page: Page, top: number) =>
  scroller(page).evaluate(async (element, wanted) => {
    element.scrollTop = wanted;
    // Drawn, measured, and drawn once more.
    for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
  }, top);

/** How many rows have been read, as the list itself says it. */
const read = async (page: Page): Promise<number> => {
  await scrollTo(page, 1e6);
  return Number((await rows(page).last().getAttribute('aria-posinset')) ?? (await rows(page).count()));
};

/** The row in the middle of what is seen: which it is, and where on the screen. */
const seen = (page: Page): Promise<{ key: string; top: number }> =>
  scroller(page).evaluate((element) => {
    const { top, height } = element.getBoundingClientRect();
    const all = [...element.querySelectorAll<HTMLElement>('li[data-index]')];
    const row = all.find((one) => one.getBoundingClientRect().bottom > top + height / 2);
    return { key: row?.dataset.key ?? '', top: Math.round(row?.getBoundingClientRect().top ?? 0) };
  });
const topOf = (page: Page, key: string): Promise<number> =>
  page.locator(`li[data-key="${key}"]`).evaluate((row) => Math.round(row.getBoundingClientRect().top));

/** An account with many conversations, of which some have tags and are higher than the rest. */
const startMany = async (count = COUNT) => {
  const console = await startConsole(openBrowser, {}, server());
  const { rest } = console;
  const rooms: string[] = [];
  const say = (uuid: string, body: string, more: object = {}) =>
    rest('POST', '/api/v1/messages/', {
      body,
      nickname: `Visitor ${rooms.indexOf(uuid)}`,
      ...more,
      room: { uuid },
    });
  while (rooms.length < count) {
    const made = Array.from({ length: 20 }, () => rest('POST', '/api/v1/rooms/', {}));
    const uuids = (await Promise.all(made)).map(({ json }) => json.uuid as string);
    rooms.push(...uuids);
    await Promise.all(uuids.map((uuid) => say(uuid, 'Hello')));
  }
  await expect
    .poll(async () => (await rest('GET', '/api/v1/conversations/counts/')).json.waiting, PATIENCE)
    .toBe(count);
  const tagged = rooms.filter((_, at) => at % 7 === 3);
  await rest('POST', '/api/v1/conversations/bulk/', {
    uuids: tagged,
    add_tags: ['delivery', 'a longer tag'],
  });
  const change = (uuid: string | undefined, fields: object) =>
    rest('PATCH', `/api/v1/conversations/${uuid}/`, fields);
  return { ...console, rooms, say, change };
};

/** A page with an inbox of 60 conversations, and the 46th of them. */
const openMany = async () => {
  const { open, signIn, rest } = await startMany(60);
  const at45 = (await rest('GET', '/api/v1/conversations/?status=open&limit=60')).json[45].uuid;
  const page = await open('inbox/all', { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  await rows(page).first().waitFor();
  return { page, at45 };
};

/** What is open is the 46th. */
const expectInView = (page: Page) => {
  const chosen = page.locator('li[data-index="45"] a[aria-current]');
  return expect
    .poll(() => chosen.evaluate((row) => row.getBoundingClientRect().bottom <= innerHeight), PATIENCE)
    .toBe(true);
};

it('paints what fills the screen first, and draws the rest at once, with what is chosen in view', async () => {
  const { page, at45 } = await openMany();
  await page.addInitScript(() => {
    const counts: number[] = [];
    Object.assign(globalThis, { counts });
    const look = () => {
      counts.push(document.querySelectorAll('li[data-index]').length);
      if (counts.at(-1) !== 60) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  });
  await page.goto(page.url().replace(/inbox.*/, `inbox/all/${at45}`));
  // The end is near, so that the next page is read, too.
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(60);
  const counts = await page.evaluate(() => (globalThis as unknown as { counts: number[] }).counts);
  // Rows are 68 pixels high.
  expect(counts.find((count) => count > 0)).toBe(Math.ceil(900 / 68) + 1);
  await expectInView(page);
});

it('has what is open in view, also where that was known before the list', async () => {
  const { page, at45 } = await openMany();
  const opened = page.waitForResponse((answer) => answer.url().endsWith(`/conversations/${at45}/`));
  await page.route(/\/conversations\/\?/, async (route) => {
    await (await opened).finished();
    await route.continue();
  });
  await page.goto(page.url().replace(/inbox.*/, `inbox/all/${at45}`));
  // The end is near, so that the next page is read, too.
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(60);
  await expectInView(page);
});

it('keeps the focus, the place and the selection in a list of which little is in the page', async () => {
  const { open, signIn, rest, rooms, say, change } = await startMany();
  const page = await open('inbox/all', { viewport: { width: 1_440, height: 900 } });
  let resync = (): void => undefined;
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    socket.connectToServer();
    resync = () => socket.send(JSON.stringify({ type: 'resync' }));
  });
  await page.reload();
  await signIn(page);
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(50);
  // The last page is held back: as long as there is more, nobody knows how many there are.
  const want = await holdLastPage(page, '**/api/v1/conversations/?*cursor=*');
  await expect.poll(() => read(page), PATIENCE).toBe(150);
  await expect.poll(() => rows(page).last().getAttribute('aria-setsize'), PATIENCE).toBe('-1');
  want();
  await expect.poll(() => read(page), PATIENCE).toBe(COUNT);
  expect(await rows(page).last().getAttribute('aria-setsize')).toBe(`${COUNT}`);
  expect(await rows(page).count()).toBeLessThan(40);

  // Where everything is read anew, whoever is at the end stays there.
  const anew = page.waitForResponse((answer) => /conversations\/\?(?!.*cursor)/.test(answer.url()));
  resync();
  await (await anew).finished();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await rows(page).last().getAttribute('aria-posinset')).toBe(`${COUNT}`);

  // What comes and goes further up moves nothing: two leave, and one goes to the end.
  await scrollTo(page, 7_000);
  const { key, top } = await seen(page);
  await change(rooms[2], { status: 'done' });
  await change(rooms[4], { status: 'done' });
  await say(rooms[5] as string, 'We do', { is_support_sender: true });
  await expect.poll(() => rows(page).first().getAttribute('aria-setsize'), PATIENCE).toBe(`${COUNT - 2}`);
  await expect.poll(() => topOf(page, key)).toBe(top);

  // The focus stays where it is, however far that is; Tab goes on from there.
  await scrollTo(page, 0);
  const focused = () => page.evaluate(() => document.activeElement?.closest<HTMLElement>('li')?.dataset.key);
  await rows(page).nth(3).getByRole('link').focus();
  const third = await focused();
  const fourth = await rows(page).nth(4).getAttribute('data-key');
  await scrollTo(page, 7_000);
  expect(await focused()).toBe(third);
  await scrollTo(page, 0);
  expect(await focused()).toBe(third);
  expect(await topOf(page, third as string)).toBeGreaterThan(0);
  await scrollTo(page, 7_000);
  await page.keyboard.press('Tab');
  expect(await focused()).toBe(fourth);
  await expect.poll(() => scroller(page).evaluate(({ scrollTop }) => scrollTop)).toBeLessThan(1_000);

  // By keys to the end and back, and from one to the next.
  await scroller(page).focus();
  await page.keyboard.press('End');
  await expect.poll(() => rows(page).last().getAttribute('aria-posinset')).toBe(`${COUNT - 2}`);
  await page.keyboard.press('Home');
  await expect.poll(() => rows(page).first().getAttribute('aria-posinset')).toBe('1');
  await rows(page).nth(9).getByRole('link').click();
  for (let n = 0; n < 20; n++) await page.keyboard.press('j');
  const chosen = page.locator('li[data-index="29"] a[aria-current]');
  await chosen.waitFor();
  const isSeen = () =>
    chosen.evaluate((row) => {
      const { top, bottom } = row.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
  await expect.poll(isSeen).toBe(true);
  for (let n = 0; n < 20; n++) await page.keyboard.press('k');
  await page.locator('li[data-index="9"] a[aria-current]').waitFor();

  // Back from another page, to the same place.
  await scrollTo(page, 7_000);
  const left = await seen(page);
  await page.getByRole('link', { name: 'Leads' }).click();
  await page.getByText('No leads yet').waitFor();
  await page.goBack();
  await expect.poll(() => seen(page)).toEqual(left);
  expect(await rows(page).count()).toBeLessThan(40);

  // Rows that are selected need not be in the page.
  await page.getByRole('button', { name: 'Select several' }).click();
  const check = (at: number) => page.locator(`li[data-index="${at}"]`).getByRole('checkbox').check();
  await scrollTo(page, 0);
  await check(1);
  await scrollTo(page, 7_000);
  await check(Number(await rows(page).nth(12).getAttribute('data-index')));
  await page.getByRole('toolbar').getByText('2 selected').first().waitFor();
  expect(await axeFaults(page)).toEqual([]);
  const stored = page.waitForResponse((answer) => answer.url().endsWith('/conversations/bulk/'));
  await page.getByRole('toolbar').getByRole('button', { name: 'Done' }).click();
  await stored;
  await expect.poll(() => rows(page).first().getAttribute('aria-setsize'), PATIENCE).toBe(`${COUNT - 4}`);

  // Where most of what was read leaves, the list goes on by itself.
  await page.reload();
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(50);
  const first = (await rest('GET', '/api/v1/conversations/?status=open&limit=48')).json;
  const uuids = first.map(({ uuid }: { uuid: string }) => uuid);
  await rest('POST', '/api/v1/conversations/bulk/', { uuids, status: 'done' });
  // More than one page may have been read on: then the window has fewer rows in the page.
  await expect.poll(() => rows(page).count(), PATIENCE).toBeGreaterThan(10);
  await rest('POST', '/api/v1/conversations/bulk/', { uuids, status: 'open' });

  let count = COUNT - 4;
  // On a phone and from right to left, where rows are of other heights.
  for (const [locale, width] of [
    ['en', 320],
    ['ar', 1_024],
  ] as const) {
    const other = await open('inbox/all', {
      viewport: { width, height: 700 },
      locale,
      reducedMotion: 'reduce',
    });
    await other.context().addCookies(await page.context().cookies());
    await other.reload();
    await expect.poll(() => read(other), PATIENCE).toBe(count);
    for (const place of [6_000, 3_000]) {
      await scrollTo(other, place);
      const before = await seen(other);
      // One above it: which of them are done already depends on the order in which their messages came.
      const [above] = (await rest('GET', '/api/v1/conversations/?status=open&limit=1')).json;
      await change(above.uuid, { status: 'done' });
      count--;
      await expect.poll(() => rows(other).first().getAttribute('aria-setsize'), PATIENCE).toBe(`${count}`);
      await expect.poll(() => topOf(other, before.key)).toBe(before.top);
    }
    expect(await axeFaults(other)).toEqual([]);
    expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await other.close();
  }
});
