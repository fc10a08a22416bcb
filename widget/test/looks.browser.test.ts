import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';
import { contrastIn } from './pixel-contrast.ts';

const TEXT_200 = '--blink-settings=defaultFontSize=32';
const LONG_WORD = 'Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft';

/** What is cut off, or reaches out of the screen or the window. */
const misplaced = (page: Page) =>
  page.evaluate(() => {
    const root = document.querySelector('parlor-widget')?.shadowRoot as ShadowRoot;
    const panel = root.querySelector('dialog') as HTMLElement;
    const found: string[] = [];
    const name = (element: Element) => `${element.localName}.${element.className}`;
    const limit = panel.getBoundingClientRect();
    if (limit.left < 0 || limit.top < 0 || limit.right > innerWidth || limit.bottom > innerHeight)
      found.push(`window out of the screen: ${JSON.stringify(limit)}`);
    for (const element of panel.querySelectorAll<HTMLElement>('button, input, textarea, h2, p, .bubble')) {
      if (element.closest('.hidden') || element.classList.contains('hidden')) continue;
      const box = element.getBoundingClientRect();
      if (box.left < limit.left - 1 || box.right > limit.right + 1) found.push(`${name(element)} sticks out`);
      if (!element.closest('.log, .form') && (box.top < limit.top - 1 || box.bottom > limit.bottom + 1))
        found.push(`${name(element)} sticks out below`);
      const isText = !/^(textarea|input)$/.test(element.localName);
      if (isText && element.scrollWidth > element.clientWidth + 1) found.push(`${name(element)} is cut off`);
      if (/^button$/.test(element.localName) && (box.width < 24 || box.height < 24))
        found.push(`${name(element)} is too small to be hit`);
    }
    for (const scroller of panel.querySelectorAll('.log, .form')) {
      if (scroller.scrollWidth > scroller.clientWidth) found.push(`${name(scroller)} scrolls sideways`);
      if (scroller.clientHeight < 60) found.push(`${name(scroller)} has no room`);
    }
    return found;
  });

const server = useServer();

const setUp = async () => {
  const { url } = server();
  return { ...(await oneOwner(url)), url };
};

describe.each([
  ['at the usual text size', useBrowser()],
  ['with text of twice the size', useBrowser(TEXT_200)],
])('%s', (_name, openBrowser) => {
  it.each([
    [360, 640, 'en'],
    [360, 640, 'ar'],
    [768, 1024, 'en'],
    [1280, 800, 'de'],
    [1280, 800, 'he'],
  ])('nothing is lost at %i by %i (%s)', async (width, height, lang) => {
    const { url, widget, rest } = await setUp();
    const settings = { is_ask_name: true, is_ask_email: true, is_ask_phone: true };
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { ...settings, greeting_message: LONG_WORD });
    const browser = await openBrowser({ viewport: { width, height }, reducedMotion: 'reduce' });
    const { page, launcher, dialog, field, say, message } = await visit(
      browser,
      await customerPage(url, widget, { lang }),
    );
    await launcher.click();
    const inputs = dialog.locator('input');
    await inputs.nth(2).waitFor();
    await dialog.locator('.primary').click();
    await dialog.locator('.error').nth(2).waitFor();
    expect(await misplaced(page)).toEqual([]);
    for (const [index, text] of ['Robin', 'robin@example.com', '+44 20 7946 0000'].entries())
      await inputs.nth(index).fill(text);
    await dialog.locator('.primary').click();
    await field.waitFor();
    await say(`${LONG_WORD} https://example.com/${LONG_WORD}`);
    await message(LONG_WORD).locator('time').waitFor();
    await field.fill(`${LONG_WORD}\n`.repeat(12));
    expect(await misplaced(page)).toEqual([]);
    await dialog.locator('.tool').first().click();
    await dialog.locator('.menu').waitFor();
    expect(await misplaced(page)).toEqual([]);
  });
});

