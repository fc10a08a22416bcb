import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What is begun to be written here and on another device: no word of it is lost, and nothing goes out twice. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };

const answer = (page: Page) => page.getByLabel('Answer', { exact: true });
const written = (page: Page) => expect.poll(() => answer(page).inputValue(), PATIENCE);
const bar = (page: Page) => page.getByText('On another device you have written');

/** Two conversations; the owner's other device is the API. */
const startInbox = async (from = server()) => {
  const inbox = await start(openBrowser, {}, from);
  const { page, rest } = inbox;
  const ada = await inbox.visit('Ada', 'Hello');
  await inbox.visit('Bob', 'Good day');
  await row(page, 'Bob').waitFor();
  await row(page, 'Ada').waitFor();
  const path = `/api/v1/conversations/${ada.uuid}/draft/`;
  const openAda = async () => {
    await row(page, 'Ada').click();
    await log(page).getByText('Hello').waitFor();
  };
  const openBob = async () => {
    await row(page, 'Bob').click();
    await log(page).getByText('Good day').waitFor();
  };
  const draft = () => expect.poll(async () => (await rest('GET', path)).json.body, PATIENCE);
  const writeElsewhere = async (body: string) =>
    expect((await rest('PUT', path, { body, is_note: false })).status).toBe(200);
  const sendElsewhere = async (body: string) => {
    const message = { body, is_support_sender: true, room: { uuid: ada.uuid } };
    expect((await rest('POST', '/api/v1/messages/', message)).status).toBe(201);
    await writeElsewhere('');
  };
  /** What the page has had the server keep from here on. */
  const puts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PUT') puts.push(request.postData() ?? '');
  });
  /** Writes here, until the server has it and has said so. */
  const write = async (body: string) => {
    const kept = page.waitForResponse((response) => response.request().method() === 'PUT');
    await answer(page).fill(body);
    await (await kept).finished();
    await page.waitForLoadState('networkidle');
    await draft().toBe(body);
  };
  return { ...inbox, ada, openAda, openBob, draft, write, writeElsewhere, sendElsewhere, puts };
};

it('goes on with what was written further on another device', async () => {
  const { page, openAda, openBob, draft, write, writeElsewhere } = await startInbox();
  await openAda();
  await write('one');
  await openBob();
  await writeElsewhere('one two three, a long answer');
  await openAda();
  await written(page).toBe('one two three, a long answer');
  await answer(page).press('End');
  await answer(page).pressSequentially('!');
  await draft().toBe('one two three, a long answer!');
  expect(await bar(page).count()).toBe(0);
});

it('shows both where something was written here and on another device', async () => {
  const { page, openAda, draft, write, writeElsewhere } = await startInbox();
  await openAda();
  await write('one');
  await writeElsewhere('one two three');
  await answer(page).fill('one!');
  await bar(page).waitFor();
  await page.getByText('one two three').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  expect(await answer(page).inputValue()).toBe('one!');
  await draft().toBe('one two three');
  // Over a reload, too.
  await page.reload();
  await bar(page).waitFor();
  await written(page).toBe('one!');
  await page.getByRole('button', { name: 'Add it below' }).click();
  await written(page).toBe('one!\n\none two three');
  await draft().toBe('one!\n\none two three');
  await bar(page).waitFor({ state: 'detached' });

  await writeElsewhere('Something else');
  await answer(page).fill('Mine');
  await bar(page).waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await draft().toBe('Mine');
  await bar(page).waitFor({ state: 'detached' });
  await written(page).toBe('Mine');
});

it('keeps both over a sign-out', async () => {
  const { page, openAda, draft, write, writeElsewhere } = await startInbox();
  await openAda();
  await write('one');
  await writeElsewhere('two');
  await answer(page).fill('one!');
  await bar(page).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Username').waitFor();
  await draft().toBe('one!\n\ntwo');
});

it('shows what comes after something was typed, and writes nothing over it', async () => {
  const { page, openAda, draft, writeElsewhere, puts } = await startInbox();
  await writeElsewhere('Ten minutes of work on the phone');
  let release = () => {};
  const isWanted = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/draft/', async (route) => {
    if (route.request().method() === 'GET') await isWanted;
    await route.continue();
  });
  await openAda();
  await answer(page).fill('H');
  // What is left is kept then, as far as it may be.
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  release();
  await bar(page).waitFor();
  await page.getByText('Ten minutes of work on the phone').waitFor();
  expect(await answer(page).inputValue()).toBe('H');
  expect(puts).toEqual([]);
  await draft().toBe('Ten minutes of work on the phone');
});

