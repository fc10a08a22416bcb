import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** A page that one leaves: what is left of the account in it, and what would be gone with it. */

const openBrowser = useBrowser();
const server = useServer();

const startOpened = async () => {
  const inbox = await startInbox(openBrowser, {}, server());
  const ada = await inbox.visit('Ada', 'Secret words');
  await row(inbox.page, 'Ada').click();
  await log(inbox.page).getByText('Secret words').waitFor();
  return { ...inbox, ada, answer: inbox.page.getByLabel('Answer', { exact: true }) };
};

/** As the browser does with a page that it keeps for the way back. */
const go = (page: Page, type: 'pagehide' | 'pageshow') =>
  page.evaluate((name) => dispatchEvent(new PageTransitionEvent(name, { persisted: true })), type);

it('shows nothing of the account on the way back until it is known who is signed in', async () => {
  const { page, answer, signIn, url } = await startOpened();
  await answer.fill('Dear Ada');
  await go(page, 'pagehide');
  expect(await log(page).getByText('Secret words').isVisible()).toBe(false);
  await page.context().setOffline(true);
  await go(page, 'pageshow');
  await page.getByRole('heading', { name: 'Parlor can’t be reached.' }).waitFor();
  expect(await log(page).getByText('Secret words').isVisible()).toBe(false);
  expect(await page.locator('body').innerText()).not.toContain('Secret words');
  expect(await axeFaults(page)).toEqual([]);
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Try again' }).click();
  await log(page).getByText('Secret words').waitFor();
  expect(await answer.inputValue()).toBe('Dear Ada');

  await go(page, 'pagehide');
  const other = await page.context().newPage();
  await other.goto(`${url}/console/`);
  await other.getByRole('button', { name: 'Sign out' }).click();
  await other.getByLabel('Username').waitFor();
  await go(page, 'pageshow');
  await page.getByLabel('Username').waitFor();
  expect(await page.getByText('Secret words').count()).toBe(0);
  await signIn(page);
  await log(page).getByText('Secret words').waitFor();
});

it('leaves no draft in a tab that one has signed out in, and loses none', async () => {
  const { page, answer, signIn, rest, ada } = await startOpened();
  await answer.fill('Dear Ada');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('Dear Ada');
  const draft = async () => (await rest('GET', `/api/v1/conversations/${ada.uuid}/draft/`)).json.body;
  await expect.poll(draft).toBe('Dear Ada');
  await signIn(page);
  await log(page).getByText('Secret words').waitFor();
  await expect.poll(() => answer.inputValue()).toBe('Dear Ada');
});

it('keeps a name that was typed when the session ends before it is saved', async () => {
  const { page, signIn, url } = await startOpened();
  await page.goto(`${url}/console/settings/profile`);
  const name = page.getByLabel('Name', { exact: true });
  await name.fill('Ada L');
  await page.context().clearCookies();
  await page.keyboard.press('Enter');
  await signIn(page);
  await name.waitFor();
  expect(await name.inputValue()).toBe('Ada L');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await page.reload();
  await expect.poll(() => name.inputValue()).toBe('Ada L');
  await name.fill('');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await name.inputValue()).toBe('');
});

it('says that a conversation is gone under a heading, to whoever hears it, too', async () => {
  const { page, ada, rest } = await startOpened();
  const { label } = (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
  expect((await rest('DELETE', `/api/v1/rooms/${label}/`)).status).toBe(204);
  await page.getByRole('heading', { level: 1, name: 'This conversation is not there any more.' }).waitFor();
  await page.getByRole('status').filter({ hasText: 'not there any more' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

it('asks before a tab is closed that holds what could not be sent', async () => {
  const { page, ada, answer } = await startOpened();
  await page.context().setOffline(true);
  await answer.fill('We deliver');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('Not sent.').waitFor();
  const asked = page.waitForEvent('dialog');
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  await page.context().setOffline(false);
  await log(page).getByRole('button', { name: 'Try again' }).click();
  await expect.poll(ada.heard).toContain('We deliver');
  await log(page).getByText('Not sent.').waitFor({ state: 'detached' });
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
});
