import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** Finding what was said, and everything that can be done, by words. */

const openBrowser = useBrowser();
const server = useServer();

it('finds what was said by a key, and opens where it stands', async () => {
  const { page, visit } = await startInbox(openBrowser, {}, server());
  await visit('Ada', 'Do you deliver lamps on Sundays?');
  await visit('<b>Bob</b>', 'My lamp came broken');
  await row(page, 'Ada').waitFor();
  await page.keyboard.press('/');
  await page.getByText('Find what was said').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('lamp');
  const results = page.locator('main').getByRole('listitem');
  await expect.poll(() => results.count(), { timeout: 60_000 }).toBe(2);
  expect(await results.first().locator('mark').allInnerTexts()).toEqual(['lamp']);
  await results.first().getByText('<b>Bob</b>').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('s sund');
  await expect.poll(() => results.count(), { timeout: 60_000 }).toBe(1);
  expect(page.url()).toContain('q=lamps+sund');
  await page.getByRole('button', { name: 'Leads' }).click();
  await page.getByText('Nothing found').waitFor();
  await page.getByRole('button', { name: 'Everything', exact: true }).click();
  await results.getByRole('link').click();
  await log(page).getByText('Do you deliver lamps').waitFor();
  await page.goBack();
  await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('lamps sund');
});

it('reads on by itself where a page has ended without a result', async () => {
  const { page, rest, visit } = await startInbox(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Do you deliver lamps?');
  for (let n = 0; n < 60; n++) await rest('POST', '/api/v1/messages/', { body: `Lamp ${n}`, room: { uuid } });
  const found = async () => (await rest('GET', '/api/v1/search/?q=lamp&kind=message&limit=50')).json.length;
  await expect.poll(found, { timeout: 60_000 }).toBe(50);
  // As after thousands of objects that have one of the words each, and none both.
  let empty = 0;
  await page.route(/\/search\/\?q=lamp&kind=message$/, async (route) => {
    empty++;
    await route.fulfill({ response: await route.fetch(), json: [] });
  });
  await page.goto(`${server().url}/console/search?q=lamp&kind=message`);
  const results = page.locator('main').getByRole('listitem');
  await expect.poll(() => results.count(), { timeout: 60_000 }).toBeGreaterThan(0);
  expect(empty).toBe(1);
});

it('does and goes to everything by words', async () => {
  const { page, visit } = await startInbox(openBrowser, {}, server());
  await visit('Ada Lovelace', 'Hello');
  await row(page, 'Ada Lovelace').click();
  await log(page).getByText('Hello').waitFor();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Everything by words' });
  await palette.waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type('snoo');
  await expect
    .poll(() => palette.getByRole('option').allInnerTexts())
    .toEqual(['Snooze\ns', 'Snoozed', 'Search everything for “snoo”']);
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Tomorrow morning' }).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('security');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('lovel');
  await palette
    .getByRole('group', { name: 'Conversations' })
    .getByRole('option')
    .first()
    .click({ timeout: 60_000 });
  await log(page).getByText('Hello').waitFor();
});
