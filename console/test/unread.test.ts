import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What a member has yet to read: in each of its tabs, and after it has marked it itself. */

const openBrowser = useBrowser();
const server = useServer();

const isUnread = (page: Page, name: string) => row(page, name).getByText('Unread', { exact: true });
const isRead = (page: Page, name: string) => isUnread(page, name).waitFor({ state: 'detached' });

const startInbox = async () => {
  const inbox = await start(openBrowser, {}, server());
  const ada = await inbox.visit('Ada', 'Hello');
  await inbox.visit('Bob', 'Good day');
  await isUnread(inbox.page, 'Bob').waitFor();
  await isUnread(inbox.page, 'Ada').waitFor();
  const onServer = async () => (await inbox.rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json.is_unread;
  const openAda = async (page = inbox.page) => {
    await row(page, 'Ada').click();
    await log(page).getByText('Hello').waitFor();
    await isRead(page, 'Ada');
  };
  return { ...inbox, ada, onServer, openAda };
};

const marked = (page: Page) =>
  page.waitForResponse((answer) => answer.request().postData() === '{"is_unread":true}');

it('leaves what was marked unread so until one comes back to it, whatever is said meanwhile', async () => {
  const { page, ada, onServer, openAda } = await startInbox();
  await openAda();
  await expect.poll(onServer).toBe(false);
  const sent: (string | null)[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') sent.push(request.postData());
  });
  const isMarked = marked(page);
  await page.keyboard.press('u');
  await isMarked;
  await isUnread(page, 'Ada').waitFor();
  await ada.say('Still there?');
  await log(page).getByText('Still there?').waitFor();
  await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
  expect(await isUnread(page, 'Ada').count()).toBe(1);
  expect(await onServer()).toBe(true);
  expect(sent).toEqual(['{"is_unread":true}']);

  await row(page, 'Bob').click();
  await log(page).getByText('Good day').waitFor();
  await isUnread(page, 'Ada').waitFor();
  await openAda();
  await expect.poll(onServer).toBe(false);
});

it('has read what was marked unread once one writes in it', async () => {
  const { page, onServer, openAda } = await startInbox();
  await openAda();
  for (const kind of ['Answer', 'Note']) {
    const isMarked = marked(page);
    await log(page).click();
    await page.keyboard.press('u');
    await isMarked;
    await isUnread(page, 'Ada').waitFor();
    await page.getByRole('button', { name: kind, exact: true }).click();
    await page.getByLabel(kind, { exact: true }).fill(`My ${kind}`);
    await page.keyboard.press('Control+Enter');
    await log(page).getByText(`My ${kind}`).waitFor();
    await isRead(page, 'Ada');
    await expect.poll(onServer).toBe(false);
  }
});

it('shows in the other tabs of the member what it has read, and what it has marked unread', async () => {
  const { page, visit, ada, open, signIn, join, onServer, openAda } = await startInbox();
  await join('grace', 'operator', 'Grace');
  const tab = await page.context().newPage();
  await tab.goto(page.url());
  const browser = await open('inbox/all');
  await signIn(browser);
  const colleague = await open('inbox/all');
  await signIn(colleague, 'grace');
  const others = [tab, browser];
  // Who has joined since has nothing to read of what was said before.
  await ada.say('Anybody there?');
  for (const one of [...others, colleague]) await isUnread(one, 'Ada').waitFor();
  await openAda();
  for (const one of others) await isRead(one, 'Ada');

  // One has it open, too, and does not read it again by itself.
  await openAda(browser);
  const isSaved = marked(page);
  await page.keyboard.press('u');
  await isSaved;
  for (const one of [page, ...others]) await isUnread(one, 'Ada').waitFor();
  await visit('Cleo', 'The last one');
  for (const one of [page, ...others]) {
    await row(one, 'Cleo').waitFor();
    expect(await isUnread(one, 'Ada').count()).toBe(1);
  }
  expect(await onServer()).toBe(true);

  // What was read while the channel was away.
  await browser.context().setOffline(true);
  await row(page, 'Bob').click();
  await openAda();
  await browser.context().setOffline(false);
  await isRead(browser, 'Ada');
  await ada.say('Still there?');
  for (const one of [...others, colleague]) await row(one, 'Ada').getByText('Still there?').waitFor();
  expect(await isUnread(colleague, 'Ada').count()).toBe(1);
});
