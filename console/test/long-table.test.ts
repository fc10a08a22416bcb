import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** A table of which only what is near to the view is in the page. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };

it('keeps the place and the focus in a long table of leads, at a desk and on a phone', async () => {
  const { open, signIn, rest } = await startConsole(openBrowser, {}, server());
  let count = 0;
  const leave = () =>
    rest('POST', '/api/v1/leads/', { nickname: `Lead ${++count}`, email: `${count}@example.com` });
  while (count < 160) await Promise.all(Array.from({ length: 20 }, leave));
  const page = await open('leads', { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  const rows = page.locator('tr[data-key]');
  const readAll = async (on: Page, label: string) => {
    const older = on.getByRole('button', { name: label });
    await expect.poll(() => on.locator('tr[data-key]').count(), PATIENCE).toBeGreaterThan(9);
    while ((await older.count()) > 0) await older.click({ timeout: 1_000 }).catch(() => undefined);
    await expect
      .poll(() => on.getByRole('table').getAttribute('aria-rowcount'), PATIENCE)
      .toBe(`${count + 1}`);
  };
  const scrollTo = (on: Page, top: number) =>
    on.evaluate(async (wanted) => {
      document.documentElement.scrollTop = wanted;
      for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
    }, top);
  const seen = (on: Page) =>
    on.evaluate(() => {
      const all = [...document.querySelectorAll<HTMLElement>('tr[data-key]')];
      const row = all.find((one) => one.getBoundingClientRect().bottom > innerHeight / 2);
      return { key: row?.dataset.key ?? '', top: Math.round(row?.getBoundingClientRect().top ?? 0) };
    });
  const topOf = (on: Page, key: string) =>
    on.locator(`tr[data-key="${key}"]`).evaluate((row) => Math.round(row.getBoundingClientRect().top));

  await readAll(page, 'Older leads');
  expect(await rows.count()).toBeLessThan(60);
  await scrollTo(page, 3_000);
  const { key, top } = await seen(page);
  await leave();
  await expect
    .poll(() => page.getByRole('table').getAttribute('aria-rowcount'), PATIENCE)
    .toBe(`${count + 1}`);
  await expect.poll(() => topOf(page, key)).toBe(top);

  // The lead that is open is found again, wherever one has scrolled meanwhile.
  const link = page.locator(`tr[data-key="${key}"]`).getByRole('link');
  const name = await link.innerText();
  await link.click();
  await page.getByRole('complementary', { name: 'Lead' }).getByText(name).waitFor();
  await scrollTo(page, 0);
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(name);
  await expect.poll(() => topOf(page, key)).toBeGreaterThan(0);

  const phone = await open('leads', { viewport: { width: 320, height: 700 }, locale: 'de' });
  await phone.context().addCookies(await page.context().cookies());
  await phone.reload();
  await readAll(phone, 'Ältere Leads');
  await scrollTo(phone, 6_000);
  const before = await seen(phone);
  await leave();
  await expect
    .poll(() => phone.getByRole('table').getAttribute('aria-rowcount'), PATIENCE)
    .toBe(`${count + 1}`);
  await expect.poll(() => topOf(phone, before.key)).toBe(before.top);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect(await axeFaults(phone)).toEqual([]);
});
