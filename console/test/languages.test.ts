import { LOCALES } from '@parlor/shared';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { en } from '../src/locale/en.ts';
import { FILES } from '../src/locale/files.ts';
import { PASSWORD, startConsole } from './console-page.ts';

/** Every text in there by its path; of a function what it says of each count or name. */
const texts = (words: unknown, path = ''): [path: string, text: unknown][] => {
  if (typeof words === 'function')
    return [0, 1, 2, 3, 5, 11, 21, 'Ada'].map((one) => [`${path}(${one})`, words(one, 'Bob')]);
  if (typeof words !== 'object' || words === null) return [[path, words]];
  return Object.entries(words).flatMap(([key, part]) => texts(part, `${path}.${key}`));
};

describe('the languages', () => {
  it.each(Object.entries(FILES))('%s says everything that English says', async (tag, load) => {
    const words = await load();
    const said = texts(words);
    const paths = new Set(said.map(([path]) => path));
    expect(texts(en).filter(([path]) => !paths.has(path))).toEqual([]);
    expect(
      said.filter(([, text]) => typeof text !== 'string' || text.trim() === '' || /undefined|NaN/.test(text)),
    ).toEqual([]);
    const { errors, server, shell, signIn } = words;
    expect(errors.unexpected, tag).not.toBe(en.errors.unexpected);
    expect(signIn.submit, tag).not.toBe(en.signIn.submit);
    expect(words.security.title).toBe(shell.security);
    expect(server['Unable to log in with provided credentials.']).not.toMatch(/Username or password/);
  });

  it('are those of the widget', () => {
    expect(['en', ...Object.keys(FILES)].sort()).toEqual([...LOCALES].sort());
  });

  it.each([
    ['pl', 1, '1 sekundę'],
    ['pl', 22, '22 sekundy'],
    ['pl', 25, '25 sekund'],
    ['ar', 2, 'ثانيتين'],
    ['ar', 5, '5 ثوانٍ'],
    ['ar', 11, '11 ثانية'],
    ['he', 2, 'שתי שניות'],
    ['fr', 1, '1 seconde.'],
    ['de', 1, 'einer Sekunde'],
  ] as const)('%s counts %i seconds', async (tag, seconds, form) => {
    expect((await FILES[tag]()).errors.throttled(seconds)).toContain(form);
  });
});

const openBrowser = useBrowser();

describe('the frame in another language', () => {
  const widths = (page: Page) =>
    page.evaluate(() => [document.documentElement.scrollWidth, innerWidth] as const);

  it('is there from the sign-in on, and English where its file does not load', async () => {
    const { open } = await startConsole(openBrowser);
    for (const [locale, tag, dir] of [
      ['ar-EG', 'ar', 'rtl'],
      ['ja-JP', 'ja', 'ltr'],
    ] as const) {
      const page = await open('', { locale });
      const words = await FILES[tag]();
      await page.getByRole('heading', { name: words.signIn.title }).waitFor();
      const said = await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);
      expect(said).toEqual([tag, dir]);
      expect(await axeFaults(page)).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect(await widths(page)).toEqual([320, 320]);
      await page.getByLabel(words.signIn.username).fill('ada');
      await page.getByLabel(words.signIn.password, { exact: true }).fill('not this one');
      await page.keyboard.press('Enter');
      await page.getByText(words.server['Unable to log in with provided credentials.'] as string).waitFor();
      await page.getByLabel(words.signIn.password, { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');

      await page.getByRole('heading', { level: 1, name: words.inbox.views.all }).waitFor();
      await page.getByRole('button', { name: words.shell.menu }).click();
      const settings = page.getByRole('navigation', { name: words.shell.settings });
      await settings.getByRole('link', { name: words.shell.widgets }).waitFor();
      expect(await widths(page)).toEqual([320, 320]);
      expect(await axeFaults(page)).toEqual([]);

      await settings.getByRole('link', { name: words.shell.tokens }).click();
      await page.getByRole('heading', { level: 1, name: words.shell.tokens }).waitFor();
      await expect.poll(() => page.title()).toBe(`${words.shell.tokens} · Parlor`);
      expect(await widths(page)).toEqual([320, 320]);
      // English there ends at its own side, also among what is written from right to left.
      const hint = page.locator('main header p');
      expect(await hint.getAttribute('lang')).toBe('en');
      const [beforeEnd = 0, end = 0] = await hint.evaluate(({ firstChild: text }) => {
        const length = text?.textContent?.length ?? 0;
        return [length - 2, length - 1].map((at) => {
          const range = new Range();
          range.setStart(text as Node, at);
          range.setEnd(text as Node, at + 1);
          return range.getBoundingClientRect().left;
        });
      });
      expect(end).toBeGreaterThan(beforeEnd);
      await page.setViewportSize({ width: 1_024, height: 768 });
      expect(await axeFaults(page)).toEqual([]);
    }

    const page = await open('', { locale: 'tr' });
    await page.route(/\/assets\/tr-/, (route) => route.abort());
    await page.reload();
    await page.getByRole('heading', { name: en.signIn.title }).waitFor();
    expect(await page.evaluate(() => document.documentElement.lang)).toBe('en');
  });
});
