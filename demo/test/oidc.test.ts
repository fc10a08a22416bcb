import { Secret, TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { introduce, START, startWithProvider } from '../../server/test/oidc-parts.ts';
import { owner } from '../../server/test/rest.ts';
import { useBrowser } from '../../widget/test/browser.ts';

/** Signing in at a provider on another site, from a real browser. */

const openBrowser = useBrowser();

/** What the browser shows of who is signed in: a page of Parlor that needs the session's cookie. */
const WHO = '/api/v1/auth/session';

const begin = async () => {
  // By another name it is another site, whose redirects carry no SameSite=Strict cookie.
  const { server, provider } = await startWithProvider({}, undefined, 'localhost');
  introduce(provider, 'ada');
  const { rest } = await owner(server.url);
  const browser = await openBrowser(undefined, { watched: false });
  // The provider's pages ask for a font from elsewhere.
  await browser.route(/^https:/, (route) => route.abort());
  const page = await browser.newPage();
  /** Scripts and policies that were broken. */
  const errors: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !text.startsWith('Failed to load resource')) errors.push(text);
  });
  page.on('pageerror', (error) => void errors.push(error.message));
  return { server, provider, rest, browser, page, errors };
};

/** Types a login at the provider, and agrees to what Parlor asks for. */
const passProvider = async (page: Page, login: string): Promise<void> => {
  await page.getByPlaceholder('Enter any login').fill(login);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button').click();
  await page.getByRole('button', { name: 'Continue' }).click();
};

it('comes back signed in, by a cookie that no script reads and no other site uses', async () => {
  const { server, provider, browser, page, errors } = await begin();
  await page.goto(`${server.url}${START}?return_to=${WHO}`);
  expect(page.url()).toMatch(/^http:\/\/localhost:/);
  expect(await browser.cookies(server.url)).toMatchObject([
    { name: 'parlor-oidc', httpOnly: true, sameSite: 'Lax', path: '/', domain: '127.0.0.1' },
  ]);
  await passProvider(page, 'ada');
  await page.waitForURL(`${server.url}${WHO}`);
  expect(await page.textContent('body')).toContain('"username":"ada"');
  expect(await browser.cookies(server.url)).toMatchObject([
    { name: 'parlor', httpOnly: true, secure: false, sameSite: 'Strict', path: '/', domain: '127.0.0.1' },
  ]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  // The page in between is not gone back to: its code is used.
  await page.goBack();
  expect(new URL(page.url()).pathname).not.toBe('/api/v1/auth/oidc/callback');

  // Once more, without a form: the provider knows the browser.
  await page.goto(`${server.url}${START}?return_to=${WHO}`);
  await page.waitForURL(`${server.url}${WHO}`);
  expect(errors).toEqual([]);

  // Somebody whom nobody knows here gets a page with a way back.
  const other = await openBrowser(undefined, { watched: false });
  const stranger = await other.newPage();
  introduce(provider, 'eve');
  await stranger.goto(`${server.url}${START}`);
  await passProvider(stranger, 'eve');
  await stranger.waitForURL(/\/callback/);
  expect(await stranger.getByRole('heading').textContent()).toBe('You are not signed in');
  expect(await stranger.getByRole('link', { name: 'Begin again' }).getAttribute('href')).toBe(START);
  expect(await other.cookies(server.url)).toEqual([]);
});

it('asks for a code of the app on the way', async () => {
  const { server, rest, browser, page, errors } = await begin();
  const { secret } = (await rest('POST', '/api/v1/auth/totp', { password: 'a long enough secret' })).json;
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const { json } = await rest('POST', '/api/v1/auth/totp/confirm', { code });
  await page.goto(`${server.url}${START}?return_to=${WHO}`);
  await passProvider(page, 'ada');
  const field = page.getByLabel('The code of your authenticator app, or a recovery code');
  await field.fill('000000');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('This code is not good.').waitFor();
  expect((await browser.cookies(server.url)).map(({ name }) => name)).toEqual(['parlor-code']);
  await field.fill(json.recovery_codes[0]);
  await field.press('Enter');
  await page.waitForURL(`${server.url}${WHO}`);
  expect(await page.textContent('body')).toContain('"username":"ada"');
  expect((await browser.cookies(server.url)).map(({ name }) => name)).toEqual(['parlor']);
  expect(errors).toEqual([]);
});
