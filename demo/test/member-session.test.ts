import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium, type Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { missingProxies } from '../../server/test/find-proxies.mjs';
import { PUBLIC_URL, startProxy } from '../../server/test/proxy-process.ts';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { ARGS, useBrowser } from '../../widget/test/browser.ts';
import { findBrowser } from '../../widget/test/find-browser.mjs';

/** Signing in from a real browser, and what other sites get by the cookie. */

const openBrowser = useBrowser();
const PERSON = { username: 'ada', password: 'a long enough secret' };

/** A request of the page's own script; what it could read of the answer. */
const ask = (page: Page, url: string, init: RequestInit = {}) =>
  page.evaluate(
    async ([address, options]) => {
      const answer = await fetch(address, options).catch((error: Error) => error);
      if (answer instanceof Error) return 'nothing';
      if (answer.type === 'opaque') return 'opaque';
      return `${answer.status} ${(await answer.text()).slice(0, 200)}`;
    },
    [url, init] as const,
  );
const json = (body: object): RequestInit => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

/** Somebody else's site on this machine. */
const foreignSite = async (): Promise<number> => {
  const site: Server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html');
    response.end('<!doctype html><title>Elsewhere</title>');
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void site.close());
  await new Promise((resolve) => site.once('listening', resolve));
  return (site.address() as AddressInfo).port;
};

it('gives a browser a cookie that no script reads and no other site uses', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), REGISTRATION: 'open' });
  const { rest } = await owner(server.url);
  // The reader of documents takes its time to start.
  const browser = await openBrowser(undefined, { watched: false });
  const page = await browser.newPage();
  await page.goto(`${server.url}/api/v1/docs`);
  expect(await ask(page, '/api/v1/auth/session', json({ ...PERSON, password: 'wrong' }))).toMatch(/^400 /);
  expect(await browser.cookies()).toEqual([]);
  expect(await ask(page, '/api/v1/auth/session', json(PERSON))).toMatch(/^200 .*"role":"owner"/);
  const kept = { httpOnly: true, secure: false, sameSite: 'Strict', path: '/', domain: '127.0.0.1' };
  expect(await browser.cookies()).toMatchObject([
    { name: 'parlor', ...kept },
    { name: 'parlor-device', ...kept },
  ]);
  expect(await page.evaluate(() => document.cookie)).toBe('');
  expect(await ask(page, '/api/v1/auth/session')).toMatch(/^200 /);
  expect(await ask(page, '/api/v1/rooms/', json({ label: 'mine' }))).toMatch(/^201 /);

  const port = await foreignSite();
  // A port is no other site to a cookie: the browser sends it from there, and Origin tells.
  for (const site of [`http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    const elsewhere = await browser.newPage();
    await elsewhere.goto(site);
    const rooms = `${server.url}/api/v1/rooms/`;
    const credentials = 'include';
    for (const init of [
      { ...json({}), credentials },
      { method: 'POST', body: '{}', credentials, mode: 'no-cors' },
      { method: 'DELETE', credentials },
      { credentials },
      { credentials, mode: 'no-cors' },
    ] as RequestInit[]) {
      // Not even that there is something: an opaque answer is one that no script can read.
      expect(['nothing', 'opaque']).toContain(await ask(elsewhere, rooms, init));
    }
    await elsewhere.setContent(
      `<form method="post" enctype="text/plain" action="${rooms}"><input name='{"label":"forged","a":"' value='"}'><button>Go</button></form>`,
    );
    const [posted] = await Promise.all([
      elsewhere.waitForResponse((answer) => answer.request().method() === 'POST'),
      elsewhere.getByRole('button').click(),
    ]);
    expect([401, 403]).toContain(posted.status());
    await elsewhere.goto(site);
    const closed = await elsewhere.evaluate(
      (url) =>
        new Promise((resolve) => {
          const socket = new WebSocket(url);
          socket.onopen = () => socket.send('{"type":"auth","scheme":"Token","token":""}');
          socket.onclose = ({ code }) => resolve(code);
        }),
      `${server.url.replace('http', 'ws')}/api/v1/realtime`,
    );
    expect(closed).toBe(4401);
    await elsewhere.close();
  }
  expect((await rest('GET', '/api/v1/rooms/')).json.map(({ label }: { label: string }) => label)).toEqual([
    'mine',
  ]);

  expect(await ask(page, '/api/v1/auth/session', { method: 'DELETE' })).toMatch(/^204/);
  // What is left opens nothing.
  expect((await browser.cookies()).map(({ name }) => name)).toEqual(['parlor-device']);
  expect(await ask(page, '/api/v1/auth/session')).toMatch(/^401 /);
});

const isMissing = missingProxies().includes('nginx');
it.skipIf(isMissing)('keeps the cookie to https and this host behind a proxy with TLS', async () => {
  const server = await startServerProcess({
    ...(await serverSettings()),
    REGISTRATION: 'open',
    PUBLIC_URL,
    TRUST_PROXY: '1',
  });
  await owner(server.url);
  const proxy = await startProxy('nginx', [server.url]);
  const { hostname } = new URL(PUBLIC_URL);
  const browser = await chromium.launch({
    executablePath: findBrowser(),
    args: [...ARGS, `--host-resolver-rules=MAP ${hostname}:443 127.0.0.1:${new URL(proxy.url).port}`],
  });
  onTestFinished(() => browser.close());
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  const page = await context.newPage();
  await page.goto(`${PUBLIC_URL}/api/v1/docs`);
  expect(await ask(page, '/api/v1/auth/session', json(PERSON))).toMatch(/^200 /);
  const kept = { httpOnly: true, secure: true, sameSite: 'Strict', path: '/', domain: hostname };
  expect(await context.cookies()).toMatchObject([
    { name: '__Host-parlor', ...kept },
    { name: '__Host-parlor-device', ...kept },
  ]);
  expect(await ask(page, '/api/v1/rooms/', json({}))).toMatch(/^201 /);
});
