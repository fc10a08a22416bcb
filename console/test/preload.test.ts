import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { row, startInbox } from './inbox-page.ts';

/** What the inbox asks for while its script is on its way. */

const openBrowser = useBrowser();
const server = useServer();

it('asks who is signed in and for the list before its script is there, and once', async () => {
  const { page, visit } = await startInbox(openBrowser, {}, server());
  await visit('Ada', 'Do you deliver?');
  const asked: string[] = [];
  let release = (): void => undefined;
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/console\/assets\/index-[^/]+\.js/, async (route) => {
    await isReleased;
    await route.continue();
  });
  page.on('request', (request) => {
    const path = request.url().split('/api/v1/')[1];
    if (path !== undefined) asked.push(path);
  });
  const FIRST = ['account/', 'auth/session', 'conversations/?status=open&assignee=none&limit=50'];
  // All of what is asked for before the script is there has come.
  const isRead = Promise.all(
    FIRST.map((path) => page.waitForResponse((answer) => answer.url().endsWith(path))),
  );
  await page.goto(`${server().url}/console/inbox/unassigned`, { waitUntil: 'commit' });
  await isRead;
  expect(asked.toSorted()).toEqual(FIRST);
  release();
  await row(page, 'Ada').waitFor();
  expect(asked.filter((path) => path === 'account/' || path === 'auth/session')).toHaveLength(2);
});

it('lets somebody sign in who was not when the inbox was asked for', async () => {
  const { open, signIn, visit } = await startInbox(openBrowser, {}, server());
  await visit('Ada', 'Do you deliver?');
  const page = await open('inbox/all');
  await signIn(page);
  await row(page, 'Ada').waitFor();
  await page.reload();
  await row(page, 'Ada').waitFor();
});
