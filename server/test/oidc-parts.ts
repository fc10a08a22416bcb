import { expect, onTestFinished } from 'vitest';
import type { CookieBrowser, VisitedPage } from './cookie-browser.ts';
import { startOidcProvider, type TestProvider } from './oidc-provider.ts';
import { operationFor, typeFaults } from './openapi.ts';
import type { caller } from './rest.ts';
import { type AtEnd, type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';

export const START = '/api/v1/auth/oidc/start';

/** A server that signs members in at a provider, with an account whose owner is ada@example.com. */
export const startWithProvider = async (
  more: Record<string, string> = {},
  atEnd: AtEnd = onTestFinished,
  host?: string,
  method?: TestProvider['method'],
): Promise<{ server: ServerProcess; provider: TestProvider }> => {
  const provider = await startOidcProvider(atEnd, host);
  const env = { ...(await serverSettings(atEnd)), RATE_LIMIT: 'off', ...provider.settings, ...more };
  const server = await startServerProcess(env, undefined, atEnd);
  if (method) provider.method = method;
  provider.admit(server.url);
  return { server, provider };
};

/** Invites somebody. @returns the uuid */
export const invite = async (
  rest: ReturnType<typeof caller>,
  email: string,
  more: object = {},
): Promise<string> => {
  const { status, json } = await rest('POST', '/api/v1/members/', { email, ...more });
  expect(status).toBe(201);
  return json.uuid;
};

/** Fills the provider's pages in, as far as Parlor's answer. */
export const pass = async (
  { issuer }: TestProvider,
  browser: CookieBrowser,
  login: string,
  at: VisitedPage,
): Promise<VisitedPage> => {
  let page = at;
  while (page.url.startsWith(issuer) && page.text.includes('<form')) {
    const isLogin = page.text.includes('name="login"');
    page = await browser.submit(page, isLogin ? { login, password: 'any' } : {});
  }
  return page;
};

/** Goes to the provider and signs in there, as far as Parlor's answer. */
export const signInAt = async (
  provider: TestProvider,
  browser: CookieBrowser,
  { url }: { url: string },
  login: string,
  query = '',
): Promise<VisitedPage> => pass(provider, browser, login, await browser.visit(`${url}${START}${query}`));

/** The status and the code of a page that says why nobody was signed in, which is one that the document describes. */
export const refusal = ({ url, status, headers, text }: VisitedPage): [number, string | undefined] => {
  const operation = operationFor('GET', new URL(url).pathname);
  if (operation) expect(typeFaults(operation, status, headers.get('Content-Type'))).toEqual([]);
  return [status, /<code>(\w+)<\/code>/.exec(text)?.[1]];
};

/** Where a page goes on to. */
export const target = ({ text }: VisitedPage): string | undefined =>
  /http-equiv="refresh" content="0;url=([^"]*)"/.exec(text)?.[1];

/** Who the browser is signed in as; undefined when it is not. */
export const whoIs = async (
  { cookies }: CookieBrowser,
  { url }: { url: string },
): Promise<Record<string, unknown> | undefined> => {
  const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
  const answer = await fetch(`${url}/api/v1/auth/session`, { headers: { Cookie: cookie } });
  return answer.status === 200 ? ((await answer.json()) as Record<string, unknown>) : undefined;
};

/** Lets the provider say of somebody that the address is verified. */
export const introduce = ({ people }: TestProvider, login: string, more: object = {}): void => {
  people.set(login, { email: `${login}@example.com`, email_verified: true, ...more });
};

/** Requests of a browser's own pages. @param url of the server */
export const askFrom =
  (url: () => string) =>
  async ({ cookies }: CookieBrowser, method: string, path: string, body?: object) => {
    const answer = await fetch(url() + path, {
      method,
      headers: {
        Cookie: [...cookies].map((pair) => pair.join('=')).join('; '),
        Origin: url(),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text && JSON.parse(text), cookies: answer.headers.getSetCookie() };
  };
