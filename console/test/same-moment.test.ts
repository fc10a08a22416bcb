import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { holdRequest } from './hold-answer.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What two change of one conversation at the same moment. */

const openBrowser = useBrowser();
const server = useServer();

it('keeps the tag that a colleague gives at the same moment, and the one that a colleague takes away', async () => {
  const { page, visit, rest } = await start(
    openBrowser,
    { viewport: { width: 1_440, height: 900 } },
    server(),
  );
  const { uuid } = await visit('Ada', 'Hello');
  const path = `/api/v1/conversations/${uuid}/`;
  const tags = async (): Promise<string[]> => (await rest('GET', path)).json.tags.sort();
  await rest('PATCH', path, { tags: ['old', 'older'] });
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const shown = page.getByRole('complementary', { name: 'About this visitor' }).getByRole('listitem');
  await expect.poll(() => shown.count()).toBe(2);

  const adding = await holdRequest(page, /\/api\/v1\/conversations\//, ['PATCH', 'POST']);
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add a tag').fill('mine');
  await page.keyboard.press('Enter');
  await adding.asked;
  await rest('PATCH', path, { tags: ['old', 'theirs'] });
  // The page is told while its own is under way, and shows both.
  await shown.getByText('theirs').waitFor();
  await shown.getByText('mine').waitFor();
  await adding.release();
  await expect.poll(tags).toEqual(['mine', 'old', 'theirs']);
  await expect.poll(async () => (await shown.allTextContents()).sort()).toEqual(['mine', 'old', 'theirs']);

  const removing = await holdRequest(page, /\/api\/v1\/conversations\//, ['PATCH', 'POST']);
  await page.getByRole('button', { name: /Remove.*old/ }).click();
  await removing.asked;
  await rest('PATCH', path, { tags: ['later', 'mine', 'old', 'theirs'] });
  await removing.release();
  await expect.poll(tags).toEqual(['later', 'mine', 'theirs']);
  await expect.poll(async () => (await shown.allTextContents()).sort()).toEqual(['later', 'mine', 'theirs']);
});

it('keeps the tag that a colleague gives while a saved reply gives its own', async () => {
  const { page, visit, rest } = await start(openBrowser, {}, server());
  const made = { name: 'Times', shortcut: 'times', body: 'In two days.', tags: ['delivery'], status: 'done' };
  expect((await rest('POST', '/api/v1/replies/', made)).status).toBe(201);
  const { uuid } = await visit('Ada', 'Hello');
  const path = `/api/v1/conversations/${uuid}/`;
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  await page.getByLabel('Answer', { exact: true }).focus();
  await page.keyboard.type('/times');
  await page.getByRole('option', { name: 'Times' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Together with it: tag delivery').waitFor();
  const changing = await holdRequest(page, /\/api\/v1\/conversations\/[^/]+\/$/, ['PATCH', 'POST']);
  await page.keyboard.press('Control+Enter');
  await changing.asked;
  await rest('PATCH', path, { tags: ['theirs'] });
  await changing.release();
  const state = async () => {
    const { status, tags } = (await rest('GET', path)).json;
    return { status, tags: tags.sort() };
  };
  await expect.poll(state).toEqual({ status: 'done', tags: ['delivery', 'theirs'] });
});

it('says that a conversation has as many tags as it may, and gives it no more', async () => {
  const { page, visit, rest } = await start(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Hello');
  const path = `/api/v1/conversations/${uuid}/`;
  await rest('PATCH', path, { tags: Array.from({ length: 20 }, (_, index) => `tag ${index}`) });
  await row(page, 'Ada').click();
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add a tag').fill('one more');
  await page.keyboard.press('Enter');
  await page.getByText('A conversation has at most 20 tags.').waitFor();
  const shown = page.getByRole('complementary', { name: 'About this visitor' }).getByRole('listitem');
  await expect.poll(() => shown.getByText('one more').count()).toBe(0);
  expect((await rest('GET', path)).json.tags).toHaveLength(20);
});
