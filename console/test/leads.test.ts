import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';
import { holdAnswer } from './hold-answer.ts';
import { leave, names, panel, row } from './lead-page.ts';

/** The leads in the console. */

const openBrowser = useBrowser();
const server = useServer();

it('shows leads as they come, finds them, and says what a colleague has changed', async () => {
  const { url, rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  const page = await open('leads', { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  await page.getByText('No leads yet').waitFor();

  const hostile = 'Ada <img src=x onerror=alert(1)>';
  const { room } = await leave(url, widget, { nickname: hostile, email: 'ada@example.com' });
  await rest('POST', '/api/v1/leads/', { nickname: 'Grace', phone_number: '+44 20 7946 0000' });
  await row(page, 'Grace').waitFor();
  expect(await names(page)).toEqual(['Grace', hostile]);

  await page.getByLabel('Search by name, e-mail or phone').fill('ada@ex');
  await expect.poll(() => names(page), PATIENCE).toEqual([hostile]);
  await page.getByLabel('Days', { exact: true }).selectOption('The last 7 days');
  await expect.poll(() => new URL(page.url()).search, PATIENCE).toBe('?q=ada%40ex&days=7');
  await page.reload();
  await row(page, hostile).click();
  await panel(page).getByText('Lamps').waitFor();
  expect(await panel(page).getByRole('term').allInnerTexts()).toContain('Widget');
  const link = panel(page).getByRole('link', { name: 'Open the conversation' });
  await expect.poll(() => link.getAttribute('href'), PATIENCE).toBe(`/console/inbox/all/${room}`);
  await page.keyboard.press('Escape');
  await page.getByLabel('Search by name, e-mail or phone').fill('nobody');
  await page.getByRole('button', { name: 'Show all leads' }).click();

  await row(page, 'Grace').click();
  await panel(page).getByText('It was left outside of a conversation.').waitFor();
  await panel(page).getByLabel('Name').fill('Grace Hopper');
  const [{ uuid }] = (await rest('GET', '/api/v1/leads/')).json;
  await rest('PATCH', `/api/v1/leads/${uuid}/`, { nickname: 'Rear Admiral', email: 'grace@example.com' });
  await panel(page).getByText('Now: Rear Admiral').waitFor();
  expect(await panel(page).getByLabel('E-mail').inputValue()).toBe('grace@example.com');
  await page.reload();
  await expect.poll(() => panel(page).getByLabel('Name').inputValue(), PATIENCE).toBe('Grace Hopper');

  // What the channel has not told yet, the server refuses, and it is shown before it can be overwritten.
  let isFirst = true;
  await page.route(`**/api/v1/leads/${uuid}/`, async (route) => {
    if (isFirst && route.request().method() === 'PATCH') {
      isFirst = false;
      await rest('PATCH', `/api/v1/leads/${uuid}/`, { nickname: 'Amazing Grace' });
    }
    await route.continue();
  });
  const save = panel(page).getByRole('button', { name: 'Save' });
  await save.click();
  await panel(page).getByText('Now: Amazing Grace').waitFor();
  await expect.poll(() => save.getAttribute('aria-disabled'), PATIENCE).toBeNull();
  expect((await rest('GET', `/api/v1/leads/${uuid}/`)).json.nickname).toBe('Amazing Grace');
  await save.click();
  // Of the text alone the buttons Save and Discard have it together, too, until it is saved.
  await panel(page).getByRole('status').getByText('Saved').waitFor();
  expect((await rest('GET', `/api/v1/leads/${uuid}/`)).json).toMatchObject({
    nickname: 'Grace Hopper',
    email: 'grace@example.com',
  });
  await panel(page).getByLabel('E-mail').fill('no address');
  await page.keyboard.press('Enter');
  await panel(page).getByText('Enter a valid email address.').waitFor();
});

it('keeps what is typed while answers and frames come, and shows what a colleague saves before the answer', async () => {
  const { rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const { uuid } = (await rest('POST', '/api/v1/leads/', { nickname: 'Grace' })).json;
  const path = `/api/v1/leads/${uuid}/`;
  const page = await open(`leads?lead=${uuid}`, { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  const field = (name: string) => panel(page).getByLabel(name);
  const saved = panel(page).getByRole('status').getByText('Saved');

  // The server has saved it, and its answer takes long.
  const answer = await holdAnswer(page, `**${path}`, 'PATCH');
  await field('Name').fill('Grace Hopper');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await answer.given;
  await field('Phone').fill('+44 20 7946 0000');
  await rest('PATCH', path, { nickname: 'Rear Admiral' });
  await row(page, 'Rear Admiral').waitFor();
  await answer.release();
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Rear Admiral');
  expect(await field('Phone').inputValue()).toBe('+44 20 7946 0000');
  expect(await saved.count()).toBe(0);
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await saved.waitFor();
  expect((await rest('GET', path)).json).toMatchObject({
    nickname: 'Rear Admiral',
    phone_number: '+44 20 7946 0000',
  });

  // Something is typed as soon as the change of a colleague is shown.
  await panel(page)
    .getByRole('heading', { level: 2 })
    .evaluate((title) => {
      const observer = new MutationObserver(() => {
        const email = document.querySelector<HTMLInputElement>('input[name=email]');
        if (email) email.value = 'grace@example.com';
        email?.dispatchEvent(new Event('input', { bubbles: true }));
        observer.disconnect();
      });
      observer.observe(title, { characterData: true, childList: true, subtree: true });
    });
  await rest('PATCH', path, { nickname: 'Amazing Grace' });
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Amazing Grace');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await saved.waitFor();
  expect((await rest('GET', path)).json).toMatchObject({
    nickname: 'Amazing Grace',
    email: 'grace@example.com',
  });

  // What was read first is answered last.
  const older = await holdAnswer(page, `**${path}`, 'GET');
  await rest('PATCH', path, { nickname: 'Older' });
  await older.given;
  await rest('PATCH', path, { nickname: 'Newer' });
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Newer');
  await older.release();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await field('Name').inputValue()).toBe('Newer');
});

it('is whole for everybody, in German, from 320 pixels on, in both schemes', async () => {
  const { rest, open, username } = await startConsole(openBrowser, {}, server());
  const nickname = `Grace ${'Hopper'.repeat(12)}`;
  await rest('POST', '/api/v1/leads/', { nickname, referrer: `https://example.com/${'long'.repeat(60)}` });
  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1_440],
  ] as const) {
    const page = await open('leads?from=2026-01-01', {
      viewport: { width, height: 768 },
      colorScheme,
      locale: 'de',
      bypassCSP: true,
      hasTouch: width === 320,
      reducedMotion: 'reduce',
    });
    const check = async (): Promise<void> => {
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    await page.getByLabel('Benutzername').fill(username);
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await row(page, nickname).waitFor();
    await page.getByRole('button', { name: 'Spalten' }).click();
    await page.getByLabel('Kam von').check();
    await check();
    await page.keyboard.press('Escape');
    await row(page, nickname).click();
    await page.getByRole('textbox', { name: 'Telefon' }).waitFor();
    await check();
  }
});
