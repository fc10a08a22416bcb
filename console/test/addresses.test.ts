import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { row, startInbox } from './inbox-page.ts';

/** Addresses that somebody has kept, changed or mistyped. */

const openBrowser = useBrowser();
const server = useServer();

it('opens the view of a tag with any characters, and again by its address', async () => {
  const { page, rest, visit } = await startInbox(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Do you deliver?');
  await row(page, 'Ada').waitFor();
  await rest('PATCH', `/api/v1/conversations/${uuid}/`, { tags: ['50% off/%41?#'] });
  const view = `/console/inbox/${encodeURIComponent('tag:50% off/%41?#')}`;
  await page.goto(server().url + view);
  await row(page, 'Ada').click();
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`${view}/${uuid}`);
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'Ada' }).waitFor();
});

it('says so where an address names nothing, even one that is no text', async () => {
  const { page } = await startInbox(openBrowser, {}, server());
  for (const path of [
    'inbox/nothing',
    'inbox/%E0%A4%A',
    'inbox/all/%FF',
    'inbox/tag:%',
    '%',
    'leads/%C3%28',
  ]) {
    await page.goto(`${server().url}/console/${path}`);
    await page.getByRole('heading', { level: 1, name: 'There is nothing at this address.' }).waitFor();
  }
  await page.getByRole('link', { name: 'Go to the start' }).click();
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
});
