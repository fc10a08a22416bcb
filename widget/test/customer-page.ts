import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { EMBEDDED } from './watchdog.ts';

/** How long a poll waits for what comes over the network. */
export const PATIENT = { timeout: 60_000 };

/** What a customer's page is made of; every part may be left out. */
export interface CustomerPage {
  /** In the head, before the tag. */
  head?: string;
  body?: string;
  /** More attributes of the tag, or a whole other tag with `TOKEN` in it. */
  attributes?: string;
  tag?: string;
  lang?: string;
  /** Without a doctype, as pages of the nineties. */
  isQuirky?: boolean;
  /** The page's policy; the line that the README promises customers when it is left out. */
  policy?: string;
  /** A service worker of the page, at /worker.js. */
  worker?: string;
}

/** What a visitor should never see: errors, warnings, reports of a policy. */
export interface Visit {
  page: Page;
  complaints: string[];
  launcher: Locator;
  dialog: Locator;
  field: Locator;
  log: Locator;
  /** Writes a message and sends it by the keyboard. */
  say(text: string): Promise<void>;
  /** The message's bubble with its state. */
  message(text: string): Locator;
}

/** The policy under which the widget runs, as `widget/README.md` gives it. */
export const policyFor = (server: string): string =>
  `default-src 'none'; script-src ${server}; connect-src ${server} ${server.replace('http', 'ws')}; img-src ${server} data:`;

/** Serves one page of a customer from a host of its own until the test ends; gives its address. */
const serve = async (html: string, policy: string, worker = ''): Promise<string> => {
  const host = createServer((request, response) => {
    if (request.url === '/worker.js') {
      response.writeHead(200, { 'Content-Type': 'text/javascript' });
      response.end(worker);
      return;
    }
    response.writeHead(200, {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy,
    });
    response.end(html);
  });
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    host.closeAllConnections();
    host.close();
  });
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/`;
};

/** A customer's page with the widget's tag on it: from a host of its own, so that every request is foreign. */
export const customerPage = (server: string, token: string, made: CustomerPage = {}): Promise<string> => {
  const tag =
    made.tag ??
    `<script src="${server}/widget.js" data-token="TOKEN" ${made.attributes ?? ''} async></script>`;
  const html = `${made.isQuirky ? '' : '<!doctype html>'}<html lang="${made.lang ?? 'en'}"><head>
    <meta name="viewport" content="width=device-width"><title>A customer</title><link rel="icon" href="data:,">
    ${made.head ?? ''}${tag.replaceAll('TOKEN', token)}</head>
    <body>${made.body ?? '<main><h1>A customer</h1><a href="#x">a link</a></main>'}</body></html>`;
  return serve(html, made.policy ?? policyFor(server), made.worker);
};

/** Another site's page with that one in a frame: on another host, so that for the browser they are two sites. */
export const embedded = async (address: string, attributes = ''): Promise<string> => {
  const frame = `<iframe name="${EMBEDDED}" src="${address}" ${attributes} style="width: 100%; height: 95vh"></iframe>`;
  const html = `<!doctype html><html lang="en"><title>A portal</title><link rel="icon" href="data:,">${frame}</html>`;
  return (await serve(html, '')).replace('127.0.0.1', 'localhost');
};

/** Opens a customer's page in a new tab; where it is embedded in another one, the widget is that in the frame. */
export const visit = async (browser: BrowserContext, address: string): Promise<Visit> => {
  const page = await browser.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  await page.goto(address);
  onTestFinished(() => page.close().catch(() => {}));
  const place = page.frames().some((frame) => frame.name() === EMBEDDED)
    ? page.frameLocator(`iframe[name=${EMBEDDED}]`)
    : page;
  const widget = place.locator('parlor-widget');
  const field = widget.locator('textarea');
  const log = widget.getByRole('log');
  return {
    page,
    complaints,
    launcher: widget.locator('button.launcher'),
    dialog: widget.getByRole('dialog'),
    field,
    log,
    message: (text) => log.getByRole('listitem').filter({ hasText: text }),
    async say(text) {
      await field.fill(text);
      await field.press('Enter');
    },
  };
};
