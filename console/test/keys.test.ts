import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** Keys do what they are meant for, and text never becomes a command. */

const openBrowser = useBrowser();
const server = useServer();

/** An owner beside the conversations of as many visitors as are named. */
const startWith = async (...names: string[]) => {
  const inbox = await start(openBrowser, { viewport: { width: 1_280, height: 800 } }, server());
  const uuids: string[] = [];
  for (const name of names) uuids.push((await inbox.visit(name, `Hello from ${name}`)).uuid);
  await row(inbox.page, names.at(-1) ?? '').waitFor();
  const get = async (uuid: string | undefined): Promise<{ status: string; label: string; tags: string[] }> =>
    (await inbox.rest('GET', `/api/v1/conversations/${uuid}/`)).json;
  const statuses = async () => (await Promise.all(uuids.map(get))).map(({ status }) => status);
  const removeRoom = async (uuid: string | undefined) => {
    const { label } = await get(uuid);
    const { status } = await inbox.rest('DELETE', `/api/v1/rooms/${encodeURIComponent(label)}/`);
    expect(status).toBe(204);
  };
  const open = async (name: string) => {
    await row(inbox.page, name).click();
    await log(inbox.page).getByText(`Hello from ${name}`).waitFor();
  };
  return { ...inbox, uuids, statuses, get, removeRoom, open };
};

type Press = Partial<Record<'key' | 'code', string> & Record<'isComposing' | 'ctrlKey', boolean>> & {
  keyCode?: number;
};

const answer = (page: Page) => page.getByLabel('Answer', { exact: true });
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.tagName);
/** A key that a keyboard of another script, an input method or a held finger sends. */
const press = (page: Page, init: Press) =>
  page.evaluate((init) => {
    const event = new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init });
    (document.activeElement ?? document.body).dispatchEvent(event);
  }, init);

it('takes nothing for a command that is typed on when the conversation has gone, and shows what was begun', async () => {
  const { page, uuids, get, removeRoom, open } = await startWith('Ada', 'Bob', 'Cleo');
  const [ada, bob, cleo] = uuids;
  await open('Ada');
  const address = page.url();
  await answer(page).click();
  await page.keyboard.type('Dear Ada, we ');
  await removeRoom(ada);
  await page.getByText('This conversation is not there any more.').waitFor();
  expect(await focused(page)).toBe('H1');
  await page.keyboard.type('just ejected every error /');
  expect(page.url()).toBe(address);
  expect([(await get(bob)).status, (await get(cleo)).status]).toEqual(['open', 'open']);
  await page.getByText('Press Escape, and the keys work again.').waitFor();
  await page.getByText('Dear Ada, we').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('j');
  await log(page).getByText('Hello from Bob').waitFor();
  expect(await answer(page).inputValue()).toBe('');
});

it('takes nothing for a command that is typed on when what was selected has gone', async () => {
  const { page, uuids, get, removeRoom, open } = await startWith('Ada', 'Bob');
  await open('Bob');
  await page.getByRole('button', { name: 'Select several' }).click();
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await page.getByRole('toolbar', { name: 'Selection' }).getByRole('button', { name: 'Tags' }).click();
  await page.keyboard.type('r');
  await removeRoom(uuids[0]);
  await row(page, 'Ada').waitFor({ state: 'detached' });
  await page.keyboard.type('eturned');
  expect((await get(uuids[1])).status).toBe('open');
  expect(await focused(page)).toBe('H2');
  // A press is meant: from then on keys are keys.
  await log(page).click();
  await page.keyboard.press('e');
  await expect.poll(async () => (await get(uuids[1])).status).toBe('done');
});

it('leaves the page alone while a dialog lies above it, whatever has the focus', async () => {
  const { open, signIn } = await startConsole(openBrowser, {}, server());
  const page = await open('settings/tokens');
  await signIn(page);
  await page.getByRole('button', { name: 'New token' }).click();
  const dialog = page.getByRole('dialog', { name: 'New token' });
  await dialog.waitFor();
  await page.evaluate(() => {
    (document.activeElement as HTMLElement).blur();
    document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '/', bubbles: true, cancelable: true }));
  });
  await page.keyboard.press('/');
  await dialog.waitFor();
  expect(page.url()).toMatch(/settings\/tokens$/);
});

