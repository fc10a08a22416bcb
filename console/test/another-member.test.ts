import type { Page, WebSocketRoute } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** Somebody else who signs in in another page of the same browser. */

const openBrowser = useBrowser();
const server = useServer();

it('has the inbox begin anew, whose channel was away meanwhile: nothing is written in another name', async () => {
  const { page, join, signIn, visit, rest } = await startInbox(openBrowser, {}, server());
  await join('grace', 'operator', 'Grace');
  const { uuid } = await visit('Ada', 'Do you deliver?');
  let isAway = false;
  const channels: WebSocketRoute[] = [];
  await page.routeWebSocket(/\/api\/v1\/realtime$/, async (channel) => {
    if (isAway) return channel.close({ code: 4_000 });
    channel.connectToServer();
    channels.push(channel);
  });
  await page.goto(`${server().url}/console/inbox/all/${uuid}`);
  await log(page).getByText('Do you deliver?').waitFor();
  const answer = page.getByLabel('Answer', { exact: true });
  // What could not be sent is kept in the tab, and keeps nobody on the page.
  await page.route('**/api/v1/messages/', (route) => route.abort());
  await answer.fill('Not sent as the owner');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('Not sent.').waitFor();
  await page.unroute('**/api/v1/messages/');
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    return dialog.dismiss();
  });
  const begun = 'In the name of the owner';
  // That of what was emptied before may be under way still.
  const isKept = page.waitForResponse(
    (kept) => kept.url().endsWith('/draft/') && kept.request().postData()?.includes(begun) === true,
  );
  await answer.fill(begun);
  await isKept;
  await page.getByText('No connection.').waitFor({ state: 'detached' });

  const other = await page.context().newPage();
  await other.goto(`${server().url}/console/`);
  await row(other, 'Ada').waitFor();
  isAway = true;
  for (const channel of channels) await channel.close({ code: 4_000 });
  await other.getByRole('button', { name: 'Sign out' }).click();
  await signIn(other, 'grace');
  await row(other, 'Ada').waitFor();
  isAway = false;
  // The next try may be 20 s away.
  await page.evaluate(() => dispatchEvent(new Event('online')));

  await page.getByText('Operator', { exact: true }).waitFor();
  await log(page).getByText('Do you deliver?').waitFor();
  expect(await answer.inputValue()).toBe('');
  expect(asked).toEqual([]);
  const { json } = await rest('GET', `/api/v1/messages/?room=${uuid}`);
  expect(json).toHaveLength(1);
});

it('keeps nothing in another name that was on its way when somebody else signed in', async () => {
  const { page, join, signIn, visit } = await startInbox(openBrowser, {}, server());
  await join('grace', 'operator', 'Grace');
  const { uuid } = await visit('Ada', 'Do you deliver?');
  // Told by nothing but the responses to what it asks.
  await page.routeWebSocket(/\/api\/v1\/realtime$/, (channel) => channel.close({ code: 4_000 }));
  await page.goto(`${server().url}/console/inbox/all/${uuid}`);
  await log(page).getByText('Do you deliver?').waitFor();
  let release = (): Promise<void> => Promise.reject(new Error('nothing is held'));
  const isHeld = new Promise<void>((resolve) => {
    void page.route('**/draft/', (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      release = () => route.continue();
      resolve();
    });
  });
  const answerOn = (one: Page) => one.getByLabel('Answer', { exact: true });
  await answerOn(page).fill('In the name of the owner');
  await isHeld;

  const other = await page.context().newPage();
  await other.goto(`${server().url}/console/`);
  await row(other, 'Ada').waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await signIn(other, 'grace');
  await row(other, 'Ada').waitFor();
  const isAnswered = page.waitForResponse((response) => response.request().method() === 'PUT');
  await release();
  expect((await isAnswered).status()).toBe(403);

  await row(other, 'Ada').click();
  await log(other).getByText('Do you deliver?').waitFor();
  await page.getByText('Operator', { exact: true }).waitFor();
  await log(page).getByText('Do you deliver?').waitFor();
  for (const one of [page, other]) {
    // What it is to begin with has been read.
    await one.waitForLoadState('networkidle');
    expect(await answerOn(one).inputValue()).toBe('');
  }
});

it('comes in where somebody has signed in in another tab, and keeps what is typed until then', async () => {
  const { page, signIn, visit } = await startInbox(openBrowser, {}, server());
  await visit('Ada', 'Do you deliver?');
  await row(page, 'Ada').waitFor();
  const other = await page.context().newPage();
  await other.goto(`${server().url}/console/`);
  await row(other, 'Ada').waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  const username = page.getByLabel('Username');
  await username.fill('ada');
  const look = () => page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  const isRefused = page.waitForResponse((response) => response.url().endsWith('/auth/session'));
  await look();
  expect((await isRefused).status()).toBe(401);
  expect(await username.inputValue()).toBe('ada');
  await signIn(other);
  await row(other, 'Ada').waitFor();
  await look();
  await row(page, 'Ada').waitFor();
});
