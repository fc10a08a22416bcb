import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row } from './inbox-page.ts';
import {
  alert,
  answer,
  BAD_GATEWAY,
  sendAgainOnceRead,
  startRefused as start,
  tryAgain,
  write,
} from './unsent-page.ts';

/** Answers and notes that could not be sent: they stay until they are sent or discarded. */

const openBrowser = useBrowser();
const server = useServer();
const startRefused = () => start(openBrowser, server());

it('keeps what could not be sent while one is in another conversation', async () => {
  const { page, goToBob, said } = await startRefused();
  await write(page, 'We deliver');
  await alert(page).waitFor();
  await goToBob();
  expect(await alert(page).count()).toBe(0);
  await row(page, 'Ada').getByText('Not sent.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('region', { name: 'All' }).getByRole('link', { name: 'Ada', exact: true }).click();
  await log(page).getByText('We deliver').waitFor();
  await page.unroute('**/api/v1/messages/');
  await sendAgainOnceRead(page);
  await row(page, 'Ada').getByText('Not sent.').waitFor({ state: 'detached' });
  await expect.poll(() => said('We deliver')).toBe(1);
  expect(await log(page).getByText('We deliver').count()).toBe(1);
});

it('says so where one has gone on before it failed, also offline', async () => {
  const { page, goToBob, said } = await startRefused();
  await page.unroute('**/api/v1/messages/');
  let fail = () => {};
  const held = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route('**/api/v1/messages/', async (route) => {
    await held;
    await route.abort('internetdisconnected');
  });
  await write(page, 'In two days');
  await goToBob();
  fail();
  const told = page
    .getByRole('status')
    .getByText('What you wrote in the conversation with Ada was not sent.');
  await told.waitFor();
  await row(page, 'Ada').getByText('Not sent.').waitFor();
  await page.unroute('**/api/v1/messages/');
  await row(page, 'Ada').click();
  await sendAgainOnceRead(page);
  await expect.poll(() => said('In two days')).toBe(1);
});

it('keeps it when the session has ended, for whoever wrote it alone', async () => {
  const { page, join, signIn, said } = await startRefused();
  await join('grace', 'operator', 'Grace');
  await page.unroute('**/api/v1/messages/');
  // Nothing but the answer itself is asked for without the session.
  const isKept = page.waitForResponse((response) => response.url().endsWith('/draft/'));
  await answer(page).fill('After all');
  await isKept;
  await page.context().clearCookies();
  await page.keyboard.press('Control+Enter');
  await signIn(page, 'grace');
  await log(page).getByText('Hello').waitFor();
  expect(await page.getByText('After all').count()).toBe(0);
  expect(await page.getByText('Not sent.').count()).toBe(0);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page);
  await log(page).getByText('After all').waitFor();
  await sendAgainOnceRead(page);
  await expect.poll(() => said('After all')).toBe(1);
});

it('keeps a note as a note, and gives what is discarded back beside what was begun', async () => {
  const { page, ada, rest } = await startRefused();
  const notes = `/api/v1/conversations/${ada.uuid}/notes/`;
  await page.route(`**${notes}`, (route) => route.fulfill(BAD_GATEWAY));
  const note = page.getByLabel('Note', { exact: true });
  const writeNote = async (text: string) => {
    await page.getByRole('button', { name: 'Note', exact: true }).click();
    await note.fill(text);
  };
  await writeNote('Between us');
  await page.keyboard.press('Control+Enter');
  await alert(page).waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await answer(page).fill('Dear Ada');
  await alert(page).getByRole('button', { name: 'Discard' }).click();
  await expect.poll(() => note.inputValue()).toBe('Between us\n\nDear Ada');
  await page.keyboard.press('Control+Enter');
  await note.press('Control+Enter');
  await alert(page).waitFor();
  await page.reload();
  await page.unroute(`**${notes}`);
  await sendAgainOnceRead(page);
  const noted = async () => {
    const { json } = await rest('GET', `/api/v1/conversations/${ada.uuid}/timeline/`);
    return json.filter(({ kind }: { kind: string }) => kind === 'note');
  };
  await expect.poll(noted).toMatchObject([{ body: 'Between us\n\nDear Ada' }]);
  expect(await ada.heard()).toEqual(['Hello']);
});

it('does with it what was set with it, once it has been sent', async () => {
  const { page, rest, ada, goToBob } = await startRefused();
  const reply = { name: 'Days', shortcut: 'days', body: 'In two days.', tags: ['times'], status: 'done' };
  expect((await rest('POST', '/api/v1/replies/', reply)).status).toBe(201);
  await page.reload();
  await answer(page).focus();
  await page.keyboard.type('/days');
  await page.getByRole('option', { name: 'Days' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Together with it: tag times and Done').waitFor();
  await page.keyboard.press('Control+Enter');
  await alert(page).waitFor();
  const state = async () => (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
  expect(await state()).toMatchObject({ status: 'open', tags: [] });
  await goToBob();
  await page.reload();
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  await page.unroute('**/api/v1/messages/');
  await tryAgain(page).click();
  await expect.poll(state).toMatchObject({ status: 'done', tags: ['times'] });
});

it('loses nothing of it where the browser keeps nothing, until the page is left', async () => {
  const { page, goToBob, said } = await startRefused();
  await page.evaluate(() => {
    Storage.prototype.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
  });
  await write(page, 'No room');
  await alert(page).waitFor();
  await goToBob();
  await row(page, 'Ada').click();
  await page.unroute('**/api/v1/messages/');
  await sendAgainOnceRead(page);
  await expect.poll(() => said('No room')).toBe(1);
});
