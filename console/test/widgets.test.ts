import { NewWidget } from '@parlor/shared';
import type { FrameLocator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { FIELDS } from '../src/widgets/fields.ts';
import { installCode, WAYS } from '../src/widgets/install-code.ts';
import { startConsole } from './console-page.ts';
import { pageOf, startSite } from './customer-site.ts';

/** Widgets in the console: their list, and the studio. */

const openBrowser = useBrowser();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const section = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Parts of the settings' }).getByRole('link', { name }).click();
const save = (page: Page) => page.getByRole('button', { name: 'Save' }).click();
const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();
const saved = async (page: Page) => {
  await save(page);
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
};
const shown = (page: Page): FrameLocator => page.frameLocator('iframe');
const launcherColor = (page: Page) =>
  shown(page)
    .locator('parlor-widget .launcher')
    .evaluate((launcher) => getComputedStyle(launcher).backgroundColor);

it('has a control for every setting of the shared schema', () => {
  expect(Object.keys(FIELDS).sort()).toEqual(Object.keys(NewWidget.shape).sort());
});

it('adds a widget, shows its settings at work, merges a colleague’s, and says where it is live', async () => {
  const { rest, url, open, signIn, join } = await startConsole(openBrowser);
  const page = await open('widgets', {
    bypassCSP: true,
    reducedMotion: 'reduce',
    viewport: { width: 1_280, height: 860 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await signIn(page);
  await page.getByText('Not seen on a site yet').waitFor();
  await page.getByRole('button', { name: 'Add a widget' }).click();
  await page.getByLabel('Your name for this widget').fill('Shop');
  await page.getByLabel('Website').fill('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a valid URL.').waitFor();
  await page.getByLabel('Website').fill('');
  await page.keyboard.press('Enter');
  await heading(page, 'Shop').waitFor();
  const [uuid = ''] = page.url().split('/').slice(-1);
  const stored = async () =>
    (await rest('GET', '/api/v1/widgets/')).json.find((one: { uuid: string }) => one.uuid === uuid);
  const { token } = await stored();
  const change = (settings: object) => rest('PATCH', `/api/v1/widgets/${token}/`, settings);

  // What is chosen is seen at once, and stored by nobody yet.
  await shown(page).getByRole('dialog', { name: 'Chat with us' }).waitFor();
  await page.getByLabel('Colour', { exact: true }).fill('#b3261e');
  await expect.poll(() => launcherColor(page), PATIENCE).toBe('rgb(179, 38, 30)');
  await page.getByRole('button', { name: '#0f766e' }).click();
  await expect.poll(() => launcherColor(page), PATIENCE).toBe('rgb(15, 118, 110)');
  // An unfinished colour leaves the preview as it was saved.
  await page.getByLabel('Colour', { exact: true }).fill('#0f766e');
  await page.getByLabel('Top left').check();
  await section(page, 'Texts');
  const title = page.getByLabel('Title', { exact: true });
  expect(await title.getAttribute('placeholder')).toBe('Chat with us');
  await title.pressSequentially('Ask us');
  await shown(page).getByRole('heading', { name: 'Ask us' }).waitFor();
  // Who types goes on typing, while the window in the preview opens anew.
  await page.keyboard.type(' anything');
  await shown(page).getByRole('heading', { name: 'Ask us anything' }).waitFor();
  expect(await title.inputValue()).toBe('Ask us anything');
  await page.getByText('15 of 200 characters').waitFor();
  expect((await stored()).header_title).toBe('');

  // A reload keeps it.
  await page.reload();
  await shown(page).getByRole('heading', { name: 'Ask us anything' }).waitFor();
  expect(await title.inputValue()).toBe('Ask us anything');
  await saved(page);
  expect(await stored()).toMatchObject({
    header_title: 'Ask us anything',
    color: '#0f766e',
    vertical_align: 'top',
    horizontal_align: 'left',
  });

  // The server refuses: it is said at the field, wherever that is.
  await title.fill('x'.repeat(201));
  await page.getByText('At most 200 characters.').waitFor();
  await section(page, 'Where it shows');
  await save(page);
  await expect.poll(() => title.evaluate((field) => field === document.activeElement), PATIENCE).toBe(true);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Discard' }).click();

  // Others' settings are merged; what both have changed is for whoever saves to choose.
  await change({ header_subtitle: 'Theirs', is_ask_name: true });
  await page.getByLabel('Line once the conversation runs').fill('Mine');
  await save(page);
  await said(page, 'Saved, with what a colleague has changed meanwhile.');
  expect(await page.getByLabel('Line under the title').inputValue()).toBe('Theirs');
  expect(await stored()).toMatchObject({
    header_subtitle: 'Theirs',
    chat_subtitle: 'Mine',
    is_ask_name: true,
  });
  await change({ greeting_message: 'Their greeting', header_title: 'Their title', color: '#111111' });
  await page.getByLabel('Greeting').fill('My greeting');
  await title.fill('My title');
  await save(page);
  await page.getByText('Your colleague: Their greeting').waitFor();
  await page.getByText('Your colleague: Their title').waitFor();
  expect(await stored()).toMatchObject({ greeting_message: 'Their greeting', header_title: 'Their title' });
  expect(await axeFaults(page)).toEqual([]);
  await save(page);
  expect(await page.locator('[data-dispute]').count()).toBe(2);
  const dispute = (name: string) => page.getByRole('group', { name, exact: true });
  await dispute('Greeting').getByRole('button', { name: 'Keep mine' }).click();
  await dispute('Title').getByRole('button', { name: 'Take theirs' }).click();
  await saved(page);
  expect(await stored()).toMatchObject({
    greeting_message: 'My greeting',
    header_title: 'Their title',
    color: '#111111',
  });

  // The settings of the form and of the behaviour, with the limits and units of the schema.
  await section(page, 'Form and fields');
  await page.getByLabel('Ask for the e-mail address').check();
  await section(page, 'Behaviour');
  const seconds = page.getByLabel('Greet after');
  expect([await seconds.getAttribute('min'), await seconds.getAttribute('max')]).toEqual(['0', '86400']);
  await page.getByText('seconds, 0 to 86,400').waitFor();
  await seconds.fill('30');
  await page.getByLabel('Open', { exact: true }).uncheck();
  await shown(page).getByRole('button', { name: 'My greeting' }).waitFor();
  expect(await shown(page).getByRole('dialog').count()).toBe(0);
  await page.getByLabel('Open', { exact: true }).check();
  await shown(page).getByRole('dialog', { name: 'Their title' }).waitFor();

  // On every device, in the dark, from right to left, on the worst of pages.
  await page.getByLabel('Phone', { exact: true }).check();
  await page.getByLabel('Visitor’s language').selectOption('ar');
  await page.getByLabel('Dark').check();
  await expect
    .poll(
      () =>
        shown(page)
          .locator('html')
          .evaluate((html) => `${html.getAttribute('dir')} ${html.style.colorScheme}`),
      PATIENCE,
    )
    .toBe('rtl dark');
  await expect
    .poll(
      () =>
        shown(page)
          .locator('html')
          .evaluate(() => innerWidth),
      PATIENCE,
    )
    .toBe(375);
  await page.getByLabel('Site').selectOption('Strict policy');
  await shown(page).getByRole('dialog', { name: 'Their title' }).waitFor();
  await page.getByText('Refused by the page’s policy: 0').waitFor();
  await page.getByLabel('Site').selectOption('Hostile styles');
  await page.getByLabel('Landscape').or(page.getByLabel('Phone, landscape')).check();
  await page.getByLabel('Visitor’s language').selectOption('en');
  await shown(page).getByRole('dialog', { name: 'Their title' }).waitFor();

  // Somebody writes there, and nothing of it is kept anywhere.
  await page.getByLabel('Site').selectOption('Ordinary site');
  await page.getByLabel('Desktop').check();
  await shown(page).getByLabel('Your name').fill('Robin');
  await shown(page).getByLabel('Your e-mail address').fill('robin@example.com');
  await page.keyboard.press('Enter');
  await shown(page).getByRole('textbox', { name: 'Write a message' }).fill('Hello there');
  await page.keyboard.press('Enter');
  await shown(page).getByText('This is a preview: nothing is sent.').waitFor();
  for (const list of ['rooms', 'leads', 'messages']) {
    expect([list, (await rest('GET', `/api/v1/${list}/`)).json]).toEqual([list, []]);
  }
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([]);
  await saved(page);

  // The tag works as it was copied, and the page says so by itself.
  await section(page, 'Install');
  await page.getByText('it appears here by itself').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await page.getByText('Copied').first().waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(copied).toBe(installCode('html', url, token));
  const customer = await (await openBrowser()).newPage();
  for (const way of WAYS) {
    const code = way === 'html' ? copied : installCode(way, url, token);
    const site = await startSite(await pageOf(way, code));
    await customer.goto(site);
    await customer.locator('parlor-widget .launcher').waitFor();
    if (way === 'html') await page.getByRole('link', { name: site }).waitFor();
  }
  await expect.poll(async () => (await rest('GET', '/api/v1/sightings/')).json.length, PATIENCE).toBe(5);
  await page.getByRole('link', { name: 'All widgets' }).click();
  await page.getByText(/^Live on .* and 4 more$/).waitFor();
  expect(await axeFaults(page)).toEqual([]);

  // On a phone, in the dark, in German, by keys; and for nobody who may not.
  const phone = await open(`widgets/${uuid}`, {
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
    locale: 'de',
    bypassCSP: true,
    hasTouch: true,
    reducedMotion: 'reduce',
    storageState: await page.context().storageState(),
  });
  await heading(phone, 'Shop').waitFor();
  expect(await axeFaults(phone)).toEqual([]);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await phone.getByLabel('Oben links').focus();
  await phone.keyboard.press('ArrowRight');
  expect(await phone.getByLabel('Oben mittig').isChecked()).toBe(true);
  await phone.getByRole('button', { name: 'Vorschau' }).click();
  await shown(phone).locator('parlor-widget .launcher').waitFor();
  expect(await axeFaults(phone)).toEqual([]);
  await phone.getByRole('button', { name: 'Einstellungen' }).click();
  await phone.getByRole('link', { name: 'Wo es erscheint' }).click();
  await page.getByRole('link', { name: 'Shop' }).last().click();
  await page.getByLabel('Button with text').check();
  await phone.getByRole('button', { name: 'Dieses Widget löschen' }).click();
  await phone.getByText('Widget gelöscht.').waitFor();
  await phone.goto('about:blank');
  await expect.poll(stored, PATIENCE).toBe(undefined);
  await save(page);
  await page.getByText('This widget does not exist any more.').waitFor();
  await join('hedy', 'operator');
  const hers = await open(`widgets/${uuid}`);
  await signIn(hers, 'hedy');
  await hers.getByText('There is nothing at this address.').waitFor();
});
