import { expect, it } from 'vitest';
import { caller, owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { UUID_7 } from '../../server/test/uuids.ts';
import { useBrowser } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';
import { unwatchedDuring } from './watchdog.ts';

const openBrowser = useBrowser();
const shared = useServer();

/** An owner, whose widget is on a customer's page, and a visitor's browser. */
const setUp = async () => {
  const { url } = shared();
  const made = await oneOwner(url);
  const address = await customerPage(url, made.widget);
  return { ...made, address, browser: await openBrowser() };
};

it('keeps five messages written offline over a closed tab and a killed server: once each, in order', async () => {
  const settings = await serverSettings();
  const first = await startServerProcess(settings);
  const { token, widget } = await owner(first.url);
  const browser = await openBrowser();
  const address = await customerPage(first.url, widget);
  const begun = await visit(browser, address);
  await begun.launcher.click();
  await begun.say('zero');
  await begun.message('zero').getByText('Sent').waitFor();

  await browser.setOffline(true);
  const words = ['one', 'two', 'three', 'four', 'five'];
  for (const word of words) await begun.say(word);
  await begun.message('five').getByText('Sending').waitFor();
  await begun.dialog.getByText('You are offline').waitFor();
  await begun.page.close();
  await first.end('SIGKILL');

  const second = await startServerProcess({ ...settings, PORT: new URL(first.url).port });
  await browser.setOffline(false);
  const back = await visit(browser, address);
  await back.launcher.click();
  for (const word of ['zero', ...words]) await back.message(word).getByText('Sent').waitFor();
  const { json } = await caller(second.url, `Token ${token}`)('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body).reverse()).toEqual(['zero', ...words]);
});

it('says that the chat cannot be reached, not that the visitor is offline, while the server is away', async () => {
  const settings = await serverSettings();
  const first = await startServerProcess(settings);
  const { widget } = await owner(first.url);
  const tab = await visit(await openBrowser(), await customerPage(first.url, widget));
  await tab.launcher.click();
  await tab.say('before');
  await tab.message('before').getByText('Sent').waitFor();
  await first.end('SIGKILL');
  await tab.say('meanwhile');
  await tab.dialog.getByRole('status').getByText('cannot be reached').waitFor();
  expect(await tab.dialog.getByText('offline').count()).toBe(0);
  await startServerProcess({ ...settings, PORT: new URL(first.url).port });
  await tab.message('meanwhile').getByText('Sent').waitFor({ timeout: 45_000 });
  await tab.dialog.getByText('cannot be reached').waitFor({ state: 'hidden' });
});

it('says that it was too fast, and sends when the server takes it again', async () => {
  const { browser, address } = await setUp();
  const tab = await visit(browser, address);
  await tab.launcher.click();
  await tab.say('first');
  await tab.message('first').getByText('Sent').waitFor();
  let refused = 0;
  await tab.page.route('**/api/v1/messages/', async (route) => {
    if (refused++) return route.fallback();
    const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' };
    return route.fulfill({
      status: 429,
      headers: { ...headers, 'Retry-After': '3' },
      json: { detail: 'Request was throttled.' },
    });
  });
  await tab.say('second');
  await tab.dialog.getByRole('status').getByText('A little too fast').waitFor();
  await tab.message('second').getByText('Sending').waitFor();
  await tab.message('second').getByText('Sent').waitFor();
  expect(refused).toBe(2);
  await tab.dialog.getByText('A little too fast').waitFor({ state: 'hidden' });
});

it('says why a message was refused when the widget may no longer run on the page', async () => {
  const { rest, widget, browser, address } = await setUp();
  const tab = await visit(browser, address);
  await tab.launcher.click();
  await tab.say('welcome');
  await tab.message('welcome').getByText('Sent').waitFor();
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: 'https://elsewhere.example' });
  await tab.say('still there?');
  const failed = tab.message('still there?');
  await failed.getByText('Failed').waitFor();
  // The owner takes it back: the visitor loses nothing.
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: '' });
  await failed.getByRole('button', { name: 'Try again' }).click();
  await failed.getByText('Sent').waitFor();
  const { json } = await rest('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body)).toEqual(['still there?', 'welcome']);
});

