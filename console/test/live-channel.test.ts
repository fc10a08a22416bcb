import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REALTIME_PATH } from '@parlor/shared';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** The live channel by a session's cookie, in a real browser, which sends it with each upgrade to the same host. */

const openBrowser = useBrowser();

/** Opens the channel from a page by the cookie; tells the type of the first frame, or how it was closed. */
const openChannel = (page: Page, url: string): Promise<string> =>
  page.evaluate(
    (address) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(address);
        socket.addEventListener('open', () => socket.send('{"type":"auth","scheme":"Session"}'));
        socket.addEventListener('message', ({ data }) => resolve(JSON.parse(data).type));
        socket.addEventListener('close', ({ code, reason }) => resolve(`${code} ${reason}`));
      }),
    url.replace('http', 'ws') + REALTIME_PATH,
  );

/** An empty page on another port of the same host. */
const startOtherPage = async (): Promise<string> => {
  const server = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<title>Another page</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

it('opens for the console, and for no page of another origin, whatever cookie comes along', async () => {
  const { open, signIn, url } = await startConsole(openBrowser);
  const page = await open();
  expect(await openChannel(page, url)).toBe('4401 The session has ended. Sign in again.');
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
  expect(await openChannel(page, url)).toBe('ready');

  const other = await page.context().newPage();
  await other.goto(await startOtherPage());
  expect(await openChannel(other, url)).toBe('4401 A session does this from pages of this server only.');
});

/** How many channels a page opens. */
const countChannels = (page: Page) => {
  let count = 0;
  page.on('websocket', () => count++);
  return () => count;
};

it('stays open where the conversation of an address is gone', async () => {
  const { page, url, visit, rest } = await startInbox(openBrowser);
  const channels = countChannels(page);
  await page.goto(`${url}/console/inbox/all/01a21e6a-27ec-7362-b70e-d88194e50fff`);
  await page.getByRole('heading', { name: 'This conversation is not there any more.' }).waitFor();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const { label } = (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
  expect((await rest('DELETE', `/api/v1/rooms/${label}/`)).status).toBe(204);
  await page.getByRole('heading', { name: 'This conversation is not there any more.' }).waitFor();
  // It comes back with the same address open, and stays.
  await page.reload();
  await page.getByRole('heading', { name: 'This conversation is not there any more.' }).waitFor();
  await visit('Bob', 'Good morning');
  await row(page, 'Bob').getByText('Good morning').waitFor();
  expect(channels()).toBeLessThanOrEqual(2);
});

it('is asked for less and less often where the server ends each one by itself', async () => {
  const { page, url } = await startInbox(openBrowser);
  const at: number[] = [];
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    at.push(Date.now());
    socket.onMessage(() => {
      socket.send('{"type":"ready","after":"1"}');
      socket.close({ code: 1008, reason: 'no such room' });
    });
  });
  await page.goto(`${url}/console/inbox`);
  await expect.poll(() => at.length, { timeout: 60_000 }).toBe(5);
  // Pauses of 0.5, 1, 2 and 4 s, each from half as long to one and a half times; without growth they would be 3 s at most.
  expect((at[4] ?? 0) - (at[0] ?? 0)).toBeGreaterThan(3_500);
});
