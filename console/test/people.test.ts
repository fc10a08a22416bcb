import type { Page, WebSocketRoute } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { openProfile } from '../../widget/test/profile.ts';
import { PASSWORD, startConsole } from './console-page.ts';

/** Ways in, and the people of an account, in a real browser on a real server. */

const openBrowser = useBrowser();
const server = useServer();
const start = () => startConsole(openBrowser, {}, server());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

it('signs in and out, says what is wrong, and goes where the address leads', async () => {
  const { open, signIn, url, username } = await start();
  const page = await open('settings/profile');
  await signIn(page, 'ada', 'not the one');
  await page.getByRole('alert').getByText('Username or password are not right.').waitFor();
  expect(await page.getByLabel('Username').inputValue()).toBe(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await heading(page, 'Profile').waitFor();
  await page.reload();
  await heading(page, 'Profile').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await heading(page, 'Sign in').waitFor();
  await page.goto(`${url}/console/`);
  await heading(page, 'Sign in').waitFor();
  expect((await page.context().cookies()).map(({ name }) => name)).toEqual(['parlor-device']);
});

it('tells that Parlor can’t be reached, and keeps what was typed', async () => {
  const { open, signIn } = await start();
  const page = await open();
  await heading(page, 'Sign in').waitFor();
  await page.route('**/api/v1/**', (route) => route.abort());
  await signIn(page);
  await page.getByRole('alert').getByText('can’t be reached').waitFor();
  await page.unroute('**/api/v1/**');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await heading(page, 'All').waitFor();
});

it('tells of a proxy that answers for a server that is away, and goes on when it is back', async () => {
  const { open, signIn } = await start();
  const page = await open();
  await heading(page, 'Sign in').waitFor();
  await page.route('**/api/v1/**', (route) =>
    route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad Gateway</h1>' }),
  );
  await signIn(page);
  await page.getByRole('alert').getByText('can’t be reached').waitFor();
  await page.reload();
  await heading(page, 'Parlor can’t be reached.').waitFor();
  await page.unroute('**/api/v1/**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await heading(page, 'Sign in').waitFor();
});

it('keeps what was typed where the live channel is refused while the server does not answer', async () => {
  const { open, signIn } = await start();
  const page = await open('settings/profile');
  await signIn(page);
  await heading(page, 'Profile').waitFor();
  const channels: WebSocketRoute[] = [];
  await page.routeWebSocket('**/api/v1/realtime', (channel) => {
    channel.connectToServer();
    channels.push(channel);
  });
  await page.reload();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await expect.poll(() => channels.length).toBe(1);
  await page.route('**/auth/session', (route) => route.abort());
  const asked = page.waitForRequest((request) => request.url().endsWith('/auth/session'));
  await channels[0]?.close({ code: 4_401 });
  await asked;
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 200)));
  expect(await page.getByLabel('Name').inputValue({ timeout: 2000 })).toBe('Ada Lovelace');
});

it('says that it needs cookies where the browser keeps none', async () => {
  const { url, signIn } = await start();
  const context = await openProfile({ blocked: 'all' });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await signIn(page);
  await page.getByRole('alert').getByText('keeps no cookies').waitFor();
});

