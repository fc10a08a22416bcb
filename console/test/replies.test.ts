import { expect, it } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** Texts that members send again and again. */

const openBrowser = useBrowser();

it('saves a reply, finds it by a slash, and does with it what it is to do', async () => {
  const { page, visit, rest } = await startInbox(openBrowser);
  const ada = await visit('Ada', 'When will it come?');
  await page.getByRole('link', { name: 'Saved replies' }).click();
  await page.getByText('No saved replies yet').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'New reply' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Délivery times');
  await dialog.getByLabel('Shortcut').fill('/two days');
  await dialog.getByLabel('Text').fill('Dear {{visitor.name}}, in two days. {{member.name}}');
  await dialog.getByLabel('Add tags').fill('delivery, times');
  await dialog.getByLabel('Status').selectOption('Done');
  await page.keyboard.press('Enter');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.getByText('Letters, digits, - and _ are allowed.').waitFor();
  await dialog.getByLabel('Shortcut').fill('days');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/days').waitFor();
  expect(await axeFaults(page)).toEqual([]);

  await page.getByRole('link', { name: /^All/ }).click();
  await row(page, 'Ada').click();
  const answer = page.getByLabel('Answer', { exact: true });
  await answer.focus();
  await page.keyboard.type('Hello! /deli');
  await page.getByRole('option', { name: 'Délivery times' }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('option').waitFor({ state: 'detached' });
  await page.keyboard.type('v');
  await page.keyboard.press('Enter');
  expect(await answer.inputValue()).toBe('Hello! Dear Ada, in two days. ada');
  await page.getByText('Together with it: tag delivery, tag times, and Done').waitFor();
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('Dear Ada, in two days.').waitFor();
  const path = `/api/v1/conversations/${ada.uuid}/`;
  const state = async () => (await rest('GET', path)).json;
  await expect.poll(state).toMatchObject({ status: 'done', tags: ['delivery', 'times'] });
});
