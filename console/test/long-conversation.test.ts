import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** A conversation of which only a stretch is in the page, however far somebody reads. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };
const COUNT = 640;
/** What is kept, with the pages that are read until the rest is forgotten, the days and the divider. */
const MOST_LINES = 520;

const startLong = async (count = COUNT) => {
  const inbox = await start(openBrowser, { viewport: { width: 1_280, height: 800 } }, server());
  const ada = await inbox.visit('Ada', 'The very first');
  for (let n = 0; n < count; n += 20) {
    const twenty = Array.from(
      { length: 20 },
      (_, at) => `Answer ${n + at}${' and more'.repeat((at % 7) * 12)}`,
    );
    await Promise.all(
      twenty.map((body) =>
        inbox.rest('POST', '/api/v1/messages/', { body, is_support_sender: true, room: { uuid: ada.uuid } }),
      ),
    );
  }
  return { ...inbox, ada };
};

const last = `Answer ${COUNT - 1}`;
const lines = (page: Page) => log(page).getByRole('listitem');
const newest = (page: Page) => page.getByRole('button', { name: 'To the newest message' });

/** The numbers of the answers that are in the page. */
const numbers = (page: Page): Promise<number[]> =>
  log(page).evaluate((element) =>
    [...element.querySelectorAll('[data-key]')]
      .flatMap((line) => /Answer (\d+)/.exec(line.textContent ?? '')?.[1] ?? [])
      .map(Number),
  );

/**
 * Scrolls a step in each frame until a text is in the page, and looks whether what is seen has moved by the step alone.
 * @returns the largest jump (pixels), the most lines that were in the page, and every answer that was seen
 */
const scrollTo = (page: Page, step: number, wanted: string) =>
  log(page).evaluate(
    async (element, { step, wanted }) => {
      const seen = new Set<number>();
      let jump = 0;
      let most = 0;
      const end = performance.now() + 60_000;
      const note = (all: HTMLElement[]) => {
        for (const line of all) seen.add(Number(/Answer (\d+)/.exec(line.textContent ?? '')?.[1] ?? -1));
      };
      const drawn = () => new Promise(requestAnimationFrame);
      const isThere = () =>
        [...element.querySelectorAll('[data-key] p:last-child')].some((line) => line.textContent === wanted);
      const isAtEdge = () =>
        step < 0
          ? element.scrollTop <= 0
          : element.scrollTop >= element.scrollHeight - element.clientHeight - 1;
      while (!(isThere() && isAtEdge())) {
        if (performance.now() > end) throw new Error(`${wanted} was not reached`);
        const middle = element.getBoundingClientRect().top + element.clientHeight / 2;
        const all = [...element.querySelectorAll<HTMLElement>('[data-key]')];
        most = Math.max(most, all.length);
        note(all);
        const row = all.find((line) => line.getBoundingClientRect().bottom > middle);
        const before = row?.getBoundingClientRect().bottom ?? 0;
        const from = element.scrollTop;
        element.scrollTop += step;
        const moved = element.scrollTop - from;
        await drawn();
        await drawn();
        if (row?.isConnected) {
          jump = Math.max(jump, Math.abs(row.getBoundingClientRect().bottom - before + moved));
        }
      }
      note([...element.querySelectorAll<HTMLElement>('[data-key]')]);
      return { jump, most, seen: seen.size };
    },
    { step, wanted },
  );

it('keeps a stretch of a long conversation, in which what is seen stays where it is', async () => {
  const { page, ada } = await startLong();
  await row(page, 'Ada').click();
  await log(page).getByText(last).waitFor();
  const up = await scrollTo(page, -400, 'The very first');
  expect(up.jump).toBeLessThanOrEqual(1);
  expect(up.most).toBeLessThan(MOST_LINES);
  expect(up.seen).toBe(COUNT + 1);
  // The end is not here any more: what is said now stands there, and is not read.
  await ada.say('Meanwhile');
  await row(page, 'Ada').getByText('Meanwhile').waitFor();
  await row(page, 'Ada').getByText('Unread').waitFor({ state: 'attached' });
  expect(await log(page).getByText('Meanwhile').count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);

  const down = await scrollTo(page, 400, 'Meanwhile');
  expect(down.jump).toBeLessThanOrEqual(1);
  expect(down.most).toBeLessThan(MOST_LINES);
  expect(down.seen).toBe(COUNT + 1);
  await row(page, 'Ada').getByText('Unread').waitFor({ state: 'detached' });
  await newest(page).waitFor({ state: 'detached' });
  await ada.say('And now');
  await log(page).getByText('And now').waitFor();
  await expect
    .poll(() =>
      lines(page)
        .last()
        .evaluate((line) => line.getBoundingClientRect().bottom <= innerHeight),
    )
    .toBe(true);
});

