import { expect, it } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** Tokens for programs, in a real browser on a real server. */

const openBrowser = useBrowser();

it('makes a token that does what was chosen and no more, shows it once, and takes it back', async () => {
  const { url, open, signIn, join } = await startConsole(openBrowser);
  const page = await open('settings/tokens', { viewport: { width: 360, height: 720 } });
  await signIn(page);
  await page.getByText('No tokens yet').waitFor();
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.getByLabel('Name').fill('<b>Import</b>');
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  await dialog.getByText('Choose something that it may do.').waitFor();
  await dialog.getByRole('group', { name: 'Leads' }).getByLabel('Read', { exact: true }).check();
  expect(await axeFaults(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Make the token' }).click();
  const token = (await dialog.locator('pre').textContent()) ?? '';
  expect(token).toMatch(/^pat_/);
  // As over plain HTTP, where pages have no clipboard: it is marked.
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await dialog.getByRole('button', { name: 'Copy', exact: true }).click();
  await expect.poll(() => page.evaluate(() => String(getSelection()))).toBe(token);
  const asked = async (method: string, path: string) => {
    const body = method === 'POST' ? { body: '{}' } : {};
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    return (await fetch(`${url}/api/v1/${path}`, { method, headers, ...body })).status;
  };
  expect([await asked('GET', 'leads/'), await asked('POST', 'leads/'), await asked('GET', 'rooms/')]).toEqual(
    [200, 403, 403],
  );
  await dialog.getByRole('button', { name: 'I have copied it' }).click();
  const tokens = page.getByRole('list', { name: 'Tokens for programs' });
  await tokens.getByText('Leads (read)').waitFor();
  expect(await page.content()).not.toContain(token);
  await page.reload();
  await tokens.getByText(/^Used/).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFaults(page)).toEqual([]);
  await tokens.getByRole('button', { name: 'Delete: <b>Import</b>' }).click();
  await page.getByText('No tokens yet').waitFor();
  // What can still be taken back is asked for once the page is left.
  await page.reload();
  await page.getByText('No tokens yet').waitFor();
  await expect.poll(() => asked('GET', 'leads/')).toBe(401);

  await join('grace', 'operator', 'Grace');
  const hers = await open('settings/tokens');
  await signIn(hers, 'grace');
  await hers.getByRole('button', { name: 'New token' }).click();
  await hers.getByRole('group', { name: 'Leads' }).waitFor();
  expect(await hers.getByRole('group', { name: 'Webhooks' }).count()).toBe(0);
});
