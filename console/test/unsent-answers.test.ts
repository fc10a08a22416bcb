import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { UUID_7 } from '../../server/test/uuids.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** Answers and notes that could not be sent: they stay until they are sent or discarded. */

const openBrowser = useBrowser();
const server = useServer();
const startInbox = (options = {}) => start(openBrowser, options, server());

const answer = (page: Page) => page.getByLabel('Answer', { exact: true });
const alert = (page: Page) => log(page).getByRole('alert').filter({ hasText: 'Not sent.' });
const tryAgain = (page: Page) => alert(page).getByRole('button', { name: 'Try again' });
/** What a proxy says whose server is away. */
const BAD_GATEWAY = { status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' };

/** Until nothing is on its way any more. */
const sendAgain = async (page: Page): Promise<void> => {
  await tryAgain(page).click();
  await log(page).getByText('Sending').waitFor({ state: 'detached' });
  await alert(page).waitFor({ state: 'detached' });
};

/** The same where the timeline is being read: what is pressed while it comes moves away below the pointer. */
const sendAgainOnceRead = async (page: Page): Promise<void> => {
  await log(page).getByText('Hello').waitFor();
  await sendAgain(page);
};

const write = async (page: Page, text: string): Promise<void> => {
  await answer(page).fill(text);
  await page.keyboard.press('Control+Enter');
};

/** Two visitors have written, and what is answered to the first one is refused by a proxy. */
const startRefused = async () => {
  const inbox = await startInbox();
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

it('keeps it over a reload, and sends it under the same key', async () => {
  const { page, said } = await startRefused();
  await page.unroute('**/api/v1/messages/');
  // Neither the channel nor the timeline tells that it is there.
  await page.routeWebSocket(/\/api\/v1\/realtime$/, (channel) => void channel.close({ code: 4_000 }));
  await page.route('**/timeline/?*', (route) => route.abort());
  await page.reload();
  const keys: (string | undefined)[] = [];
  await page.route('**/api/v1/messages/', async (route) => {
    keys.push(route.request().headers()['idempotency-key']);
    // It arrives, and the answer to it does not.
    if (keys.length > 1) return route.continue();
    await route.fetch();
    return route.abort();
  });
  await write(page, 'Once');
  await alert(page).waitFor();
  await page.reload();
  await sendAgain(page);
  expect(new Set(keys).size).toBe(1);
  // With such a key it is made once also when it is sent again weeks later (docs/contract.md#idempotency-keys).
  expect(keys[0]).toMatch(UUID_7);
  await expect.poll(() => said('Once')).toBe(1);
  await page.unroute('**/timeline/?*');
  await page.reload();
  await log(page).getByText('Once').waitFor();
  expect(await alert(page).count()).toBe(0);
});

it('goes on with what was on its way when the page was left', async () => {
  const { page, said } = await startRefused();
  await page.unroute('**/api/v1/messages/');
  let isFirst = true;
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  await page.route('**/api/v1/messages/', async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    arrive();
  });
  await write(page, 'On its way');
  await arrived;
  await page.reload();
  await expect.poll(() => said('On its way')).toBe(1);
  await log(page).getByText('Sending').waitFor({ state: 'detached' });
  await expect.poll(() => log(page).getByText('On its way').count()).toBe(1);
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

it.each(['messages', 'notes'])(
  'takes for sent what the channel or the timeline shows to be there: %s',
  async (kind) => {
    const { page, ada, rest } = await startRefused();
    const reply = { name: 'Days', shortcut: 'days', body: 'In two days.', tags: ['times'] };
    expect((await rest('POST', '/api/v1/replies/', reply)).status).toBe(201);
    await page.unroute('**/api/v1/messages/');
    await page.reload();
    const isNote = kind === 'notes';
    const field = page.getByLabel(isNote ? 'Note' : 'Answer', { exact: true });
    const loseResponses = (address: string) =>
      page.route(address, async (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        await route.fetch();
        return route.abort();
      });
    await loseResponses(`**/api/v1/${isNote ? `conversations/${ada.uuid}/notes` : 'messages'}/`);
    if (isNote) {
      await page.getByRole('button', { name: 'Note', exact: true }).click();
      await field.fill('In two days.');
    } else {
      await field.focus();
      await page.keyboard.type('/days');
      await page.getByRole('option', { name: 'Days' }).waitFor();
      await page.keyboard.press('Enter');
    }
    const isLost = page.waitForEvent('requestfailed');
    await page.keyboard.press('Control+Enter');
    await isLost;
    await expect.poll(() => log(page).getByText('In two days.').count()).toBe(1);
    await ada.say('Thanks');
    await log(page).getByText('Thanks').waitFor();
    await alert(page).waitFor({ state: 'detached' });
    expect(await log(page).getByText('In two days.').count()).toBe(1);
    const one = async () => (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
    if (!isNote) await expect.poll(one).toMatchObject({ tags: ['times'] });

    const kept = () =>
      page.evaluate(() => Object.keys(sessionStorage).filter((name) => /^unsent/.test(name)));
    expect(await kept()).toEqual([]);
  },
);

it('takes for sent what the timeline has after the tab was away', async () => {
  const { page, said } = await startRefused();
  await page.unroute('**/api/v1/messages/');
  let isCut = false;
  await page.route('**/api/v1/messages/', async (route) => {
    // It arrives after the page has given it up: the next one reads it before it would send it again.
    isCut = true;
    await route.fetch();
    await page.context().setOffline(true);
    return route.abort();
  });
  await page.routeWebSocket(/\/api\/v1\/realtime$/, (channel) => void channel.close({ code: 4_000 }));
  await page.reload();
  await log(page).getByText('Hello').waitFor();
  await write(page, 'Once');
  await alert(page).waitFor();
  expect(isCut).toBe(true);
  await page.context().setOffline(false);
  await page.reload();
  await log(page).getByText('Once').waitFor();
  await alert(page).waitFor({ state: 'detached' });
  expect(await log(page).getByText('Once').count()).toBe(1);
  expect(await said('Once')).toBe(1);
});
