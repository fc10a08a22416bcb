import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** Keywords in the console. */

const openBrowser = useBrowser();

it('adds and deletes keywords, and shows who has named one, on a phone too', async () => {
  const { rest, open, signIn, join } = await startConsole(openBrowser);
  const page = await open('keywords', { bypassCSP: true, reducedMotion: 'reduce' });
  await signIn(page);
  await page.getByText('None yet.').waitFor();
  await page.getByText('No mentions yet').waitFor();
  const add = async (keyword: string) => {
    await page.getByLabel('New keyword').fill(keyword);
    await page.keyboard.press('Enter');
  };
  const shown = () => page.getByRole('list', { name: 'Your keywords' }).getByRole('listitem').allInnerTexts();
  await add('refund');
  await expect.poll(shown, PATIENCE).toEqual(['refund']);
  await add('lamp');
  await expect.poll(shown, PATIENCE).toEqual(['lamp', 'refund']);
  await add('LAMP');
  await page.locator('[aria-invalid]').or(page.getByRole('alert')).first().waitFor();
  await page.getByRole('button', { name: 'Delete lamp' }).click();
  await page.getByText('“lamp” deleted.').waitFor();
  expect(await shown()).toEqual(['refund']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(shown, PATIENCE).toEqual(['lamp', 'refund']);
  await page.getByRole('button', { name: 'Delete lamp' }).click();
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  const kept = async () => (await rest('GET', '/api/v1/keywords/')).json.length;
  await expect.poll(kept, PATIENCE).toBe(1);

  const room = (await rest('POST', '/api/v1/rooms/', { label: 'lamps' })).json.uuid;
  const body = 'I want a refund <img src=x onerror=alert(1)>';
  await rest('POST', '/api/v1/messages/', { body, nickname: 'Ada', room: { uuid: room } });
  await expect
    .poll(async () => (await rest('GET', '/api/v1/keyword_notifications/')).json.length, PATIENCE)
    .toBe(1);
  await page.getByRole('button', { name: 'Refresh' }).click();
  await page.getByText(body).waitFor();
  const link = page.getByRole('link', { name: 'Open the conversation' });
  expect(await link.getAttribute('href')).toBe(`/console/inbox/all/${room}`);
  expect(await axeFaults(page)).toEqual([]);
  await page.setViewportSize({ width: 320, height: 640 });
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);

  await join('hedy', 'operator');
  const hers = await open('keywords');
  await signIn(hers, 'hedy');
  await hers.getByText('There is nothing at this address.').waitFor();
});
