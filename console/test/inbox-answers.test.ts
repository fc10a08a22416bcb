import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** Answers while they are written and sent, in a real browser on a real server. */

const openBrowser = useBrowser();
const server = useServer();
const startInbox = (options = {}) => start(openBrowser, options, server());

it('tells who else looks and writes, and keeps what was begun', async () => {
  const { page, visit, join, open, signIn } = await startInbox();
  await join('grace', 'operator', 'Grace');
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  const hers = await open(`inbox/all/${ada.uuid}`);
  await signIn(hers, 'grace');
  await page.getByText('Grace is looking at this, too.').waitFor();
  await hers.getByLabel('Answer', { exact: true }).fill('Dear Ada');
  await page.getByText('Grace is writing an answer.').waitFor();
  const kept = hers.waitForResponse(
    (answer) => answer.url().endsWith('/draft/') && answer.request().method() === 'PUT',
  );
  await hers.getByLabel('Answer', { exact: true }).fill('Dear Ada, we');
  await kept;
  const elsewhere = await open(`inbox/all/${ada.uuid}`);
  await signIn(elsewhere, 'grace');
  await expect.poll(() => elsewhere.getByLabel('Answer', { exact: true }).inputValue()).toMatch(/^Dear Ada/);
});

it('keeps an answer that could not be sent, and sends it once', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  let isLost = true;
  // One that arrives, and whose response is lost, is in unsent-arrived.test.ts.
  await page.route('**/api/v1/messages/', (route) => (isLost ? route.abort() : route.continue()));
  await page.getByLabel('Answer', { exact: true }).fill('Once');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Not sent.').waitFor();
  isLost = false;
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  const heard = async () => (await ada.heard()).filter((body) => body === 'Once').length;
  await expect.poll(heard).toBe(1);
  // While the second try is under way it stands beside what the channel has told.
  await expect.poll(() => log(page).getByText('Once').count()).toBe(1);
});

it('shows an answer once, whether the channel or the request tells of it first', async () => {
  const { page, visit } = await startInbox();
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/v1/messages/', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.getByLabel('Answer', { exact: true }).fill('We deliver');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('We deliver').waitFor();
  const answers = log(page).getByText('We deliver');
  await log(page).getByText('Sending').waitFor({ state: 'detached' });
  expect(await answers.count()).toBe(1);
  answer();
  await row(page, 'Ada').getByText('We deliver').waitFor();
  expect(await answers.count()).toBe(1);
});

it('shows nobody else what a member began to write', async () => {
  const { page, visit, join, signIn } = await startInbox();
  await join('grace', 'operator', 'Grace');
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Between us');
  await page.context().clearCookies();
  await page.reload();
  await signIn(page, 'grace');
  await log(page).getByText('Hello').waitFor();
  expect(await page.getByLabel('Answer', { exact: true }).inputValue()).toBe('');
});

it('cuts nothing that is pasted, counts as the server does, and says what is too long', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const answer = page.getByLabel('Answer', { exact: true });
  const paste = async (text: string) => {
    await answer.fill('');
    await answer.focus();
    await page.keyboard.insertText(text);
  };
  await paste('x'.repeat(12_000));
  expect((await answer.inputValue()).length).toBe(12_000);
  await page.getByText('12,000 of 10,000 characters').waitFor();
  await page.getByRole('alert').getByText('Too long').waitFor();
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Too long').waitFor();
  expect((await answer.inputValue()).length).toBe(12_000);
  expect(await answer.getAttribute('aria-invalid')).toBe('true');
  await page.reload();
  await expect.poll(async () => (await answer.inputValue()).length).toBe(12_000);
  await page.getByText('12,000 of 10,000 characters').waitFor();
  // An emoji is one character of two UTF-16 code units.
  await paste('🙂'.repeat(9_999));
  await page.getByText('9,999 of 10,000 characters').waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Control+Enter');
  await expect.poll(ada.heard).toContain('🙂'.repeat(9_999));
});
