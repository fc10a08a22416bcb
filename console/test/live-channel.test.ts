import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { REALTIME_PATH } from '@parlor/shared';
import type { Page } from 'playwright-core';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

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
