import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { servePieces } from '../pieces.mjs';

/** The page of the console's pieces, which is there in development alone. */

const openBrowser = useBrowser();

const UI = fileURLToPath(new URL('../src/ui/', import.meta.url));
const DIST = fileURLToPath(new URL('../dist/', import.meta.url));

/** What a file exports that is named like a component. */
const componentsOf = (file: string): string[] =>
  [...readFileSync(UI + file, 'utf8').matchAll(/^export (?:const|function|class) ([A-Z]\w*[a-z]\w*)/gm)].map(
    ([, name = '']) => name,
  );

const openPieces = async (): Promise<Page> => {
  const { url, close } = await servePieces({ port: 0, isWatching: false });
  onTestFinished(close);
  // Nobody waits here for what computes: every module of the console is compiled while the page is loaded.
  const context = await openBrowser({ reducedMotion: 'reduce' }, { watched: false });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', ({ message }) => faults.push(message));
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) faults.push(line.text());
  });
  onTestFinished(() => expect(faults).toEqual([]));
  await page.goto(url);
  await page.getByRole('heading', { level: 1, name: 'Pieces' }).waitFor();
  return page;
};

it('shows every component of ui/, whole and without a fault, in both schemes and directions, on a phone and a desk', async () => {
  const page = await openPieces();
  const files = readdirSync(UI).filter((file) => file.endsWith('.tsx'));
  const components = files.map(componentsOf);
  expect(components.filter((found) => found.length === 0)).toEqual([]);
  const shown = await page
    .locator('[data-piece]')
    .evaluateAll((pieces) => pieces.map((piece) => (piece as HTMLElement).dataset.piece));
  expect(components.flat().filter((name) => !shown.includes(name))).toEqual([]);

  for (const direction of ['ltr', 'rtl']) {
    if (direction === 'rtl') await page.getByRole('button', { name: 'Right to left' }).click();
    await page.getByRole('menu', { name: 'Assign to' }).waitFor();
    expect(await page.evaluate(() => document.dir)).toBe(direction);
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const width of [360, 1440]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        const where = `${direction}, ${colorScheme}, ${width}`;
        expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(
          width,
        );
        expect(await axeFaults(page, ['iframe']), where).toEqual([]);
        if (direction === 'rtl' || width !== 360) continue;
        const windows = page.frames().filter((frame) => frame !== page.mainFrame());
        expect(windows.length).toBeGreaterThan(0);
        for (const window of windows) expect(await axeFaults(page, [], window), where).toEqual([]);
      }
    }
  }
});

it('is in nothing that is built', () => {
  const built = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|css|html)$/.test(file),
  );
  expect(built.length).toBeGreaterThan(0);
  expect(built.filter((file) => readFileSync(DIST + file, 'utf8').includes('data-piece'))).toEqual([]);
});
