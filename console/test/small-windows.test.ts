import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** Windows that are low: a phone on its side, or a page at 400 % (WCAG 2.2, 1.4.10). */

const openBrowser = useBrowser();
const server = useServer();

it.each([
  [320, 256],
  [640, 320],
  [667, 375],
  [1280, 400],
])('leaves room to read what is answered to in %i × %i', async (width, height) => {
  const { page, visit } = await startInbox(openBrowser, {}, server());
  const ada = await visit('Ada', 'Hello');
  for (let n = 0; n < 6; n++) await ada.say(`Message ${n}, with some words in it`);
  await row(page, 'Ada').click();
  await log(page).getByText('Message 5').waitFor();
  await page.setViewportSize({ width, height });
  const answer = page.getByLabel('Answer', { exact: true });
  await answer.fill('a\n'.repeat(12));
  const heightOf = () => log(page).evaluate((element) => element.clientHeight);
  await expect.poll(heightOf).toBeGreaterThanOrEqual(100);
  // Both can be brought into the window by scrolling the page.
  await log(page).getByText('Message 5').scrollIntoViewIfNeeded();
  await page.getByRole('button', { name: 'Send' }).scrollIntoViewIfNeeded();
  const { y = 0, height: its = 0 } = (await page.getByRole('button', { name: 'Send' }).boundingBox()) ?? {};
  expect(y + its).toBeLessThanOrEqual(height);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
});
