import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { de } from '../src/locale/de.ts';
import { startConsole } from './console-page.ts';
import { log, row, startInbox } from './inbox-page.ts';
import { field, startStudio, step, tab } from './workflow-page.ts';

/** Files that are loaded when they are wanted, and do not come: the network is bad, or the server was updated meanwhile. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 60_000 };

/** Has the first `times` requests fail. @returns how many were made, and what lets the next ones through */
const fail = async (page: Page, address: RegExp, times = Number.POSITIVE_INFINITY, status?: number) => {
  const asked = { count: 0, heal: () => page.unroute(address) };
  await page.route(address, (route) => {
    if (asked.count++ >= times) return route.continue();
    return status === undefined ? route.abort() : route.fulfill({ status, body: 'Not found.' });
  });
  return asked;
};

const settings = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name });
const again = (page: Page) => page.getByRole('button', { name: 'Try again' });
const reload = (page: Page) => page.getByRole('button', { name: 'Reload', exact: true });

it('tries a page again by itself, with its styles, and then says that it can’t be loaded', async () => {
  const { page, visit } = await startInbox(
    openBrowser,
    { viewport: { width: 1_280, height: 800 } },
    server(),
  );
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  const answer = page.getByLabel('Answer', { exact: true });
  await answer.fill('Dear Ada, what you');

  const script = await fail(page, /assets\/team-[^/]+\.js/, 1);
  const styles = await fail(page, /assets\/team-[^/]+\.css/, 2);
  await settings(page, 'Team').click();
  await heading(page, 'Team').waitFor(PATIENCE);
  expect([script.count > 1, styles.count]).toEqual([true, 3]);
  const sheets = () =>
    page.evaluate(() =>
      [...document.styleSheets].map(({ href }) => /team-/.test(href ?? '')).filter(Boolean),
    );
  expect(await sheets()).toEqual([true]);

  // Not at all: other pages go on, and what was typed is where it was.
  const tokens = await fail(page, /assets\/tokens-[^/]+\.js/);
  await settings(page, 'Tokens').click();
  await page.getByRole('status').getByText('Loading …').waitFor();
  await heading(page, 'This page could not be loaded.').waitFor(PATIENCE);
  await page.getByRole('status').getByText('Loading …').waitFor({ state: 'detached' });
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  await page.goBack();
  await page.goBack();
  await log(page).getByText('Hello').waitFor();
  expect(await answer.inputValue()).toBe('Dear Ada, what you');
  // Whoever comes once more asks once more.
  const before = tokens.count;
  await settings(page, 'Tokens').click();
  await heading(page, 'This page could not be loaded.').waitFor(PATIENCE);
  await expect.poll(() => tokens.count).toBeGreaterThan(before);
  await expect.poll(() => again(page).getAttribute('aria-disabled'), PATIENCE).toBe(null);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await tokens.heal();
  await again(page).focus();
  await page.keyboard.press('Enter');
  await heading(page, 'Tokens for programs').waitFor(PATIENCE);
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
});

it('says that it was updated, and a reload goes on with what was typed', async () => {
  const { page, visit } = await startInbox(
    openBrowser,
    { viewport: { width: 1_280, height: 800 } },
    server(),
  );
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Dear Ada, what you');
  // As a server answers whose files have other names by now.
  const gone = await fail(page, /assets\/team-[^/]+\.js/, Number.POSITIVE_INFINITY, 404);
  const index = /\/console\/$/;
  await page.route(index, async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(/assets\/index-[\w-]+\.js/, 'assets/index-AnotherOne.js');
    await route.fulfill({ response, body });
  });
  await settings(page, 'Team').click();
  await page.getByText('Parlor has been updated meanwhile.').waitFor(PATIENCE);
  expect(gone.count).toBeLessThanOrEqual(2);
  expect(await again(page).count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  await gone.heal();
  await page.unroute(index);
  await reload(page).click();
  await heading(page, 'Team').waitFor(PATIENCE);
  await page.goto(new URL(`/console/inbox/all/${ada.uuid}`, page.url()).href);
  await expect.poll(() => page.getByLabel('Answer', { exact: true }).inputValue()).toBe('Dear Ada, what you');
});

it('speaks English until the file of a language comes, and says where it does not', async () => {
  const { open } = await startConsole(openBrowser, {}, server());
  const page = await open('', { locale: 'de' });
  const words = (name: string) => page.getByRole('heading', { name });
  await words(de.signIn.title).waitFor();
  await fail(page, /assets\/de-[^/]+\.js/, 1);
  await page.reload();
  await words('Sign in').waitFor();
  await page.getByLabel('Username').fill('ada');
  await words(de.signIn.title).waitFor(PATIENCE);
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  expect(await page.getByLabel(de.signIn.username).inputValue()).toBe('ada');

  const lost = await fail(page, /assets\/de-[^/]+\.js/);
  await page.reload();
  await page.getByText('Part of the console could not be loaded.').waitFor(PATIENCE);
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await lost.heal();
  await again(page).click();
  await words(de.signIn.title).waitFor(PATIENCE);
  expect(await page.getByText(de.errors.part).count()).toBe(0);
});

it('keeps a list whole without what windows are made with, and lets whoever reads close what says so', async () => {
  const { open, signIn, rest } = await startConsole(openBrowser, {}, server());
  let count = 0;
  while (count < 120) {
    const some = Array.from({ length: 20 }, () =>
      rest('POST', '/api/v1/leads/', { nickname: `Lead ${++count}`, email: `${count}@example.com` }),
    );
    await Promise.all(some);
  }
  const page = await open('leads');
  await fail(page, /assets\/esm-[^/]+\.js/);
  await signIn(page);
  const rows = page.locator('tr[data-key]');
  await rows.first().waitFor();
  const older = page.getByRole('button', { name: 'Older leads' });
  while ((await rows.count()) < count) await older.click({ timeout: 1_000 }).catch(() => undefined);
  await page.getByText('Part of the console could not be loaded.').waitFor(PATIENCE);
  expect(await rows.count()).toBe(count);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Part of the console could not be loaded.').waitFor({ state: 'detached' });
});

it('draws a graph once what lays it out has come, and keeps what was written until then', async () => {
  const { page } = await startStudio(openBrowser, server(), [
    { id: 'Start', type: 'start', greeting: 'Hi!', next: 'Message' },
    { id: 'Message', type: 'message', text: 'Blue is sold out.', next: null },
  ]);
  const address = /assets\/layout-worker-/;
  // A worker's own script is asked for beside the page.
  await page.context().route(address, (route) => route.abort());
  await page.reload();
  await page.getByText('The graph could not be drawn.').waitFor(PATIENCE);
  await tab(page, 'List').click();
  await page.getByRole('list', { name: 'Steps' }).getByRole('button').last().click();
  await field(page, 'Text').fill('All is there.');
  await tab(page, 'Graph').click();
  await page.getByText('The graph could not be drawn.').waitFor(PATIENCE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFaults(page)).toEqual([]);
  }
  await page.context().unroute(address);
  await again(page).click();
  await step(page, 'Message').waitFor(PATIENCE);
  expect(await field(page, 'Text').inputValue()).toBe('All is there.');
  await page.getByText('The graph could not be drawn.').waitFor({ state: 'detached' });
});
