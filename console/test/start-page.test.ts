import { expect, it } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

const openBrowser = useBrowser();

it('says at the bare address what runs here, and leads to the console', async () => {
  const { open } = await startConsole(openBrowser);
  for (const colorScheme of ['light', 'dark'] as const) {
    const page = await open('../', { colorScheme });
    await page.getByRole('heading', { level: 1, name: 'Parlor' }).waitFor();
    expect(await axeFaults(page)).toEqual([]);
    await page.getByRole('link', { name: 'Console' }).click();
    await page.getByLabel('Username').waitFor();
  }
  // What shows every component in development is no page here.
  const pieces = await open('#/pieces');
  await pieces.getByLabel('Username').waitFor();
  expect(await pieces.locator('[data-piece]').count()).toBe(0);
});
