import { type BrowserContext, chromium } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { ARGS } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';
import { findBrowser } from './find-browser.mjs';

/** A browser that keeps pages for "back", as visitors' browsers do; Playwright's default is to keep none. */
const openBrowser = async (): Promise<BrowserContext> => {
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: ARGS,
    headless: true,
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  });
  onTestFinished(() => browser.close());
  return browser.newContext();
};

const setUp = async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { widget, rest } = await owner(server.url);
  const address = await customerPage(server.url, widget, { policy: '' });
  const tab = await visit(await openBrowser(), address);
  await tab.launcher.click();
  await tab.say('a question');
  await tab.message('a question').getByText('Sent').waitFor();
  const answer = async (body: string) => {
    const { json: rooms } = await rest('GET', '/api/v1/rooms/?limit=1');
    const message = { room: { uuid: rooms[0].uuid }, body, is_support_sender: true };
    await rest('POST', '/api/v1/messages/', message);
  };
  return { ...tab, address, answer };
};

it('is kept with its page for "back", and goes on there', async () => {
  const { page, address, message, complaints, answer } = await setUp();
  await answer('before');
  await message('before').waitFor();
  await page.evaluate(() => {
    addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }));
  });
  await page.goto(`${address}next`);
  await message('before').waitFor();
  await answer('meanwhile');
  await message('meanwhile').waitFor();
  await page.goBack({ waitUntil: 'commit' });
  await page.waitForFunction(() => 'persisted' in window);
  expect(await page.evaluate(() => (window as unknown as { persisted: boolean }).persisted)).toBe(true);
  await message('meanwhile').waitFor();
  await answer('after');
  await message('after').waitFor();
  expect(complaints).toEqual([]);
});
