import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

/** Visitors whose clock is wrong. */

const openBrowser = useBrowser();
const server = useServer();
const DAY = 86_400_000;

const open = async (skew: number) => {
  const { url } = server();
  const { widget, rest } = await oneOwner(url);
  const browser = await openBrowser({ locale: 'en-GB' });
  await browser.clock.setSystemTime(Date.now() + skew);
  return { ...(await visit(browser, await customerPage(url, widget))), rest };
};

it.each([
  ['a day ahead', DAY],
  ['a day behind', -DAY],
])('calls today today where the clock is %s', async (_name, skew) => {
  const { launcher, dialog, field, say, message, page, rest } = await open(skew);
  await launcher.click();
  await field.waitFor();
  await say('Hello');
  await message('Hello').getByText('Sent').waitFor();
  const [room] = (await rest('GET', '/api/v1/rooms/?limit=1')).json;
  await rest('POST', '/api/v1/messages/', { body: 'Hi', room: { uuid: room.uuid }, is_support_sender: true });
  await message('Hi').waitFor();
  await expect.poll(() => dialog.locator('.day').allTextContents(), PATIENT).toEqual(['Today']);
  await page.reload();
  await message('Hi').waitFor();
  expect(await dialog.locator('.day').allTextContents()).toEqual(['Today']);
});

it.each([15, -15, 400, -400])('opens one session where the clock is wrong by %i days', async (days) => {
  const { launcher, field, say, message, page } = await open(days * DAY);
  let opened = 0;
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/sessions/')) opened += 1;
  });
  await launcher.click();
  await field.waitFor();
  for (const text of ['one', 'two', 'three']) {
    await say(text);
    await message(text).getByText('Sent').waitFor();
  }
  await page.reload();
  await message('three').waitFor();
  await say('four');
  await message('four').getByText('Sent').waitFor();
  expect(opened).toBe(1);
});

it('renews its session after ten days, and where the clock was set right', async () => {
  const { launcher, field, say, message, page } = await open(0);
  const opened: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/sessions/')) opened.push(request.url());
  });
  await launcher.click();
  await field.waitFor();
  await say('one');
  await message('one').getByText('Sent').waitFor();
  for (const [text, days] of [
    ['two', 11],
    ['three', -100],
  ] as const) {
    await page.clock.setSystemTime(Date.now() + days * DAY);
    await say(text);
    await message(text).getByText('Sent').waitFor();
  }
  expect(opened).toHaveLength(3);
});
