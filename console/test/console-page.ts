import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { type ServerProcess, serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import type { useBrowser } from '../../widget/test/browser.ts';

/** The password of everybody here. */
export const PASSWORD = 'a long enough secret';

let accounts = 0;

/**
 * A server with the owner `ada`, and what a test does there in a browser.
 * @param env with `PUBLIC_URL`, pages are opened there
 * @param shared the server of the file, in which this is one account of several
 */
export const startConsole = async (
  openBrowser: ReturnType<typeof useBrowser>,
  env: Record<string, string> = {},
  shared?: ServerProcess,
) => {
  const server =
    shared ?? (await startServerProcess({ ...(await serverSettings()), REGISTRATION: 'open', ...env }));
  const suffix = shared ? `-${++accounts}` : '';
  const { rest } = await owner(server.url, `ada${suffix}`);

  /** A browser of its own at an address of the console; whatever breaks its policy or ends up as an error fails the test. */
  const open = async (path = '', options: BrowserContextOptions = {}): Promise<Page> => {
    const context = await openBrowser({ viewport: { width: 1_024, height: 768 }, ...options });
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', ({ message }) => faults.push(message));
    page.on('console', (line) => {
      // A request that is refused, and a channel that is cut as it opens, are no fault of the page.
      const isRefusal = /^(Failed to load resource|WebSocket connection to .* failed)/.test(line.text());
      if (!isRefusal && ['error', 'warning'].includes(line.type())) faults.push(line.text());
    });
    onTestFinished(() => {
      expect(faults).toEqual([]);
    });
    await page.goto(`${env.PUBLIC_URL ?? server.url}/console/${path}`);
    return page;
  };

  /** Signs in at the page that is open. */
  const signIn = async (page: Page, username = 'ada', password = PASSWORD): Promise<void> => {
    await page.getByLabel('Username').fill(username + suffix);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.keyboard.press('Enter');
  };

  /** Where somebody of the account gets mail. */
  const emailOf = (username: string): string => `${username}${suffix}@example.com`;

  /** Somebody who has accepted an invitation. */
  const join = async (username: string, role: string, name = ''): Promise<string> => {
    const email = emailOf(username);
    const { json } = await rest('POST', '/api/v1/members/', { email, role, name });
    const body = {
      token: json.invite_url.split('#token=')[1],
      username: username + suffix,
      password: PASSWORD,
      password2: PASSWORD,
    };
    const accepted = await rest('POST', '/api/v1/auth/accept-invitation', body);
    expect(accepted.status).toBe(201);
    return json.uuid;
  };

  return { url: server.url, rest, open, signIn, join, emailOf, username: `ada${suffix}` };
};
