import type { Page } from 'playwright-core';
import type { ServerProcess } from '../../server/test/server-process.ts';
import type { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** Where an answer is written. */
export const answer = (page: Page) => page.getByLabel('Answer', { exact: true });
/** What says that something was not sent. */
export const alert = (page: Page) => log(page).getByRole('alert').filter({ hasText: 'Not sent.' });
export const tryAgain = (page: Page) => alert(page).getByRole('button', { name: 'Try again' });
/** What a proxy says whose server is away. */
export const BAD_GATEWAY = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };

/** Until nothing is on its way any more. */
export const sendAgain = async (page: Page): Promise<void> => {
  await tryAgain(page).click();
  await log(page).getByText('Sending').waitFor({ state: 'detached' });
  await alert(page).waitFor({ state: 'detached' });
};

/** The same where the timeline is being read: what is pressed while it comes moves away below the pointer. */
export const sendAgainOnceRead = async (page: Page): Promise<void> => {
  await log(page).getByText('Hello').waitFor();
  await sendAgain(page);
};

/** Writes an answer, and sends it. */
export const write = async (page: Page, text: string): Promise<void> => {
  await answer(page).fill(text);
  await page.keyboard.press('Control+Enter');
};

/** Two visitors have written, and what is answered to the first one is refused by a proxy. */
export const startRefused = async (openBrowser: ReturnType<typeof useBrowser>, server: ServerProcess) => {
  const inbox = await startInbox(openBrowser, {}, server);
  const ada = await inbox.visit('Ada', 'Hello');
  await inbox.visit('Bob', 'Good day');
  await row(inbox.page, 'Bob').waitFor();
  await row(inbox.page, 'Ada').click();
  await log(inbox.page).getByText('Hello').waitFor();
  await inbox.page.route('**/api/v1/messages/', (route) => route.fulfill(BAD_GATEWAY));
  const goToBob = async () => {
    await row(inbox.page, 'Bob').click();
    await log(inbox.page).getByText('Good day').waitFor();
  };
  const said = async (body: string) => (await ada.heard()).filter((text) => text === body).length;
  return { ...inbox, ada, goToBob, said };
};
