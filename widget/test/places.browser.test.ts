import type { BrowserContextOptions, Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { type AtEnd, serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { WIDGET_TEXTS } from '../../shared/src/widget-texts.ts';
import { useBrowser } from './browser.ts';
import { type CustomerPage, customerPage, visit } from './customer-page.ts';

const openBrowser = useBrowser();

const STYLES = "style-src 'unsafe-inline'; script-src * 'unsafe-inline'; connect-src *; img-src * data:";

let url = '';
let rest: Awaited<ReturnType<typeof owner>>['rest'];

const ends: Parameters<AtEnd>[0][] = [];
const atEnd: AtEnd = (end) => ends.unshift(end);
afterAll(async () => {
  for (const end of ends) await end();
});

beforeAll(async () => {
  const settings = { ...(await serverSettings(atEnd)), RATE_LIMIT: 'off' };
  const server = await startServerProcess(settings, undefined, atEnd);
  ({ rest } = await owner(server.url));
  url = server.url;
});

/** A visitor on a page with the widget, which has these settings. */
const open = async (
  settings: Record<string, unknown> = {},
  made: CustomerPage & { css?: string } = {},
  options: BrowserContextOptions = {},
) => {
  const { token: widget } = (await rest('POST', '/api/v1/widgets/', settings)).json;
  const { css = '', head = '', ...more } = made;
  const address = await customerPage(url, widget, {
    policy: STYLES,
    ...more,
    head: `${head}<style>${css}</style>`,
  });
  const browser = await openBrowser({ reducedMotion: 'reduce', ...options });
  const seen = await visit(browser, address);
  await seen.launcher.waitFor();
  return { ...seen, address, widget };
};

const box = async (part: Locator) => {
  const found = await part.boundingBox();
  if (!found) throw new Error('it is not drawn');
  return { ...found, right: found.x + found.width, bottom: found.y + found.height };
};

describe('where the screen is small', () => {
  it.each([
    ['a phone that lies', { width: 640, height: 320 }, ''],
    ['a page magnified four times', { width: 320, height: 180 }, ''],
    ['a page with a zoom of its own', { width: 1_000, height: 700 }, 'html { zoom: 1.5 }'],
    ['a page that is shrunk', { width: 1_000, height: 700 }, 'html { zoom: 0.6 }'],
  ])('%s shows header, conversation and text field', async (_name, viewport, css) => {
    const { launcher, dialog, field, log, say, message } = await open({}, { css }, { viewport });
    await launcher.click();
    await field.waitFor();
    await say('Hello');
    await message('Hello').getByText('Sent').waitFor();
    for (const part of [dialog.locator('.header'), dialog.locator('.composer')]) {
      const { x, y, right, bottom } = await box(part);
      expect({
        x: x >= 0,
        y: y >= 0,
        right: right <= viewport.width,
        bottom: bottom <= viewport.height,
      }).toEqual({ x: true, y: true, right: true, bottom: true });
    }
    expect((await box(log)).height).toBeGreaterThanOrEqual(100);
  });
});

it('stands straight: one left edge, one right edge, round is round, and a long caption is one line', async () => {
  const { launcher, dialog, field, say, message, page } = await open();
  const round = await box(launcher);
  expect(Math.abs(round.width - round.height)).toBeLessThan(0.01);
  await launcher.click();
  await field.waitFor();
  await say('Hello');
  await message('Hello').getByText('Sent').waitFor();
  const lefts = await Promise.all(
    [dialog.locator('h2'), dialog.locator('.avatar').first(), dialog.locator('.composer')].map(box),
  );
  expect(new Set(lefts.map(({ x }) => x)).size).toBe(1);
  const rights = await Promise.all([dialog.locator('.own .bubble'), dialog.locator('.composer')].map(box));
  expect(new Set(rights.map(({ right }) => right)).size).toBe(1);
  await page.keyboard.press('Escape');
  const [room] = (await rest('GET', '/api/v1/rooms/?limit=1')).json;
  await rest('POST', '/api/v1/messages/', { body: 'Hi', room: { uuid: room.uuid }, is_support_sender: true });
  await page.locator('parlor-widget').locator('.launcher[data-unread="1"]').waitFor();
  const badge = await launcher.evaluate((element) => {
    const { width, height } = getComputedStyle(element, '::after');
    return [width, height];
  });
  expect(badge[0]).toBe(badge[1]);
});

it('cuts a caption that is too long for one line, and stays as it is when the chat has come', async () => {
  const { launcher, page } = await open(
    { use_new_button: true, start_button_caption: 'Ask the workshop '.repeat(10).trim() },
    {},
    { viewport: { width: 360, height: 640 } },
  );
  const pill = await box(launcher);
  expect([pill.x >= 20, pill.right <= 340, pill.height < 60]).toEqual([true, true, true]);
  const isCut = () =>
    launcher.locator('bdi').evaluate((caption) => {
      const { textOverflow, overflow } = getComputedStyle(caption);
      return [caption.scrollWidth > caption.clientWidth, textOverflow, overflow];
    });
  expect(await isCut()).toEqual([true, 'ellipsis', 'hidden']);
  await launcher.focus();
  await page.locator('parlor-widget').locator('.room').waitFor({ state: 'attached' });
  expect([await box(launcher), await isCut()]).toEqual([pill, [true, 'ellipsis', 'hidden']]);
});

it('is small on a low screen from its first opening', async () => {
  const { launcher, dialog, field, log } = await open({}, {}, { viewport: { width: 640, height: 240 } });
  await launcher.click();
  await field.waitFor();
  expect(await dialog.locator('.header p').isVisible()).toBe(false);
  expect((await box(dialog.locator('.header'))).height).toBeLessThan(50);
  expect((await box(log)).height).toBeGreaterThanOrEqual(100);
});

it('keeps off what a phone has round its screen', async () => {
  const phone = { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true };
  const { launcher, dialog, field, page } = await open({}, {}, phone);
  const devtools = await page.context().newCDPSession(page);
  // Newer than the list of commands that Playwright knows.
  await devtools.send('Emulation.setSafeAreaInsetsOverride' as 'Emulation.clearIdleOverride', {
    insets: { top: 47, bottom: 34, left: 0, right: 0 },
  });
  await launcher.click();
  await field.waitFor();
  const [header, composer] = await Promise.all(
    ['.header', '.composer'].map((part) => box(dialog.locator(part))),
  );
  expect(header?.y).toBe(47);
  expect(composer?.bottom).toBe(640 - 34);
});

it('keeps its teaser off a pill in the middle of the screen', async () => {
  const settings = { vertical_align: 'center', popup_timeout: 1, use_new_button: true };
  for (const horizontal_align of ['center', 'left', 'right']) {
    const { launcher, page } = await open({ ...settings, horizontal_align });
    const teaser = page.locator('parlor-widget').locator('.teaser');
    await teaser.waitFor();
    expect((await box(teaser)).bottom).toBeLessThan((await box(launcher)).y);
  }
});

it('stays open on the next page, and leaves the focus to the page', async () => {
  const { launcher, field, page, dialog, address } = await open();
  await launcher.click();
  await field.waitFor();
  await page.goto(`${address}next`);
  await dialog.waitFor();
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY');
  await dialog.getByRole('button', { name: 'Close chat' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await page.goto(address);
  await launcher.waitFor();
  expect(
    await page.evaluate((key) => Object.keys(sessionStorage).filter((name) => name.endsWith(key)), 'open'),
  ).toEqual([]);
});

it('opens by a click on the launcher that comes before it has opened by itself', async () => {
  const { launcher, field, page, dialog, address } = await open();
  await launcher.click();
  await field.waitFor();
  let come = () => {};
  const clicked = new Promise<void>((done) => {
    come = done;
  });
  await page.route('**/widget/chat-*', async (route) => {
    await clicked;
    await route.continue();
  });
  await page.goto(`${address}next`);
  await launcher.click();
  come();
  await field.fill('here to stay');
  expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
  // A page that closes it at once wants it closed.
  await page.goto(`${address}third`);
  await page.evaluate(() => (window as unknown as { Parlor: { close(): void } }).Parlor.close());
  await page.locator('parlor-widget').locator('.room').waitFor({ state: 'attached' });
  await page.evaluate(() => new Promise((done) => setTimeout(done)));
  expect(await dialog.isVisible()).toBe(false);
});

it('closes its menu when the page is clicked', async () => {
  const { launcher, field, page, dialog } = await open();
  await launcher.click();
  await field.waitFor();
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.locator('.menu').waitFor();
  await page.mouse.click(200, 300);
  await dialog.locator('.menu').waitFor({ state: 'detached' });
  expect(await dialog.isVisible()).toBe(true);
});

describe('on a system in dark mode', () => {
  it.each([
    ['a page that says nothing is light', '', '', 255],
    ['a page that follows the system is dark', 'html { color-scheme: light dark }', '', 22],
    ['a page that is always dark is dark', 'html { color-scheme: dark }', '', 22],
    ['the tag decides for dark', '', 'data-scheme="dark"', 22],
    ['the tag decides for light', 'html { color-scheme: dark }', 'data-scheme="light"', 255],
  ])('%s', async (_name, css, attributes, red) => {
    const { launcher, dialog, field } = await open({}, { css, attributes }, { colorScheme: 'dark' });
    await launcher.click();
    await field.waitFor();
    const ground = await dialog.evaluate((element) => getComputedStyle(element).backgroundColor);
    expect(ground).toMatch(`rgb(${red}, `);
  });
});

it('reads the texts that the owner has not written in the visitor’s language, and in another when asked', async () => {
  const { launcher, dialog, field, page } = await open({ header_subtitle: 'Since 1987' }, { lang: 'de-AT' });
  await launcher.click();
  await field.waitFor();
  const { de, ja } = WIDGET_TEXTS;
  await dialog.getByText(de.greeting_message).waitFor();
  await dialog.getByText('Since 1987').waitFor();
  expect(await field.getAttribute('placeholder')).toBe(de.message_placeholder);
  expect(await launcher.getAttribute('aria-label')).toBe(de.start_button_caption);
  await page.evaluate(() =>
    (window as unknown as { Parlor: { setLocale(tag: string): void } }).Parlor.setLocale('ja'),
  );
  await dialog.getByText(ja.greeting_message).waitFor();
  expect(await field.getAttribute('placeholder')).toBe(ja.message_placeholder);
  expect(await launcher.getAttribute('aria-label')).toBe(ja.start_button_caption);
});
