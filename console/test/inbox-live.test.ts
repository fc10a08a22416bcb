import { expect, it } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { useServer } from './console-page.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What the inbox keeps and reads while others write and the network comes and goes. */

const openBrowser = useBrowser();
const server = useServer();
const startInbox = (options = {}) => start(openBrowser, options, server());

it('keeps no more of a long conversation than is looked at, and reads back what it forgot', async () => {
  const { page, visit, rest } = await startInbox();
  const ada = await visit('Ada', 'The very first');
  await row(page, 'Ada').click();
  await log(page).getByText('The very first').waitFor();
  const room = { uuid: ada.uuid };
  for (let n = 0; n < 440; n += 20) {
    const twenty = Array.from({ length: 20 }, (_, at) => ({
      body: `Answer ${n + at}`,
      is_support_sender: true,
      room,
    }));
    await Promise.all(twenty.map((body) => rest('POST', '/api/v1/messages/', body)));
  }
  await log(page).getByText('Answer 439', { exact: true }).waitFor();
  const lines = log(page).getByRole('listitem');
  await expect.poll(() => lines.count()).toBeLessThan(402);
  expect(await log(page).getByText('The very first').count()).toBe(0);
  await expect
    .poll(
      async () => {
        await log(page).evaluate((element) => element.scrollTo({ top: 0 }));
        return log(page).getByText('The very first').count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  const said = await log(page)
    .getByText(/^Answer \d+$/)
    .allInnerTexts();
  expect(new Set(said).size).toBe(440);
  expect(said).toHaveLength(440);
});

it('is right without a reload once the connection is back', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  await page.context().setOffline(true);
  await ada.say('While you were away');
  await visit('Bob', 'New meanwhile');
  await page.context().setOffline(false);
  await log(page).getByText('While you were away').waitFor({ timeout: 60_000 });
  await row(page, 'Bob').waitFor();
});

it('keeps the open conversation, and the place where one writes, when everything is read anew', async () => {
  const { page, visit, open, signIn, rest } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await rest('PATCH', `/api/v1/conversations/${ada.uuid}/`, { status: 'done' });
  // A view that does not have it, as a link in a mail may name.
  const linked = await open(`inbox/mine/${ada.uuid}`);
  await signIn(linked);
  const answer = linked.getByLabel('Answer', { exact: true });
  await answer.fill('Dear Ada');
  await linked.context().setOffline(true);
  await page.context().setOffline(false);
  await linked.context().setOffline(false);
  await ada.say('Anybody there?');
  await log(linked).getByText('Anybody there?').waitFor({ timeout: 60_000 });
  expect(await answer.inputValue()).toBe('Dear Ada');
  expect(await answer.evaluate((field) => field === document.activeElement)).toBe(true);
});

it('takes in what is said without asking for each conversation again', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').waitFor();
  await page.waitForTimeout(2_000);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (let at = 1; at <= 10; at++) await ada.say(`Message ${at}`);
  await row(page, 'Ada').getByText('Message 10').waitFor();
  expect(asked.filter((path) => path.includes(ada.uuid))).toEqual([]);
  expect(asked.length).toBeLessThanOrEqual(4);
});
