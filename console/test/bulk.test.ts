import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { row, startInbox } from './inbox-page.ts';

/** Several conversations at once. */

const openBrowser = useBrowser();
const server = useServer();

it('does with several at once what is done with one, and takes it back', async () => {
  const { page, visit, rest, join } = await startInbox(
    openBrowser,
    {
      viewport: { width: 1_280, height: 800 },
    },
    server(),
  );
  await join('grace', 'operator', 'Grace');
  const names = ['Ada', 'Bob', 'Cleo', 'Dan'];
  const uuids: string[] = [];
  for (const name of names) uuids.push((await visit(name, `Hello from ${name}`)).uuid);
  const [, bob = ''] = uuids;
  await rest('PATCH', `/api/v1/conversations/${bob}/`, {
    status: 'snoozed',
    snoozed_until: new Date(Date.now() + 3_600_000).toISOString(),
  });
  await page.reload();
  await row(page, 'Ada').waitFor();
  const states = async () =>
    Promise.all(
      uuids.map(async (uuid) => {
        const { json } = await rest('GET', `/api/v1/conversations/${uuid}/`);
        return [json.status, json.assignee === null ? '' : 'taken', ...json.tags].join(' ');
      }),
    );

  await page.getByRole('button', { name: 'Select several' }).click();
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await page.getByRole('checkbox', { name: 'Select Cleo' }).check();
  const bar = page.getByRole('toolbar', { name: 'Selection' });
  await bar.getByText('2 selected').first().waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await bar.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add a tag').fill('delivery');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('Tagged delivery.').waitFor();
  await expect.poll(states).toEqual(['open  delivery', 'snoozed ', 'open  delivery', 'open ']);

  // Also those that have no tag yet get it, and by the undo those alone lose it.
  await page.getByRole('button', { name: 'Select several' }).click();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await bar.getByText('3 selected').first().waitFor();
  await bar.getByRole('button', { name: 'Tags' }).click();
  await page.getByRole('menuitemradio', { name: 'delivery' }).click();
  await expect.poll(states).toEqual(['open  delivery', 'snoozed ', 'open  delivery', 'open  delivery']);
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(states).toEqual(['open  delivery', 'snoozed ', 'open  delivery', 'open ']);

  await row(page, 'Ada').click();
  await page.getByRole('log').waitFor();
  // Quicker than a page is drawn.
  await page.evaluate(() => {
    for (const key of ['x', 'j', 'x']) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    }
  });
  await bar.getByText('2 selected').first().waitFor();
  await bar.getByRole('button', { name: 'Assign' }).click();
  await page.getByRole('menuitemradio', { name: 'Grace' }).click();
  await page.getByRole('status').getByText('Given to Grace.').waitFor();
  await expect.poll(states).toEqual(['open taken delivery', 'snoozed ', 'open taken delivery', 'open ']);

  await page.getByRole('button', { name: 'Select several' }).click();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await bar.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('status').getByText('3 done.').waitFor();
  await page.getByText('Nothing here').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Dan').waitFor();
  await expect.poll(states).toEqual(['open taken delivery', 'snoozed ', 'open taken delivery', 'open ']);
});

it('keeps what was done to none, when the server can’t be reached', async () => {
  const { page, visit } = await startInbox(openBrowser, { viewport: { width: 360, height: 740 } }, server());
  await visit('Ada', 'Hello');
  await visit('Bob', 'Hello');
  await row(page, 'Bob').waitFor();
  await page.route('**/conversations/bulk/', (route) => route.abort());
  await page.getByRole('button', { name: 'Select several' }).click();
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Done' }).click();
  await page.getByText('Parlor can’t be reached.').waitFor();
  await row(page, 'Ada').waitFor();
  await row(page, 'Bob').waitFor();
});