it('shows one conversation in two tabs, and sends nothing twice', async () => {
  const { rest, browser, address } = await setUp();
  const one = await visit(browser, address);
  const two = await visit(browser, address);
  await one.launcher.click();
  await two.launcher.click();
  await Promise.all([one.say('from one'), two.say('from two')]);
  for (const tab of [one, two]) {
    for (const text of ['from one', 'from two']) {
      await tab.message(text).getByText('Sent').waitFor();
      expect(await tab.message(text).count()).toBe(1);
    }
  }
  const { json } = await rest('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body).sort()).toEqual(['from one', 'from two']);
  expect((await rest('GET', '/api/v1/rooms/')).json).toHaveLength(1);
});

it('shows a message that another tab has sent, however late it learns of that', async () => {
  const { rest, browser, address } = await setUp();
  const one = await visit(browser, address);
  const two = await visit(browser, address);
  await one.launcher.click();
  await two.launcher.click();
  await browser.route('**/api/v1/messages/', async (route) => {
    await new Promise((done) => setTimeout(done, 1_000));
    await route.continue().catch(() => {});
  });
  await one.say('from one');
  await one.message('from one').getByText('Sending').waitFor();
  // It waits for its turn; whichever tab has the turn sends what the other one wrote, too.
  await two.say('from two');
  await unwatchedDuring(two.page, () =>
    two.page.evaluate(() => {
      for (const end = performance.now() + 5_000; performance.now() < end; );
    }),
  );
  for (const tab of [one, two])
    for (const text of ['from one', 'from two']) await tab.message(text).getByText('Sent').waitFor();
  const { json } = await rest('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body)).toEqual(['from two', 'from one']);
});

it('sends in one tab what another one that was closed could not send any more', async () => {
  const { rest, browser, address } = await setUp();
  const one = await visit(browser, address);
  await one.launcher.click();
  await one.say('from both');
  await one.message('from both').getByText('Sent').waitFor();
  const two = await visit(browser, address);
  await two.launcher.click();
  await two.message('from both').waitFor();
  await one.page.route('**/api/v1/messages/', () => {});
  await one.say('left behind');
  await two.message('left behind').waitFor();
  await one.page.close();
  await two.message('left behind').getByText('Sent').waitFor();
  const { json } = await rest('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body).sort()).toEqual(['from both', 'left behind']);
});

it('an answer that is lost on its way makes no second message', async () => {
  const { rest, browser, address } = await setUp();
  const { page, launcher, say, message } = await visit(browser, address);
  let lost = 0;
  const keys = new Set<string | undefined>();
  await page.route('**/api/v1/messages/', async (route) => {
    if (route.request().method() !== 'POST') return route.continue();
    keys.add(route.request().headers()['idempotency-key']);
    if (lost++) return route.continue();
    await route.fetch();
    await route.abort();
  });
  await launcher.click();
  await say('only once');
  await message('only once').getByText('Sent').waitFor();
  expect(lost).toBeGreaterThan(1);
  // One key, under which it is made once also when the phone was off for a week (docs/contract.md#idempotency-keys).
  expect([...keys]).toEqual([expect.stringMatching(UUID_7)]);
  expect((await rest('GET', '/api/v1/messages/')).json).toHaveLength(1);
  expect(await message('only once').count()).toBe(1);
});

it('says why a message was refused for good, and offers to edit it', async () => {
  const { browser, address } = await setUp();
  const { page, launcher, say, message, field } = await visit(browser, address);
  await page.route('**/api/v1/messages/', (route) =>
    route.request().method() === 'POST' && route.request().postData()?.includes('rude')
      ? route.fulfill({ status: 400, json: { body: ['Please be kind.'] } })
      : route.continue(),
  );
  await launcher.click();
  await say('something rude');
  await message('something rude').getByText('Failed').waitFor();
  await message('something rude').getByText('Please be kind.').waitFor();
  await say('the next one');
  await message('the next one').getByText('Sent').waitFor();
  await message('something rude').getByRole('button', { name: 'Edit and send again' }).click();
  expect(await field.inputValue()).toBe('something rude');
  expect(await message('something rude').count()).toBe(0);
  await say('something nice');
  await message('something nice').getByText('Sent').waitFor();
});

it('begins a new session when the old one has ended, and loses nothing', async () => {
  const { rest, widget, browser, address } = await setUp();
  const { page, launcher, say, message } = await visit(browser, address);
  await launcher.click();
  await say('before');
  await message('before').getByText('Sent').waitFor();
  await page.evaluate((key) => {
    const session = JSON.parse(localStorage[key]);
    localStorage[key] = JSON.stringify({ ...session, token: `${session.token.slice(0, -4)}AAAA` });
  }, `parlor.${widget}.session`);
  await say('after');
  await message('after').getByText('Sent').waitFor();
  expect((await rest('GET', '/api/v1/messages/')).json).toHaveLength(2);
});
