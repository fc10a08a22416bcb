import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { holdAnswer } from './hold-answer.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** From what the search has found to where it stands in its conversation. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };

/** An inbox with a conversation of `count` messages; `Answer 300` has a word of its own. */
const startLong = async (count: number, options = {}) => {
  const inbox = await start(openBrowser, options, server());
  const ada = await inbox.visit('Ada', 'The very first');
  for (let n = 0; n < count; n += 20) {
    const bodies = Array.from({ length: 20 }, (_, at) => `Answer ${n + at}`);
    await Promise.all(
      bodies.map((body) =>
        inbox.rest('POST', '/api/v1/messages/', {
          body: body === 'Answer 300' ? `${body}: a zeppelin` : body,
          is_support_sender: true,
          room: { uuid: ada.uuid },
        }),
      ),
    );
  }
  return { ...inbox, ada };
};

const sought = (page: Page) => log(page).locator('[aria-current]');
const text = (page: Page, said: string) => log(page).getByText(said, { exact: true });
const newest = (page: Page) => page.getByRole('button', { name: 'To the newest message' });
/** The numbers of the answers that are in the page, as they stand there. */
const numbers = async (page: Page): Promise<number[]> =>
  (
    await log(page)
      .getByText(/^Answer \d+/)
      .allInnerTexts()
  ).map((said) => Number(/\d+/.exec(said)?.[0]));
/** Whether answers, each sent at once with 19 others, stand there without a gap and in order. */
const isUnbroken = (all: number[]): boolean => {
  const groups = all.map((n) => Math.floor(n / 20));
  const first = groups[0] ?? 0;
  const last = groups.at(-1) ?? 0;
  const isWhole = (group: number) => groups.filter((one) => one === group).length === 20;
  const between = Array.from({ length: Math.max(0, last - first - 1) }, (_, at) => first + 1 + at);
  return (
    new Set(all).size === all.length &&
    groups.every((group, at) => at === 0 || group >= (groups[at - 1] ?? 0)) &&
    between.every(isWhole)
  );
};
const isInView = (page: Page) =>
  sought(page).evaluate((line) => {
    const { top, bottom } = line.getBoundingClientRect();
    const box = line.closest('[role=log]')?.getBoundingClientRect();
    return box !== undefined && top >= box.top && bottom <= box.bottom;
  });

const find = async (page: Page, words: string) => {
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill(words);
  const hit = page.locator('main').getByRole('listitem').getByRole('link');
  await expect.poll(() => hit.count(), { timeout: 60_000 }).toBe(1);
  return hit;
};

it('opens a hit where it stands, reads on from there in both directions, and comes back to the end', async () => {
  const { page, ada, open, visit } = await startLong(1_000);
  await row(page, 'Ada').waitFor();
  await ada.say('Anybody there?');
  await (await find(page, 'zeppelin')).focus();
  await page.keyboard.press('Enter');
  await sought(page).getByText('Answer 300: a zeppelin').waitFor();
  expect(page.url()).toContain('?entry=');
  await expect.poll(() => isInView(page)).toBe(true);
  // Whoever hears the page hears the message.
  await expect.poll(() => sought(page).evaluate((line) => line === document.activeElement)).toBe(true);
  expect(await log(page).getByRole('listitem').count()).toBeLessThan(150);
  expect(await text(page, 'Anybody there?').count()).toBe(0);

  // What is newer was not read by looking here, and what comes now stands at the end.
  await ada.say('Hello? Hello?');
  await row(page, 'Ada').getByText('Hello? Hello?').waitFor();
  await row(page, 'Ada').getByText('Unread').waitFor({ state: 'attached' });
  expect(await text(page, 'Hello? Hello?').count()).toBe(0);

  // Reading on, what is looked at stays where it is.
  const place = () => sought(page).evaluate((line) => Math.round(line.getBoundingClientRect().top));
  const before = await numbers(page);
  await page.getByRole('button', { name: 'Earlier messages' }).evaluate((button: HTMLElement) => {
    button.focus({ preventScroll: true });
    button.click();
  });
  const top = await place();
  await expect.poll(async () => (await numbers(page)).length).toBeGreaterThan(before.length);
  expect(await place()).toBe(top);
  expect(isUnbroken(await numbers(page))).toBe(true);

  // A reload, Back and a link that was copied.
  await page.reload();
  await sought(page).getByText('Answer 300: a zeppelin').waitFor();
  await expect.poll(() => isInView(page)).toBe(true);
  const copied = await open(page.url().split('/console/')[1]);
  await copied.context().addCookies(await page.context().cookies());
  await copied.reload();
  await sought(copied).getByText('Answer 300: a zeppelin').waitFor();
  await copied.close();
  await page.goBack();
  await page.getByRole('searchbox').waitFor();
  await page.goForward();
  await sought(page).waitFor();

  // To the end at once: the divider stands above what is new, and from now on it is read.
  await newest(page).click();
  await text(page, 'Hello? Hello?').waitFor();
  expect(page.url()).not.toContain('entry');
  await text(page, 'Anybody there?').waitFor();
  await log(page).getByText('New', { exact: true }).waitFor();
  await row(page, 'Ada').getByText('Unread').waitFor({ state: 'detached' });
  await newest(page).waitFor({ state: 'detached' });
  await ada.say('Here?');
  await text(page, 'Here?').waitFor();
  // Another conversation begins at its end.
  await visit('Bob', 'Good morning');
  await row(page, 'Bob').click();
  await text(page, 'Good morning').waitFor();
});