it('does once what a held key asks for, and goes on from one to the next', async () => {
  const { page, statuses, open } = await startWith('Ada', 'Bob', 'Cleo', 'Dan');
  await open('Ada');
  for (let n = 0; n < 3; n++) await page.keyboard.down('e');
  await page.keyboard.up('e');
  await log(page).getByText('Hello from Bob').waitFor();
  await expect.poll(statuses).toEqual(['done', 'open', 'open', 'open']);
  await page.getByRole('heading', { level: 1, name: 'Bob' }).waitFor();
  for (let n = 0; n < 2; n++) await page.keyboard.down('j');
  await page.keyboard.up('j');
  await log(page).getByText('Hello from Dan').waitFor();
});

it('leaves keys to an input method that has them', async () => {
  const { page, uuids, get, open } = await startWith('Ada');
  await open('Ada');
  await answer(page).click();
  await page.keyboard.type('Hello');
  await press(page, { key: 'Escape', isComposing: true });
  // Safari tells it by the code alone.
  await press(page, { key: 'Escape', keyCode: 229 });
  expect(await focused(page)).toBe('Answer');
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add a tag').fill('half');
  await press(page, { key: 'Enter', isComposing: true });
  await press(page, { key: 'Enter', keyCode: 229 });
  expect(await page.getByLabel('Add a tag').inputValue()).toBe('half');
  await page.keyboard.type('way');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await get(uuids[0])).tags).toEqual(['halfway']);
  expect(await focused(page)).toBe('Tags');
});

it('knows its keys on a keyboard of another script', async () => {
  const { page, open } = await startWith('Ada', 'Bob');
  await open('Ada');
  await press(page, { key: 'о', code: 'KeyJ' });
  await log(page).getByText('Hello from Bob').waitFor();
  await press(page, { key: 'л', code: 'KeyK', ctrlKey: true });
  await page.getByRole('dialog', { name: 'Everything by words' }).waitFor();
  // A letter that is Latin means itself, wherever it stands.
  await page.keyboard.press('Escape');
  await press(page, { key: 'x', code: 'KeyJ' });
  await page.getByRole('toolbar', { name: 'Selection' }).getByText('1 selected').first().waitFor();
});

it('takes back by a key and from the palette what is said last', async () => {
  const { page, statuses, open } = await startWith('Ada', 'Bob');
  await open('Ada');
  await page.keyboard.press('e');
  await expect.poll(statuses).toEqual(['done', 'open']);
  await page.keyboard.press('z');
  await expect.poll(statuses).toEqual(['open', 'open']);
  await page.keyboard.press('e');
  await expect.poll(statuses).not.toEqual(['open', 'open']);
  await page.keyboard.press('Control+k');
  await page.keyboard.type('undo');
  await page.getByRole('option', { name: 'Undo z' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(statuses).toEqual(['open', 'open']);
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Undo').waitFor();
});

it('keeps what can be taken back while it has the focus', async () => {
  const { page, statuses, open } = await startWith('Ada', 'Bob');
  await open('Ada');
  await page.clock.install();
  await page.keyboard.press('e');
  const undo = page.getByRole('button', { name: 'Undo' });
  // The next conversation takes the focus as it opens.
  await expect.poll(() => focused(page)).toBe('H1');
  await log(page).getByText('Hello from Bob').waitFor();
  await undo.focus();
  await page.clock.runFor(8_000);
  await undo.press('Enter');
  await expect.poll(statuses).toEqual(['open', 'open']);
  await undo.waitFor({ state: 'detached' });
  await page.keyboard.press('e');
  await undo.waitFor();
  await page.clock.runFor(10_000);
  await undo.waitFor({ state: 'detached' });
});
