import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';

const openBrowser = useBrowser();
const server = useServer();

const start = async (options = {}) => {
  const board = await startConsole(openBrowser, {}, server());
  const page = await board.open('settings/account', options);
  await board.signIn(page);
  await page.getByRole('heading', { name: 'Account', exact: true }).waitFor();
  return { ...board, page };
};

it('downloads everything of the account as a file', async () => {
  const { page, username } = await start();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download everything' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`parlor ${username}.jsonl`);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ format: 'parlor-account-data', username });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ account: { username } });
});

it('deletes the account for whoever types its own name and password, and says so', async () => {
  const { page, rest, username } = await start();
  await page.getByRole('button', { name: 'Delete the account' }).click();
  const dialog = page.getByRole('dialog');
  const name = dialog.getByLabel(`To go on, type your username: ${username}`);
  const password = dialog.getByLabel('Your password');
  const remove = dialog.getByRole('button', { name: 'Delete the account' });
  await name.fill('somebody');
  await password.fill(PASSWORD);
  await remove.click();
  await dialog.getByText('This is not your username.').waitFor();
  await name.fill(username);
  await password.fill('not this one');
  await remove.click();
  await dialog.getByText('This is not your password.').waitFor();
  expect((await rest('GET', '/api/v1/account/')).status).toBe(200);

  await password.fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByText('Your account is being deleted.').waitFor();
  await page.getByLabel('Username').waitFor();
  expect((await rest('GET', '/api/v1/account/')).status).toBe(401);

  // Whoever signs in next on this page has nothing to do with that.
  const other = await startConsole(openBrowser, {}, server());
  await other.signIn(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  expect(await page.getByText('Your account is being deleted.').count()).toBe(0);
});

it('is there for owners alone', async () => {
  const { open, signIn, join } = await startConsole(openBrowser, {}, server());
  await join('grace', 'admin');
  const page = await open('settings/account');
  await signIn(page, 'grace');
  await page.getByText('There is nothing at this address.').waitFor();
  expect(await page.getByRole('link', { name: 'Account', exact: true }).count()).toBe(0);
});

it.each(['light', 'dark'] as const)('breaks no rule of axe in %s', async (colorScheme) => {
  const { page } = await start({ colorScheme });
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete the account' }).click();
  expect(await axeFaults(page)).toEqual([]);
});
