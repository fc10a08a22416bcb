import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** Another role that a member gets while it has the console open. */

const openBrowser = useBrowser();
const server = useServer();

const start = async (role: string) => {
  const { rest, join, open, signIn } = await startConsole(openBrowser, {}, server());
  const uuid = await join('grace', role, 'Grace');
  const page = await open();
  await signIn(page, 'grace');
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
  const become = async (other: string) => {
    expect((await rest('PATCH', `/api/v1/members/${uuid}/`, { role: other })).status).toBe(200);
  };
  const link = (name: string) => page.locator('#side').getByRole('link', { name, exact: true });
  return { page, become, link };
};

const lookAgain = (page: Page) => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));

it('has the pages of the role that a member has got, once it looks again', async () => {
  const { page, become, link } = await start('operator');
  expect(await link('Webhooks').count()).toBe(0);
  await become('admin');
  await lookAgain(page);
  await link('Webhooks').click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
});

it('says that a page is not of one’s role any more, and leads to none of them', async () => {
  const { page, become, link } = await start('admin');
  await become('operator');
  await link('Webhooks').click();
  await page
    .getByRole('heading', { level: 1, name: 'Your role does not allow this page any more.' })
    .waitFor();
  await link('Webhooks').waitFor({ state: 'detached' });
  expect(await page.getByText('This page could not be loaded.').count()).toBe(0);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
});
