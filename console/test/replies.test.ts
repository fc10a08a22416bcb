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
  await dialog.getByLabel('Name').fill('Délivery times, Straße');
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
  await page.keyboard.type('/STRASSE');
  await page.getByRole('option', { name: 'Délivery times, Straße' }).waitFor();
  await answer.fill('');
  await page.keyboard.type('Hello! /deli');
  await page.getByRole('option', { name: 'Délivery times, Straße' }).waitFor();
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

it('keeps what is written of a reply when the session ends, until it is saved or closed', async () => {
  const { page, signIn, rest } = await startInbox(openBrowser);
  const made = { name: 'Times', shortcut: 'times', body: 'In two days.' };
  expect((await rest('POST', '/api/v1/replies/', made)).status).toBe(201);
  await page.getByRole('link', { name: 'Saved replies' }).click();
  await page.getByText('/times').waitFor();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByLabel('Text');
  const endSession = async () => {
    await page.context().clearCookies();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await signIn(page);
  };

  await page.getByRole('button', { name: 'New reply' }).click();
  await dialog.getByLabel('Name').fill('Returns');
  await dialog.getByLabel('Shortcut').fill('return');
  await text.fill('You have 30 days.');
  await dialog.getByLabel('Status').selectOption('Done');
  await endSession();
  await expect.poll(() => text.inputValue()).toBe('You have 30 days.');
  expect(await dialog.getByLabel('Status').inputValue()).toBe('done');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/return').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByText('/return').waitFor();
  expect(await dialog.count()).toBe(0);

  // Of one that is there, too; what somebody else has changed meanwhile stays.
  await page.getByText('/times').click();
  await text.fill('In three days.');
  await endSession();
  await expect.poll(() => text.inputValue()).toBe('In three days.');
  const [, times] = (await rest('GET', '/api/v1/replies/')).json;
  await rest('PATCH', `/api/v1/replies/${times.uuid}/`, { name: 'Delivery times' });
  await page.reload();
  await expect.poll(() => dialog.getByLabel('Name').inputValue()).toBe('Delivery times');
  expect(await text.inputValue()).toBe('In three days.');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.reload();
  await page.getByText('/times').waitFor();
  expect(await dialog.count()).toBe(0);
  await page.getByText('/times').click();
  expect(await text.inputValue()).toBe('In two days.');
});

it('cuts nothing of a reply that is pasted, and says that it is too long', async () => {
  const { page, rest } = await startInbox(openBrowser);
  await page.getByRole('link', { name: 'Saved replies' }).click();
  await page.getByRole('button', { name: 'New reply' }).click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByLabel('Text');
  await dialog.getByLabel('Name').fill('Terms');
  await dialog.getByLabel('Shortcut').fill('terms');
  await text.focus();
  // An emoji is one character, of two units.
  await page.keyboard.insertText('🌻'.repeat(9_999));
  expect(await dialog.getByText('At most 10,000 characters.').count()).toBe(0);
  await page.keyboard.insertText('!!');
  await dialog.getByText('At most 10,000 characters.').waitFor();
  expect((await text.inputValue()).endsWith('🌻!!')).toBe(true);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => text.getAttribute('aria-invalid')).toBe('true');
  expect((await rest('GET', '/api/v1/replies/')).json).toEqual([]);
  await text.press('End');
  await text.press('Backspace');
  await dialog.getByText('At most 10,000 characters.').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await page.getByText('/terms').waitFor();
  expect((await rest('GET', '/api/v1/replies/')).json[0].body).toBe(`${'🌻'.repeat(9_999)}!`);
});

it('stays open where text is marked beyond its edge, and closes by a press beside it', async () => {
  const { page } = await startInbox(openBrowser);
  await page.getByRole('link', { name: 'Saved replies' }).click();
  await page.getByRole('button', { name: 'New reply' }).click();
  const dialog = page.getByRole('dialog');
  const text = dialog.getByLabel('Text');
  await text.fill('In two days.');
  const { x = 0, y = 0 } = (await text.boundingBox()) ?? {};
  await page.mouse.move(x + 60, y + 15);
  await page.mouse.down();
  await page.mouse.move(5, y + 15, { steps: 5 });
  await page.mouse.up();
  expect(await text.inputValue({ timeout: 2_000 })).toBe('In two days.');
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'detached' });
});
