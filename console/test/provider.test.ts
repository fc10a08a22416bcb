import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { introduce, invite, startWithProvider } from '../../server/test/oidc-parts.ts';
import { owner } from '../../server/test/rest.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD } from './console-page.ts';

/** The way in by a provider of OpenID Connect, on another site. */

const openBrowser = useBrowser();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });

it('signs in at the provider, comes back to the page, and chooses a password there', async () => {
  const { server, provider } = await startWithProvider({}, undefined, 'localhost');
  const { rest } = await owner(server.url);
  introduce(provider, 'grace', { preferred_username: 'grace' });
  await invite(rest, 'grace@example.com');
  const browser = await openBrowser({ bypassCSP: true }, { watched: false });
  // The provider's pages ask for a font from elsewhere.
  await browser.route(/^https:/, (route) => route.abort());
  const page = await browser.newPage();
  await page.goto(`${server.url}/console/settings/security`);
  const way = page.getByRole('link', { name: 'Sign in with The Office' });
  await way.waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await way.click();
  await page.getByPlaceholder('Enter any login').fill('grace');
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button').click();
  await page.getByRole('button', { name: 'Continue' }).click();
  await heading(page, 'Security').waitFor();

  expect(await page.getByLabel('Present password').count()).toBe(0);
  await page.getByLabel('New password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('New password, once more').fill(PASSWORD);
  await page.keyboard.press('Enter');
  await page.getByLabel('Present password').waitFor();
  const again = { username: 'grace', password: PASSWORD };
  expect((await rest('POST', '/api/v1/auth/session', again)).status).toBe(200);
});

it('shows no way to a provider where there is none', async () => {
  const { server } = await startWithProvider({ OIDC_ISSUER: '', OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '' });
  const page = await (await openBrowser()).newPage();
  const asked = page.waitForResponse('**/api/v1/auth/oidc');
  await page.goto(`${server.url}/console/`);
  await (await asked).finished();
  await heading(page, 'Sign in').waitFor();
  expect(await page.getByRole('link', { name: /^Sign in with/ }).count()).toBe(0);
});
