import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { UUID_7 } from '../../server/test/uuids.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log } from './inbox-page.ts';
import { alert, sendAgain, startRefused as start, write } from './unsent-page.ts';

/** Answers and notes that have arrived, or may have, though the page heard nothing of it: each is there once. */

const openBrowser = useBrowser();
const server = useServer();
const startRefused = () => start(openBrowser, server());

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
