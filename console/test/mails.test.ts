import type { Page } from 'playwright-core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { startSmtpReceiver } from '../../server/test/smtp-receiver.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** What comes by mail, and the pages that its links lead to: a real browser, a real server and a real SMTP server. */

const openBrowser = useBrowser();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

/** A console whose server mails, and the link in the newest mail to an address. */
const start = async () => {
  const smtp = await startSmtpReceiver();
  onTestFinished(() => smtp.close());
  const parts = await startConsole(openBrowser, { SMTP_URL: smtp.url });
  const linkTo = (to: string, place: string): Promise<string> =>
    vi.waitFor(() => {
      const mails = smtp.mails.filter((mail) => mail.to.includes(to));
      const links = mails.flatMap(({ body }) => body.match(/^https?:\/\/\S+$/gm) ?? []);
      const link = links.findLast((one) => one.includes(place));
      if (!link) throw new Error('no mail has come');
      return link;
    }, PATIENCE);
  return { ...parts, linkTo };
};

it('gives a new password to whoever has forgotten it, by mail, once', async () => {
  const { open, signIn, url, linkTo } = await start();
  const signedIn = await open('settings/security');
  await signIn(signedIn);
  await heading(signedIn, 'Security').waitFor();

  const page = await open();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await heading(page, 'Forgot your password?').waitFor();
  await page.getByLabel('E-mail').fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a valid email address.').waitFor();
  await page.getByLabel('E-mail').fill('stranger@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('If we know stranger@example.com').waitFor();
  await page.goto(`${url}/console/reset`);
  await page.getByLabel('E-mail').fill('ada@example.com');
  await page.keyboard.press('Enter');
  await page.getByText('If we know ada@example.com').waitFor();

  const link = await linkTo('ada@example.com', '/console/reset');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url() + JSON.stringify(request.headers())));
  // In the tab that it was asked for in: the address differs by what is behind the number sign alone.
  await page.goto(link);
  await heading(page, 'Choose a new password').waitFor();
  await expect.poll(() => page.url(), PATIENCE).toBe(`${url}/console/reset`);
  await page.getByLabel('New password', { exact: true }).fill('password1');
  await page.getByLabel('New password, once more').fill('password2');
  await page.keyboard.press('Enter');
  await page.getByText('This password is too common.').waitFor();
  await page.getByLabel('New password', { exact: true }).fill('quite another secret');
  await page.getByLabel('New password, once more').fill('quite another secret');
  await page.keyboard.press('Enter');
  await heading(page, 'Your password is set').waitFor();
  expect(asked.length).toBeGreaterThan(0);
  expect(asked.join()).not.toContain(link.split('#token=')[1]);

  await page.getByRole('link', { name: 'To sign-in' }).click();
  await signIn(page, 'ada', 'quite another secret');
  await heading(page, 'All').waitFor();
  await signedIn.reload();
  await heading(signedIn, 'Sign in').waitFor();

  const late = await open();
  await late.goto(link);
  await late.getByLabel('New password', { exact: true }).fill('quite another secret');
  await late.getByLabel('New password, once more').fill('quite another secret');
  await late.keyboard.press('Enter');
  await late.getByRole('alert').getByText('This link has run out or was used.').waitFor();
  await late.getByRole('button', { name: 'Ask for another link' }).click();
  await heading(late, 'Forgot your password?').waitFor();
});

it('tells that an invitation was mailed, and whoever opens that link is in', async () => {
  const { open, signIn, linkTo } = await start();
  const page = await open('settings/team');
  // Only accounts whose address is confirmed mail invitations.
  const confirming = await page.context().newPage();
  await confirming.goto(await linkTo('ada@example.com', '/confirm-email'));
  await confirming.getByRole('button').click();
  await confirming.getByText('is confirmed').first().waitFor();
  await signIn(page);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('grace@example.com');
  await dialog.getByRole('button', { name: 'Create the link' }).click();
  await dialog.getByText('It was mailed to grace@example.com, too.').waitFor();
  const link = await linkTo('grace@example.com', '/console/invitation');
  expect(await dialog.locator('pre').textContent()).toBe(link);
  const hers = await open();
  await hers.goto(link);
  await heading(hers, 'Welcome to Parlor').waitFor();
});

it.each(['light', 'dark'] as const)('is whole for everybody, in German, in %s', async (colorScheme) => {
  const { open, linkTo } = await start();
  const page = await open('reset', {
    viewport: { width: 320, height: 640 },
    locale: 'de',
    colorScheme,
    bypassCSP: true,
    reducedMotion: 'reduce',
  });
  const check = async (): Promise<void> => {
    expect(await axeFaults(page)).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  };
  await heading(page, 'Passwort vergessen?').waitFor();
  await check();
  await page.getByLabel('E-Mail').fill('ada@example.com');
  await page.keyboard.press('Enter');
  await heading(page, 'Sehen Sie in Ihre Mails').waitFor();
  await check();
  await page.goto(await linkTo('ada@example.com', '/console/reset'));
  await heading(page, 'Wählen Sie ein neues Passwort').waitFor();
  await check();
});