it('is scrolled by keys, and forgets neither a selection nor the focus', async () => {
  const { page, rest, ada } = await startLong();
  await rest('POST', '/api/v1/messages/', {
    body: 'See https://example.com/lamps',
    is_support_sender: true,
    room: { uuid: ada.uuid },
  });
  await row(page, 'Ada').click();
  const link = log(page).getByRole('link', { name: 'https://example.com/lamps' });
  await link.focus();
  await scrollTo(page, -400, 'The very first');
  expect(await link.count()).toBe(0);
  expect(await log(page).evaluate((element) => element === document.activeElement)).toBe(true);
  await page.keyboard.press('PageDown');
  await expect.poll(() => log(page).evaluate(({ scrollTop }) => scrollTop)).toBeGreaterThan(200);
  await page.keyboard.press('End');
  await link.waitFor(PATIENCE);
  await page.keyboard.press('Home');
  await expect.poll(async () => Math.min(...(await numbers(page)))).toBeLessThan(COUNT - 60);

  // A selection over several messages stays whole, however far one scrolls meanwhile.
  await page.keyboard.press('End');
  await log(page).evaluate((element) => {
    const all = element.querySelectorAll('[data-key] p:last-child');
    const [from, to] = [all[all.length - 4], all[all.length - 2]];
    getSelection()?.setBaseAndExtent(from as Node, 0, to as Node, 1);
  });
  const selected = () => page.evaluate(() => String(getSelection()));
  const before = await selected();
  expect(before).toContain('Answer');
  await scrollTo(page, -600, 'The very first');
  expect(await selected()).toBe(before);
  await page.evaluate(() => getSelection()?.empty());
  await scrollTo(page, 600, 'See https://example.com/lamps');
  await expect.poll(() => lines(page).count()).toBeLessThan(MOST_LINES);
});

it('stays in its place on a phone and from right to left', async () => {
  const { page, ada, open } = await startLong();
  for (const [locale, width] of [
    ['en', 320],
    ['ar', 1_440],
  ] as const) {
    const other = await open('', { locale, viewport: { width, height: 700 }, reducedMotion: 'reduce' });
    await other.context().addCookies(await page.context().cookies());
    await other.goto(new URL(`/console/inbox/all/${ada.uuid}`, page.url()).href);
    await log(other).getByText(last).waitFor();
    const { jump, most } = await scrollTo(other, -500, 'The very first');
    expect(jump).toBeLessThanOrEqual(1);
    expect(most).toBeLessThan(MOST_LINES);
    expect(await axeFaults(other)).toEqual([]);
    expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await other.close();
  }
});

it('leaves whoever has just scrolled where they are, whatever comes before the browser tells of it', async () => {
  const { page, ada } = await startLong(40);
  await row(page, 'Ada').click();
  await log(page).getByText('Answer 39', { exact: false }).waitFor();
  // What is read of the conversation comes when it is let go.
  const held = await page.evaluateHandle(() => {
    const { text } = Response.prototype;
    const held: (() => void)[] = [];
    Response.prototype.text = async function (this: Response) {
      const read = await text.call(this);
      if (this.url.includes('/timeline/')) await new Promise<void>((go) => held.push(go));
      return read;
    };
    return held;
  });
  await ada.say('Meanwhile');
  await log(page).getByText('Meanwhile').waitFor();
  await expect.poll(() => held.evaluate(({ length }) => length), PATIENCE).toBeGreaterThan(0);
  const moved = await log(page).evaluate(async (element, held) => {
    // What is seen first: an entry that is read may come below it.
    const top = element.getBoundingClientRect().top;
    const seen = [...element.querySelectorAll('[data-key]')].find(
      (line) => line.getBoundingClientRect().bottom > top,
    );
    const end = () => seen?.getBoundingClientRect().bottom ?? 0;
    const before = end();
    element.scrollTop -= 300;
    for (const go of held.splice(0)) go();
    for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
    return end() - before;
  }, held);
  expect(moved).toBeCloseTo(300, 0);
});