it('invites by a link that is good once, and whoever opens it is in', async () => {
  const { open, signIn } = await start();
  const page = await open('settings/team');
  await signIn(page);
  await page.getByRole('button', { name: 'Invite' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('E-mail').fill('nobody');
  await page.keyboard.press('Enter');
  await dialog.getByText('Enter a valid email address.').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute('name'))).toBe('email');
  await dialog.getByLabel('E-mail').fill('grace@example.com');
  await dialog.getByLabel('Name').fill('Grace <img src=x onerror=alert(1)>');
  await dialog.getByLabel('Admin').check();
  await dialog.getByRole('button', { name: 'Create the link' }).click();
  const link = (await dialog.locator('pre').textContent()) ?? '';
  expect(link).toMatch(/\/console\/invitation#token=[\w-]{43}$/);
  await page.keyboard.press('Escape');
  await page.getByText('Grace <img src=x onerror=alert(1)>').waitFor();

  const hers = await open(`invitation#${link.split('#')[1]}`);
  await heading(hers, 'Welcome to Parlor').waitFor();
  // The secret does not stay in the address, or in the history.
  await expect.poll(() => hers.url()).not.toContain('token');
  await hers.getByLabel('Username').fill('grace');
  await hers.getByLabel('Password', { exact: true }).fill('password1');
  await hers.getByLabel('Password, once more').fill('password2');
  await hers.keyboard.press('Enter');
  await hers.getByText('This password is too common.').waitFor();
  await hers.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await hers.getByLabel('Password, once more').fill(PASSWORD);
  await hers.keyboard.press('Enter');
  await heading(hers, 'All').waitFor();

  const late = await open(`invitation#${link.split('#')[1]}`);
  await late.getByLabel('Username').fill('hedy');
  await late.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await late.getByLabel('Password, once more').fill(PASSWORD);
  await late.keyboard.press('Enter');
  await late.getByRole('alert').getByText('has run out or was used').waitFor();
});

it('gives roles, and who is removed is out at once, elsewhere too', async () => {
  const { open, signIn, join, emailOf } = await start();
  await join('grace', 'operator', 'Grace');
  const hers = await open('settings/team');
  await signIn(hers, 'grace');
  await heading(hers, 'Team').waitFor();
  expect(await hers.getByRole('button', { name: 'Invite' }).count()).toBe(0);
  expect(await hers.getByRole('button', { name: /^Change/ }).count()).toBe(0);

  const page = await open('settings/team');
  await signIn(page);
  const row = page.getByRole('listitem').filter({ hasText: emailOf('grace') });
  await row.getByRole('button', { name: 'Change Grace' }).click();
  await page.getByRole('dialog').getByLabel('Admin').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await row.getByText('Admin').waitFor();
  await hers.reload();
  await hers.getByRole('button', { name: 'Invite' }).waitFor();

  await row.getByRole('button', { name: 'Change Grace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'Remove Grace?' }).waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  await expect.poll(() => row.count()).toBe(0);
  await heading(hers, 'Sign in').waitFor();
  await hers.getByText('Your session has ended.').waitFor();
});

it('changes name and password, and ends the sessions of other browsers', async () => {
  const { open, signIn, rest } = await start();
  const other = await open();
  await signIn(other);
  await heading(other, 'All').waitFor();
  const page = await open('settings/profile');
  await signIn(page);
  await heading(page, 'Profile').waitFor();
  await page.getByLabel('Name').fill('Ada Lovelace');
  await page.getByRole('switch', { name: 'I am away' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  expect((await rest('GET', '/api/v1/members/me/')).json).toMatchObject({
    name: 'Ada Lovelace',
    is_away: true,
  });
  await page.getByRole('link', { name: 'Security' }).click();
  await page.getByRole('listitem').filter({ hasText: 'This browser' }).waitFor();
  await page.getByRole('button', { name: /^Sign out: / }).click();
  await other.reload();
  await heading(other, 'Sign in').waitFor();
  await signIn(other);
  await heading(other, 'All').waitFor();

  await page.getByLabel('Present password').fill(PASSWORD);
  await page.getByLabel('New password', { exact: true }).fill('quite another secret');
  await page.getByLabel('New password, once more').fill('quite another secret');
  await page.keyboard.press('Enter');
  await page.getByText('Your password is changed').waitFor();
  await other.reload();
  await heading(other, 'Sign in').waitFor();
  await signIn(other, 'ada', 'quite another secret');
  await heading(other, 'All').waitFor();
});

it.each(['light', 'dark'] as const)(
  'is whole for everybody, from 320 pixels on, in %s',
  async (colorScheme) => {
    const { open, signIn, join, emailOf } = await start();
    await join('grace', 'admin', `Grace ${'Hopper'.repeat(12)}`);
    const page = await open('settings/team', {
      viewport: { width: 320, height: 640 },
      colorScheme,
      bypassCSP: true,
      hasTouch: true,
      // Contrast is measured when nothing moves.
      reducedMotion: 'reduce',
    });
    const check = async (): Promise<void> => {
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    };
    await heading(page, 'Sign in').waitFor();
    await check();
    await signIn(page);
    await page.getByText(emailOf('grace')).waitFor();
    await check();
    await page.getByRole('button', { name: 'Invite' }).click();
    await check();
    await page.keyboard.press('Escape');
    for (const name of ['Security', 'Profile']) {
      await page.getByRole('button', { name: 'Menu' }).click();
      await check();
      await page.getByRole('link', { name }).click();
      await heading(page, name).waitFor();
      await check();
    }
  },
);

it('speaks German where the browser does', async () => {
  const { open } = await start();
  const page = await open('', { locale: 'de-AT' });
  await heading(page, 'Anmelden').waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe('de');
  await page.getByLabel('Benutzername').fill('ada');
  await page.getByLabel('Passwort', { exact: true }).fill('falsch');
  await page.keyboard.press('Enter');
  await page.getByText('Benutzername oder Passwort stimmen nicht.').waitFor();
});