it('reads again what could not be read, and writes nothing over it until then', async () => {
  const { page, openAda, openBob, draft, writeElsewhere, puts } = await startInbox();
  await writeElsewhere('A long draft');
  let isAway = true;
  let refused = 0;
  await page.route('**/draft/', (route) => {
    if (!isAway || route.request().method() !== 'GET') return route.continue();
    refused += 1;
    return route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, json: { detail: 'Away' } });
  });
  await openAda();
  await expect.poll(() => refused, PATIENCE).toBe(1);
  isAway = false;
  await written(page).toBe('A long draft');

  await openBob();
  isAway = true;
  refused = 0;
  await writeElsewhere('A longer draft');
  await openAda();
  await answer(page).fill('K');
  await expect.poll(() => refused, PATIENCE).toBeGreaterThan(2);
  expect(puts).toEqual([]);
  await draft().toBe('A longer draft');
  isAway = false;
  await bar(page).waitFor();
  expect(await answer(page).inputValue()).toBe('K');
});

it('has the server get what was typed while it was away', async () => {
  const settings = { ...(await serverSettings()), REGISTRATION: 'open', RATE_LIMIT: 'off' };
  const first = await startServerProcess(settings);
  const { page, openAda, openBob, draft, write } = await startInbox(first);
  await openAda();
  await write('Dear Ada');
  await first.end('SIGKILL');
  const isLost = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/draft/'));
  await answer(page).fill('Dear Ada, typed while the server was away');
  await isLost;
  await startServerProcess({ ...settings, PORT: new URL(first.url).port });
  await draft().toBe('Dear Ada, typed while the server was away');
  // And goes on from there.
  await openBob();
  await openAda();
  await written(page).toBe('Dear Ada, typed while the server was away');
  await write('Dear Ada, again');
});

it('asks before a tab is closed whose words the server does not have', async () => {
  const { page, openAda, openBob, draft } = await startInbox();
  await openAda();
  await page.route('**/draft/', (route) =>
    route.request().method() === 'PUT' ? route.fulfill({ status: 503, json: {} }) : route.continue(),
  );
  const isRefused = page.waitForResponse((response) => response.request().method() === 'PUT');
  await answer(page).fill('Dear Ada');
  await isRefused;
  await openBob();
  const asked = page.waitForEvent('dialog', PATIENCE);
  await page.close({ runBeforeUnload: true });
  await (await asked).dismiss();
  await page.unroute('**/draft/');
  await draft().toBe('Dear Ada');
  // The response may be on its way.
  await page.waitForLoadState('networkidle');
  const closed = page.waitForEvent('close');
  await page.close({ runBeforeUnload: true });
  await closed;
});

it('has nothing in the field that was sent on another device while the tab was away', async () => {
  const { page, ada, url, openAda, draft, write, sendElsewhere, puts } = await startInbox();
  await openAda();
  await write('Dear Ada, your lamp is sent.');
  const address = page.url();
  await page.goto('about:blank');
  await sendElsewhere('Dear Ada, your lamp is sent.');
  await page.goto(address);
  await log(page).getByText('your lamp is sent').waitFor();
  await written(page).toBe('');
  await page.reload();
  await log(page).getByText('your lamp is sent').waitFor();
  await written(page).toBe('');

  // The same where the channel does not tell of it, and only that there is more.
  let resync = () => {};
  await page.routeWebSocket(/\/api\/v1\/realtime$/, (channel) => {
    const upstream = channel.connectToServer();
    upstream.onMessage((frame) => {
      if (!String(frame).includes('"message.added"')) channel.send(frame);
    });
    resync = () => channel.send(JSON.stringify({ type: 'resync' }));
  });
  await page.goto(`${url}/console/inbox/all/${ada.uuid}`);
  await log(page).getByText('your lamp is sent').waitFor();
  puts.length = 0;
  await write('And a bulb.');
  await sendElsewhere('And a bulb for it.');
  resync();
  await log(page).getByText('And a bulb for it.').waitFor();
  await written(page).toBe('');
  await draft().toBe('');
  expect(puts).toHaveLength(1);
});

it('lets what was typed since stand that was not sent on the other device', async () => {
  const { page, openAda, draft, write, sendElsewhere } = await startInbox();
  await openAda();
  await write('Dear Ada');
  const address = page.url();
  await page.goto('about:blank');
  await sendElsewhere('Dear Ada');
  await page.route('**/draft/', (route) =>
    route.request().method() === 'GET' ? route.abort() : route.continue(),
  );
  await page.goto(address);
  await written(page).toBe('Dear Ada');
  await answer(page).fill('Dear Ada, one more thing');
  await page.unroute('**/draft/');
  await draft().toBe('Dear Ada, one more thing');
  expect(await answer(page).inputValue()).toBe('Dear Ada, one more thing');
});
