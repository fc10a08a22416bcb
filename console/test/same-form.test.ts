import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** What two change in a form of the same: each sends only its own, and neither undoes the other's unseen. */

const openBrowser = useBrowser();
const server = useServer();

const start = async (path: string) => {
  const console = await startConsole(openBrowser, {}, server());
  const page = await console.open(path);
  const made = { name: 'Hours', shortcut: 'hours', body: 'We open at 9.' };
  const { json } = await console.rest('POST', '/api/v1/replies/', made);
  const reply = `/api/v1/replies/${json.uuid}/`;
  const dialog = page.getByRole('dialog');
  return { ...console, page, dialog, save: dialog.getByRole('button', { name: 'Save' }), reply };
};

it('saves of a reply what was changed here, beside what a colleague saved meanwhile', async () => {
  const { page, dialog, save, rest, reply, signIn } = await start('settings/replies');
  await signIn(page);
  await page.getByText('/hours').click();
  await dialog.getByLabel('Shortcut').fill('open');
  await rest('PATCH', reply, { body: 'We open at 9, on Saturdays at 10.' });
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rest('GET', reply)).json).toMatchObject({
    shortcut: 'open',
    body: 'We open at 9, on Saturdays at 10.',
  });
});

it('shows beside what was written of a reply what a colleague has made of it, after a reload too', async () => {
  const { page, dialog, save, rest, reply, signIn } = await start('settings/replies');
  await signIn(page);
  await page.getByText('/hours').click();
  const text = dialog.getByLabel('Text');
  await text.fill('We open at 9 sharp.');
  await dialog.getByLabel('Status').selectOption('Done');
  const theirs = { body: 'We open at 10.', status: 'open', tags: ['opening'] };
  await rest('PATCH', reply, theirs);
  await save.click();
  await dialog.getByText('Now: We open at 10.').waitFor();
  expect((await rest('GET', reply)).json).toMatchObject(theirs);
  await page.reload();
  await dialog.getByText('Now: We open at 10.').waitFor();
  expect(await text.inputValue()).toBe('We open at 9 sharp.');
  expect(await dialog.getByLabel('Add tags').inputValue()).toBe('opening');
  await dialog.getByText('Now: Open').waitFor();
  await dialog.getByRole('button', { name: 'Take that' }).first().click();
  expect(await text.inputValue()).toBe('We open at 10.');
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rest('GET', reply)).json).toMatchObject({ ...theirs, status: 'done' });
});

it('tells after a reload of a newer text in the place of the one that was being changed', async () => {
  const { page, dialog, rest, reply, signIn } = await start('settings/replies');
  await signIn(page);
  await page.getByText('/hours').click();
  await dialog.getByLabel('Text').fill('We open at 9 sharp.');
  await rest('PATCH', reply, { body: 'We open at 10.' });
  await page.reload();
  await dialog.getByText('Now: We open at 10.').waitFor();
  expect(await dialog.getByLabel('Text').inputValue()).toBe('We open at 9 sharp.');
});

it('leaves a member the role that a colleague gave, and gives no other unseen', async () => {
  const { page, dialog, save, rest, signIn, join } = await start('settings/team');
  const bob = `/api/v1/members/${await join('bob', 'operator', 'Bob')}/`;
  const role = async () => (await rest('GET', bob)).json.role;
  await signIn(page);
  const open = () => page.getByRole('button', { name: /Bob/ }).click();
  await open();
  await dialog.waitFor();
  await rest('PATCH', bob, { role: 'admin' });
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await role()).toBe('admin');

  await open();
  await dialog.getByRole('radio', { name: 'Owner' }).check();
  await rest('PATCH', bob, { role: 'operator' });
  await save.click();
  await dialog.getByText('Now: Operator').waitFor();
  expect(await role()).toBe('operator');
  await save.click();
  await dialog.waitFor({ state: 'detached' });
  expect(await role()).toBe('owner');
});

it('makes a new link of an invitation with the role that a colleague gave it meanwhile', async () => {
  const { page, dialog, rest, signIn, emailOf } = await start('settings/team');
  const invited = { email: emailOf('carol'), name: 'Carol', role: 'operator' };
  await rest('POST', '/api/v1/members/', invited);
  await signIn(page);
  await page.getByRole('button', { name: /Carol/ }).click();
  await dialog.waitFor();
  await rest('POST', '/api/v1/members/', { ...invited, role: 'admin' });
  await dialog.getByRole('button', { name: 'New link' }).click();
  await dialog.getByText('New link').waitFor({ state: 'detached' });
  const { json } = await rest('GET', '/api/v1/members/');
  expect(json.find(({ email }: { email: string }) => email === invited.email).role).toBe('admin');
});

it('saves of a profile what was changed in this tab alone', async () => {
  const { page, rest, signIn, url } = await start('settings/profile');
  await signIn(page);
  const away = page.getByRole('switch');
  await away.waitFor();
  const other = await page.context().newPage();
  await other.goto(`${url}/console/settings/profile`);
  await other.getByRole('switch').check();
  const mine = async () => (await rest('GET', '/api/v1/members/me/')).json;
  const done = (one: typeof page) => one.getByText('Saved', { exact: true }).waitFor();
  await other.getByRole('button', { name: 'Save' }).click();
  await done(other);
  expect(await mine()).toMatchObject({ is_away: true });
  await page.getByLabel('Name').fill('Ada L');
  await page.getByRole('button', { name: 'Save' }).click();
  await done(page);
  expect(await mine()).toMatchObject({ is_away: true, name: 'Ada L' });
  expect(await away.isChecked()).toBe(true);
});
