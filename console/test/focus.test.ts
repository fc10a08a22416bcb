import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** Where the focus is when what had it has gone: never at the top of the page. */

const openBrowser = useBrowser();
const server = useServer();
const startPage = async (path: string) => {
  const console = await startConsole(openBrowser, {}, server());
  const page = await console.open(path, { viewport: { width: 1_280, height: 800 } });
  await console.signIn(page);
  await page.locator('#side').waitFor({ state: 'attached' });
  return { ...console, page };
};

/** The name of what has the focus, or its words. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    const text = element?.getAttribute('aria-label') ?? (element as HTMLElement | null)?.innerText ?? '';
    return element === document.body ? 'the page' : text.split('\n')[0];
  });
const expectFocus = (page: Page) => expect.poll(() => focused(page));
const enter = async (page: Page, name: string) => {
  await page.getByRole('button', { name, exact: true }).first().focus();
  await page.keyboard.press('Enter');
};

it('stays beside what is done with a conversation', async () => {
  const { page, visit, rest } = await start(
    openBrowser,
    { viewport: { width: 1_280, height: 800 } },
    server(),
  );
  const uuids: string[] = [];
  for (const name of ['Ada', 'Bob', 'Cleo']) uuids.push((await visit(name, `Hello from ${name}`)).uuid);
  const [ada, bob] = uuids;
  await row(page, 'Cleo').waitFor();
  await row(page, 'Ada').click();
  await log(page).getByText('Hello from Ada').waitFor();
  await enter(page, 'Snooze');
  await expectFocus(page).toMatch(/^Later today|^Tomorrow/);
  await page.keyboard.press('Enter');
  await expectFocus(page).toBe('Open again');
  await page.keyboard.press('Enter');
  await expectFocus(page).toBe('Snooze');

  await enter(page, 'Select several');
  await expectFocus(page).not.toBe('the page');
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await enter(page, 'Done');
  await expect
    .poll(async () => (await rest('GET', `/api/v1/conversations/${ada}/`)).json.status)
    .toBe('done');
  await expectFocus(page).toBe('Select several');
  await enter(page, 'Undo');
  await row(page, 'Ada').waitFor();
  await expectFocus(page).toBe('Select several');

  // A colleague does what stands under the focus.
  await row(page, 'Bob').focus();
  await rest('PATCH', `/api/v1/conversations/${bob}/`, { status: 'done' });
  await row(page, 'Bob').waitFor({ state: 'detached' });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('href') ?? ''))
    .toMatch(/inbox\/all\/./);
});

it('stays with an answer that is tried again', async () => {
  const { page, visit } = await start(openBrowser, {}, server());
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  await page.route('**/api/v1/messages/', (route) => route.fulfill({ status: 502, body: '' }));
  await page.getByLabel('Answer', { exact: true }).fill('Good day');
  await page.keyboard.press('Control+Enter');
  await enter(page, 'Try again');
  await expectFocus(page).toBe('Ada');
});

it('goes into what a dialog shows next, and back to what opened it', async () => {
  const { page, join } = await startPage('settings/team');
  await join('grace', 'operator', 'Grace');
  await page.reload();
  await enter(page, 'Change Grace');
  await enter(page, 'Save');
  await expectFocus(page).toBe('Change Grace');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Remove Grace?' }).waitFor();
  expect(await page.evaluate(() => document.activeElement?.closest('dialog form') !== null)).toBe(true);
  await enter(page, 'Cancel');
  await expectFocus(page).toBe('Change Grace');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Remove Grace?' }).getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Change Grace' }).waitFor({ state: 'detached' });
  await expectFocus(page).toBe('Team');

  await enter(page, 'Invite');
  await page.getByLabel('E-mail').fill('hedy@example.com');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').locator('pre').waitFor();
  expect(await page.evaluate(() => document.activeElement?.querySelector('pre') !== null)).toBe(true);
  await page.keyboard.press('Escape');
  await expectFocus(page).toBe('Invite');
});

it('goes from a row that is deleted to the next one, and then to the heading', async () => {
  const { page } = await startPage('keywords');
  for (const keyword of ['lamp', 'refund']) {
    await page.getByLabel('New keyword').fill(keyword);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: `Delete ${keyword}` }).waitFor();
  }
  await enter(page, 'Delete lamp');
  await expectFocus(page).toBe('Delete refund');
  await page.keyboard.press('Enter');
  await expectFocus(page).toBe('Your keywords');
});

it('is on the heading of a workflow that is new, and on the next step where one is deleted', async () => {
  const { page } = await startPage('workflows');
  await enter(page, 'New workflow');
  await page.getByLabel('Name').fill('Orders');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  await expectFocus(page).toBe('Orders');
  await page.locator('g[data-node][tabindex="0"]').press('Delete');
  await page
    .getByRole('button', { name: 'Undo' })
    .nth(1)
    .or(page.getByRole('status').getByText('deleted'))
    .first()
    .waitFor();
  await expectFocus(page).not.toBe('the page');
});

it('goes from a lead that is deleted to the next one', async () => {
  const { page, rest } = await startPage('leads');
  for (const nickname of ['Ada', 'Bob']) {
    await rest('POST', '/api/v1/leads/', { nickname, email: `${nickname}@example.com` });
  }
  await page.reload();
  const lead = (name: string) => page.getByRole('link', { name, exact: true });
  await lead('Bob').press('Enter');
  await page
    .getByRole('complementary', { name: 'Lead' })
    .getByRole('button', { name: 'Delete' })
    .press('Enter');
  await lead('Bob').waitFor({ state: 'detached' });
  await expectFocus(page).toBe('Ada');
});
