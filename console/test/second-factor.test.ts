import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';

/** Sign-in by two steps, in a real browser on a real server. */

const openBrowser = useBrowser();
const server = useServer();
const start = () => startConsole(openBrowser, {}, server());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 });

it('sets up a second factor, asks for it, and leads those through it who must have one', async () => {
  const { open, signIn, join } = await start();
  await join('grace', 'operator', 'Grace');
  const page = await open('settings/security');
  await signIn(page);
  await page.getByRole('button', { name: 'Set it up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First, your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  const secret = (await dialog.locator('pre').textContent()) ?? '';
  await dialog.getByLabel('Code', { exact: true }).fill('000000');
  await page.keyboard.press('Enter');
  await dialog.getByText('This code is not good.').waitFor();
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, -1));
  await page.keyboard.press('Enter');
  await dialog.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  expect((await dialog.locator('pre').textContent())?.split('\n')).toHaveLength(10);
  await dialog.getByRole('button', { name: 'I have kept them' }).click();
  await page.getByRole('switch', { name: 'Ask each member for two-step sign-in' }).check();

  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page);
  await heading(page, 'Two-step sign-in').waitFor();
  await page.getByLabel('Code', { exact: true }).fill(codeOf(secret));
  await page.keyboard.press('Enter');
  await heading(page, 'Security').waitFor();

  const hers = await open();
  await signIn(hers, 'grace');
  await hers.getByText('Your account asks each member for two-step sign-in.').waitFor();
  await hers.goto(hers.url().replace(/console\/.*/, 'console/settings/team'));
  await hers.getByText('Your account asks each member for two-step sign-in.').waitFor();
  await hers.getByRole('button', { name: 'Set it up' }).click();
  await hers.getByLabel('First, your password').fill(PASSWORD);
  await hers.keyboard.press('Enter');
  const own = (await hers.getByRole('dialog').locator('pre').textContent()) ?? '';
  await hers.getByLabel('Code', { exact: true }).fill(codeOf(own));
  await hers.keyboard.press('Enter');
  await hers.getByRole('button', { name: 'I have kept them' }).click();
  await heading(hers, 'Team').waitFor();
});

it('shows recovery codes until they are kept, whatever else happens to the page', async () => {
  const { open, signIn, join, rest } = await start();
  const uuid = await join('grace', 'operator', 'Grace');
  const page = await open('settings/security');
  await signIn(page, 'grace');
  await page.getByRole('button', { name: 'Set it up' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('First, your password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  const secret = (await dialog.locator('pre').textContent()) ?? '';
  await dialog.getByLabel('Code', { exact: true }).fill(codeOf(secret, -1));
  await page.keyboard.press('Enter');
  const kept = dialog.getByRole('button', { name: 'I have kept them' });
  await kept.waitFor();
  const codes = await dialog.locator('pre').textContent();
  const areThere = async () => {
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
    expect(await dialog.locator('pre').textContent({ timeout: 2000 })).toBe(codes);
  };
  await page.keyboard.press('Escape');
  await page.keyboard.press('Escape');
  await areThere();
  await page.mouse.click(5, 5);
  await areThere();
  expect((await rest('DELETE', `/api/v1/members/${uuid}/`)).status).toBe(204);
  await heading(page, 'Sign in').waitFor({ state: 'attached' });
  await areThere();
  const asked = page.waitForEvent('dialog');
  await page.evaluate(() => {
    setTimeout(() => location.reload());
  });
  await (await asked).dismiss();
  await areThere();
  await kept.click();
  await dialog.waitFor({ state: 'detached' });
});

it('sets a second factor up anew, for another phone, where the account asks for one, too', async () => {
  const { open, signIn, rest } = await start();
  const page = await open('settings/security');
  await signIn(page);
  const setUp = async (button: string) => {
    await page.getByRole('button', { name: button, exact: true }).click();
    await page.getByRole('dialog').getByLabel('First, your password').fill(PASSWORD);
    await page.keyboard.press('Enter');
    const secret = (await page.getByRole('dialog').locator('pre').textContent()) ?? '';
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, -1));
    await page.keyboard.press('Enter');
    const kept = page.getByRole('button', { name: 'I have kept them' });
    await kept.waitFor();
    const codes = await page.getByRole('dialog').locator('pre').textContent();
    await kept.click();
    return { secret, codes: codes?.split('\n') ?? [] };
  };
  const first = await setUp('Set it up');
  await page.getByRole('switch', { name: 'Ask each member for two-step sign-in' }).check();
  await expect.poll(async () => (await rest('GET', '/api/v1/account/')).json.requires_totp).toBe(true);
  const second = await setUp('Set it up anew');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await signIn(page);
  for (const old of [codeOf(first.secret), first.codes[0] ?? '']) {
    await page.getByLabel('Code', { exact: true }).fill(old);
    await page.keyboard.press('Enter');
    await page.getByText('This code is not good.').waitFor();
  }
  await page.getByLabel('Code', { exact: true }).fill(second.codes[0] ?? '');
  await page.keyboard.press('Enter');
  await heading(page, 'Security').waitFor();
});