describe('what a visitor has asked its system for', () => {
  const openBrowser = useBrowser();

  it.each(['no-preference', 'reduce'] as const)('motion: %s', async (reducedMotion) => {
    const { url, widget } = await setUp();
    const browser = await openBrowser({ reducedMotion });
    const { page, launcher, field } = await visit(browser, await customerPage(url, widget));
    await launcher.waitFor();
    await page.evaluate(() => {
      const moved: string[] = [];
      Object.assign(window, { moved });
      const root = document.querySelector('parlor-widget')?.shadowRoot as ShadowRoot;
      root.addEventListener('animationstart', (event) => moved.push((event as AnimationEvent).animationName));
    });
    await launcher.click();
    await field.waitFor();
    await page.waitForTimeout(300);
    const moved = await page.evaluate(() => (window as unknown as { moved: string[] }).moved);
    expect(moved).toEqual(reducedMotion === 'reduce' ? [] : ['parlor-rise']);
  });

  it.each([
    ['no-preference', false],
    ['more', true],
  ] as const)('contrast: %s, from the first opening', async (contrast, isMore) => {
    const { url, widget } = await setUp();
    const browser = await openBrowser({ contrast });
    const { launcher, dialog, field } = await visit(browser, await customerPage(url, widget));
    await launcher.click();
    await field.waitFor();
    const isAsText = await dialog.evaluate((panel) => {
      const { color } = getComputedStyle(panel);
      const field = panel.querySelector('textarea') as Element;
      return [
        getComputedStyle(field, '::placeholder').color === color,
        getComputedStyle(panel.querySelector('.avatar') as Element).color === color,
      ];
    });
    expect(isAsText).toEqual([isMore, isMore]);
  });

  it('forced colours: every edge stays visible', async () => {
    const { url, widget, rest } = await setUp();
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { color: '#ffffff' });
    const browser = await openBrowser({ forcedColors: 'active' });
    const { page, launcher, dialog, say, message } = await visit(browser, await customerPage(url, widget));
    await launcher.click();
    await say('hello');
    await message('hello').getByText('Sent').waitFor();
    await dialog.getByRole('button', { name: 'Menu' }).click();
    await dialog.getByRole('button', { name: 'Delete my data' }).waitFor();
    const edgeless = await page.evaluate(() => {
      const root = document.querySelector('parlor-widget')?.shadowRoot as ShadowRoot;
      const ground = getComputedStyle(root.querySelector('dialog') as Element).backgroundColor;
      const shown = ['.launcher', '.panel', '.own .bubble', '.other .bubble', '.composer', '.menu', '.send'];
      return shown.filter((selector) => {
        const style = getComputedStyle(root.querySelector(selector) as Element);
        const edge = [
          [style.borderTopWidth, style.borderTopStyle, style.borderTopColor],
          [style.outlineWidth, style.outlineStyle, style.outlineColor],
        ];
        return !edge.some(
          ([width, kind, color]) =>
            width !== '0px' && kind !== 'none' && color !== ground && color !== 'rgba(0, 0, 0, 0)',
        );
      });
    });
    expect(edgeless).toEqual([]);
  });

  it.each([
    ['light', 'light dark', 'rgb(255, 255, 255)'],
    ['dark', 'light dark', 'rgb(22, 24, 29)'],
    ['dark', 'light', 'rgb(255, 255, 255)'],
  ] as const)(
    'colours on a %s system, of a page that is made for %s',
    async (colorScheme, pages, expected) => {
      const { url, widget } = await setUp();
      const browser = await openBrowser({ colorScheme });
      const { launcher, dialog, field } = await visit(
        browser,
        await customerPage(url, widget, { head: `<meta name="color-scheme" content="${pages}">` }),
      );
      await launcher.click();
      await field.waitFor();
      expect(await dialog.evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(expected);
    },
  );

  it.each([
    ['light', '#ffffff'],
    ['dark', '#000000'],
  ] as const)('an owner’s colour that is the ground’s: %s, %s', async (colorScheme, color) => {
    const { url, widget, rest } = await setUp();
    await rest('PATCH', `/api/v1/widgets/${widget}/`, { color });
    const browser = await openBrowser({ colorScheme, reducedMotion: 'reduce', deviceScaleFactor: 4 });
    const { page, launcher, dialog, say, message } = await visit(
      browser,
      await customerPage(url, widget, { head: '<meta name="color-scheme" content="light dark">' }),
    );
    await launcher.click();
    await say('hello');
    await message('hello').getByText('Sent').waitFor();
    /** The contrast of what goes round a part with what it lies on, along its upper edge. */
    const edge = async (part: Locator, around = 4) => {
      const box = await part.boundingBox();
      if (!box) throw new Error('it is not drawn');
      const { x, y, width } = box;
      const clip = { x: x + width / 2 - 4, y: y - around, width: 8, height: around + 3 };
      return contrastIn(await page.screenshot({ clip }));
    };
    expect(await edge(dialog.locator('.own .bubble'))).toBeGreaterThan(1.4);
    expect(await edge(launcher)).toBeGreaterThan(1.2);
    expect(contrastIn(await launcher.screenshot())).toBeGreaterThan(4.5);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    // Reached by the keyboard, so that its ring shows.
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Tab');
    expect(await launcher.evaluate((element) => element.matches(':focus-visible'))).toBe(true);
    expect(await edge(launcher, 8)).toBeGreaterThan(4.5);
  });
});
