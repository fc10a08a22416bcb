import { expect, it } from 'vitest';
import { useBrowser } from './browser.ts';
import { unwatchedDuring, watch } from './watchdog.ts';

const openBrowser = useBrowser();

it.each([
  ['alone', 0],
  ['among others', 2],
])('closes a page that runs for ever, %s, and leaves one that is slow or resting', async (_, others) => {
  const context = await openBrowser({}, { watched: false });
  const frozen: string[] = [];
  await watch(context, (address) => frozen.push(address));
  const page = await context.newPage();
  for (let n = 0; n < others; n++) await context.newPage();
  const address = 'data:text/html,<title>busy</title>';
  await page.goto(address);
  const busy = (ms: number) =>
    page.evaluate((end) => {
      for (const until = performance.now() + end; performance.now() < until; );
    }, ms);
  await busy(100);
  await unwatchedDuring(page, () => busy(1_500));
  expect(frozen).toEqual([]);
  // A promise that goes on for ever: no task of the page ever ends, and no other begins.
  await page.evaluate('setTimeout(async () => { for (;;) await undefined; })').catch(() => {});
  await expect.poll(() => frozen, { timeout: 60_000 }).toEqual([address]);
  await expect.poll(() => page.isClosed(), { timeout: 60_000 }).toBe(true);
});
