import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { leave } from './lead-page.ts';

/** The leads, left and come back to. */

const openBrowser = useBrowser();
const server = useServer();

const NAME = 'Grace Hopper';
const lead = (page: Page) => page.getByRole('link', { name: NAME, exact: true });

const drawn = (page: Page) =>
  page.evaluate(async () => {
    for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
  });

/** Which lead is in the middle of what is seen, and where on the screen. */
const seen = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('tr[data-key]')];
    const row = all.find((one) => one.getBoundingClientRect().bottom > innerHeight / 2);
    return { key: row?.dataset.key ?? '', top: Math.round(row?.getBoundingClientRect().top ?? 0) };
  });

/** How many leads have been read. */
const read = async (page: Page): Promise<number> => {
  const count = await page.getByRole('table').getAttribute('aria-rowcount');
  return count === null ? page.locator('tr[data-key]').count() : Number(count) - 1;
};

/** An account with so many leads, one of which a visitor has left in a conversation, and a page that shows them all. */
const startLeads = async (count: number, options: BrowserContextOptions, older: string) => {
  const console = await startConsole(openBrowser, {}, server());
  const { url, rest, open, signIn } = console;
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  let made = 0;
  const add = () =>
    rest('POST', '/api/v1/leads/', { nickname: `Lead ${++made}`, email: `${made}@example.com` });
  while (made < count / 2) await Promise.all(Array.from({ length: 10 }, add));
  await leave(url, widget, { nickname: NAME, email: 'grace@example.com' });
  while (made < count) await Promise.all(Array.from({ length: 10 }, add));
  const page = await open('leads?days=7', { ...options, locale: 'en' });
  await signIn(page);
  await page.getByRole('table').waitFor();
  const all = async (): Promise<void> => {
    await expect.poll(() => read(page), PATIENCE).toBeGreaterThan(0);
    const more = page.getByRole('button', { name: older });
    while ((await more.count()) > 0) await more.click({ timeout: 1_000 }).catch(() => undefined);
    await expect.poll(() => read(page), PATIENCE).toBe(made + 1);
  };
  await all();
  // Down to the visitor's lead, step by step, as somebody does who looks for it.
  await page.evaluate(() => scrollTo(0, 0));
  await drawn(page);
  await expect
    .poll(async () => {
      if ((await lead(page).count()) > 0) return true;
      await page.evaluate(() => scrollBy(0, innerHeight / 2));
      await drawn(page);
      return false;
    }, PATIENCE)
    .toBe(true);
  await lead(page).evaluate((link) => link.scrollIntoView({ block: 'center' }));
  await drawn(page);
  return { page, add, total: () => made + 1 };
};

const DESK = { viewport: { width: 1_440, height: 900 } };
const PHONE = { viewport: { width: 360, height: 700 } };

it.each([
  ['a long table at a desk', 160, DESK],
  ['a long list on a phone', 160, PHONE],
  ['a short list on a phone', 60, PHONE],
] as const)('comes back to %s as it was left', async (_, count, options) => {
  const { page, add, total } = await startLeads(count, options, 'Older leads');
  const isPhone = options === PHONE;
  const left = await seen(page);
  const isBack = async () => {
    await expect.poll(() => seen(page), PATIENCE).toEqual(left);
    expect(new URL(page.url()).search).toBe('?days=7');
    expect(await page.getByLabel('Days', { exact: true }).inputValue()).toBe('7');
    expect(await read(page)).toBe(total());
  };
  const panel = page.getByRole('complementary', { name: 'Lead' });

  // From a lead by the browser's Back, and the focus is on its row.
  await lead(page).click();
  await panel.getByText('Lamps').waitFor();
  expect(await page.getByRole('table').isVisible()).toBe(!isPhone);
  await drawn(page);
  await page.goBack();
  await isBack();
  expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(NAME);

  // From its conversation, past the lead.
  await page.goForward();
  await panel.getByRole('link', { name: 'Open the conversation' }).click();
  await page.getByRole('log').waitFor();
  await drawn(page);
  await page.goBack();
  await panel.getByText('Lamps').waitFor();
  await drawn(page);
  await page.goBack();
  await isBack();

  // By the panel's own button, and by its key.
  for (const close of isPhone ? ['button', 'key'] : ['key']) {
    await lead(page).click();
    await panel.getByText('Lamps').waitFor();
    await drawn(page);
    if (close === 'key') await page.keyboard.press('Escape');
    else await panel.getByRole('button', { name: 'Back to the list' }).click();
    await isBack();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe(NAME);
  }

  // From another page, during which somebody has left word.
  await lead(page).click();
  await panel.getByRole('link', { name: 'Open the conversation' }).click();
  await page.getByRole('log').waitFor();
  await add();
  await page.goBack();
  await panel.getByText('Lamps').waitFor();
  await page.goBack();
  await expect.poll(() => read(page), PATIENCE).toBe(total());
  await isBack();
  expect(await axeFaults(page)).toEqual([]);

  // Whoever goes there anew begins with the newest.
  for (const name of ['reports', 'leads']) {
    await page.locator(`#side a[href="/console/${name}"]`).evaluate((link: HTMLElement) => link.click());
    await page.getByRole('heading', { level: 1, name, exact: false }).waitFor();
  }
  await page.getByRole('link', { name: `Lead ${total() - 1}`, exact: true }).waitFor();
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
});
