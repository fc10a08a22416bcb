import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { ACTIONS } from '../../server/src/features/audit/audited.ts';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { de } from '../src/locale/de.ts';
import { en } from '../src/locale/en.ts';
import { PASSWORD, startConsole } from './console-page.ts';

/** The audit trail in the console. */

const openBrowser = useBrowser();
const server = useServer();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const rows = (page: Page) => page.locator('tbody tr');

/** A console whose trail tells of something. */
const start = async () => {
  const parts = await startConsole(openBrowser, {}, server());
  const { rest, join } = parts;
  const grace = await join('grace', 'operator', 'Grace');
  await rest('PATCH', `/api/v1/members/${grace}/`, { role: 'admin' });
  await rest('POST', '/api/v1/keywords/', { keyword: 'Shop <img src=x onerror=alert(1)>' });
  return { ...parts, grace };
};

it('says who changed what, by member and action, and keeps that in its address', async () => {
  const { open, signIn, grace } = await start();
  const page = await open();
  await signIn(page);
  await page.getByRole('link', { name: 'Audit trail' }).click();
  await heading(page, 'Audit trail').waitFor();
  const changed = rows(page).filter({ hasText: 'Member changed' });
  await changed.getByText('role: operator → admin').waitFor();
  expect(await changed.innerText()).toMatch(/ada[\s\S]*127\.0\.0\.1[\s\S]*Member: grace[\s\S]*role/);
  await rows(page).getByText('Keyword: Shop <img src=x onerror=alert(1)>').waitFor();

  await page.getByLabel('By whom').selectOption({ label: 'Grace' });
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(1);
  expect(await rows(page).innerText()).toContain('Invitation accepted');
  await page.getByLabel('What').selectOption({ label: 'Webhook deleted' });
  await page.getByText('There is no such entry.').waitFor();
  expect(new URL(page.url()).search).toBe(`?member=${grace}&action=deleteWebhook`);
  await page.reload();
  await page.getByText('There is no such entry.').waitFor();
  await expect.poll(() => page.getByLabel('What').inputValue(), PATIENCE).toBe('deleteWebhook');
  await page.getByLabel('By whom').selectOption({ label: 'Everybody' });
  await page.getByLabel('What').selectOption({ label: 'Member changed' });
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(1);
});

it('reads on, page by page, each entry once, and again what could not be read', async () => {
  const { open, signIn, rest } = await startConsole(openBrowser, {}, server());
  for (let n = 0; n < 60; n++) await rest('POST', '/api/v1/keywords/', { keyword: `word ${n}` });
  const page = await open();
  await signIn(page);
  await page.route('**/api/v1/audit/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Audit trail' }).click();
  await page.getByText('This page could not be loaded.').waitFor();
  await page.unroute('**/api/v1/audit/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => rows(page).count(), PATIENCE).toBe(50);
  await page.getByRole('button', { name: 'Older entries' }).click();
  await rows(page).getByText('Account registered').waitFor();
  expect(await page.getByRole('button', { name: 'Older entries' }).count()).toBe(0);
  const texts = await rows(page).allInnerTexts();
  const added = texts.filter((text) => text.includes('Keyword added'));
  expect([added.length, new Set(texts.map((text) => /word \d+/.exec(text)?.[0])).size]).toEqual([60, 61]);
});

it('is no page of an operator', async () => {
  const { open, signIn, join } = await startConsole(openBrowser, {}, server());
  await join('hedy', 'operator');
  const page = await open('settings/audit');
  await signIn(page, 'hedy');
  await page.getByText('There is nothing at this address.').waitFor();
  expect(await page.getByRole('link', { name: 'Audit trail' }).count()).toBe(0);
});

it.each([
  ['light', 320],
  ['dark', 320],
  ['light', 1_024],
  ['dark', 1_024],
] as const)('is whole for everybody, in German, in %s, %i pixels wide', async (colorScheme, width) => {
  const { open, username } = await start();
  const trail = await open('settings/audit', {
    viewport: { width, height: 768 },
    colorScheme,
    locale: 'de',
    bypassCSP: true,
    reducedMotion: 'reduce',
  });
  await trail.getByLabel('Benutzername').fill(username);
  await trail.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await trail.keyboard.press('Enter');
  await heading(trail, 'Protokoll').waitFor();
  await rows(trail).getByText('Mitglied geändert').waitFor();
  expect(await axeFaults(trail)).toEqual([]);
  expect(await trail.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});

it.each(Object.entries({ en, de }))('has words for each action, in %s', (_, { audit: { actions } }) => {
  expect(Object.keys(actions).sort()).toEqual([...ACTIONS].sort());
});