it('loses nothing that is said while it is read to the end', async () => {
  const { page, ada } = await startLong(340);
  await row(page, 'Ada').waitFor();
  await (await find(page, 'zeppelin')).click();
  await sought(page).waitFor();
  const last = await holdAnswer(page, '**/timeline/?*cursor=*', 'GET');
  await log(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
  await last.given;
  // Too late for the answer, and told while it is not at the end yet.
  await ada.say('In between');
  await row(page, 'Ada').getByText('In between').waitFor();
  expect(await text(page, 'In between').count()).toBe(0);
  await last.release();
  await expect
    .poll(async () => {
      await log(page).evaluate((element) => element.scrollTo({ top: element.scrollHeight }));
      return text(page, 'In between').count();
    }, PATIENCE)
    .toBe(1);
  expect(await log(page).getByRole('listitem').last().innerText()).toContain('In between');
  expect(isUnbroken(await numbers(page))).toBe(true);
  await row(page, 'Ada').getByText('Unread').waitFor({ state: 'detached' });

  // What is sent from further back stands at the end, too.
  await page.goBack();
  await page.goForward();
  await sought(page).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('By keys alone');
  await page.keyboard.press('Control+Enter');
  await expect.poll(() => ada.heard()).toContain('By keys alone');
  await text(page, 'By keys alone').waitFor();
  // That the conversation is assigned to whoever answers it may be told by then.
  const said = log(page).getByRole('listitem').filter({ hasNotText: 'assigned to' });
  expect(await said.last().innerText()).toContain('By keys alone');
});

it('says of what was deleted meanwhile that it is not there', async () => {
  const { page, rest, ada, open } = await startLong(100);
  const notes = `/api/v1/conversations/${ada.uuid}/notes/`;
  const { uuid } = (await rest('POST', notes, { body: 'Mind the zeppelin' })).json;
  await row(page, 'Ada').waitFor();
  const hit = await find(page, 'zeppelin');
  await rest('DELETE', `${notes}${uuid}/`);
  await hit.click();
  await page.getByText('is not there any more').waitFor();
  await text(page, 'Answer 99').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  for (const address of [`inbox/all/${ada.uuid}?entry=nonsense`, `inbox/all/${ada.uuid}?entry=%26limit`]) {
    const other = await open('', { locale: 'de' });
    await other.context().addCookies(await page.context().cookies());
    await other.goto(new URL(`/console/${address}`, page.url()).href);
    await other.getByText('das ist nicht mehr da').waitFor();
    await text(other, 'Answer 99').waitFor();
    await other.close();
  }
});

it.each(['light', 'dark'] as const)('marks what was found for everybody, in %s', async (colorScheme) => {
  const { page, open } = await startLong(400);
  await row(page, 'Ada').waitFor();
  await (await find(page, 'zeppelin')).click();
  await sought(page).waitFor();
  for (const [locale, width] of [
    ['en', 320],
    ['de', 800],
    ['ar', 1_440],
  ] as const) {
    const other = await open('', {
      colorScheme,
      locale,
      reducedMotion: 'reduce',
      viewport: { width, height: 700 },
    });
    await other.context().addCookies(await page.context().cookies());
    await other.goto(page.url());
    await sought(other).waitFor();
    await expect.poll(() => isInView(other)).toBe(true);
    expect(await axeFaults(other)).toEqual([]);
    expect(await other.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    await other.close();
  }
});
