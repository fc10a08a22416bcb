import type { BrowserContextOptions } from 'playwright-core';
import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { type CustomerPage, customerPage, PATIENT, policyFor, visit } from './customer-page.ts';

/** The customer's pages lie on a host whose pages are no secure context, as one that has no https. */
const openBrowser = useBrowser('--host-resolver-rules=MAP customer.test 127.0.0.1');

/** What a page is and does, and what its maker is told. */
interface Case extends CustomerPage {
  /** Runs in the page before everything else. */
  script?: () => void;
  context?: BrowserContextOptions;
  isInsecure?: boolean;
  told?: RegExp[];
}

const script = (text: string) => `<script nonce="page">${text}</script>`;
const withNonce = (policy: string) => policy.replace('script-src', "script-src 'nonce-page'");

const CASES: Record<string, (server: string) => Case> = {
  'a tag in the head that holds the page up': (server) => ({
    tag: `<script src="${server}/widget.js" data-token="TOKEN"></script>`,
  }),
  'a tag that the page writes while it is read': (server) => ({
    tag: '',
    body: `<p>above</p>${script(
      `document.write('<scr' + 'ipt src="${server}/widget.js" data-token="TOKEN"></scr' + 'ipt>')`,
    )}<p>below</p>`,
    policy: withNonce(policyFor(server)),
  }),
  'a page that replaces itself, tag and all': (server) => ({
    tag: '',
    body: script(`addEventListener('load', () => setTimeout(() => {
      document.open();
      document.write('<title>A customer</title><body><h1>anew</h1><scr' +
        'ipt src="${server}/widget.js" data-token="TOKEN"></scr' + 'ipt>');
      document.close();
    }))`),
    policy: '',
  }),
  'two tags with different tokens': (server) => ({
    tag: `<script src="${server}/widget.js" data-token="TOKEN"></script><script src="${server}/widget.js" data-token="other"></script>`,
    told: [/^Parlor: needs one data-token$/],
  }),
  'styles that unset everything, lie above all and can’t be pointed at': (server) => ({
    head: `<style>* { all: unset !important; z-index: 2147483647 !important; pointer-events: none !important;
      user-select: none !important; }</style>`,
    policy: `${policyFor(server)}; style-src 'unsafe-inline'`,
  }),
  'scripts that put their own in the place of the browser’s': () => ({
    script: () => {
      const { fetch } = window;
      window.fetch = async (...given) => fetch(...given);
      const { stringify } = JSON;
      JSON.stringify = (...given: unknown[]) => stringify(...(given as Parameters<typeof stringify>));
      const { attachShadow } = Element.prototype;
      Element.prototype.attachShadow = function (init) {
        return attachShadow.call(this, init);
      };
      const more = { first: () => 1, last: () => 2, each: () => {}, remove: () => [], contains: () => true };
      Object.assign(Array.prototype, more);
      Object.assign(String.prototype, more);
      Object.assign(Function.prototype, { defer: () => {} });
    },
  }),
  'a library of 2008': () => ({
    script: () => {
      // As Prototype 1.6 had it.
      const toArray = (from: ArrayLike<unknown>) => Array.prototype.slice.call(from);
      Array.from = toArray as typeof Array.from;
      Object.assign(Array.prototype, {
        toJSON(this: unknown[]) {
          return `[${this.map((item) => JSON.stringify(item)).join(', ')}]`;
        },
      });
    },
  }),
  'a page that has frozen what all objects inherit': () => ({
    script: () => Object.freeze(Object.prototype),
  }),
  'a page without https': () => ({ isInsecure: true }),
  'a page in quirks mode': () => ({ isQuirky: true }),
  'a page from right to left, the chat from left to right': () => ({
    lang: 'ar',
    head: '<script nonce="page">document.documentElement.dir = "rtl"</script>',
    attributes: 'data-locale="en"',
    policy: '',
  }),
  'trusted types, and a policy of nonces': () => ({
    attributes: 'nonce="page"',
    policy:
      "script-src 'nonce-page' 'strict-dynamic'; base-uri 'none'; object-src 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  }),
  'trusted types, and nothing but the nonce': () => ({
    attributes: 'nonce="page"',
    policy:
      "default-src 'none'; script-src 'nonce-page'; connect-src *; img-src data:; require-trusted-types-for 'script'; trusted-types 'none'",
  }),
};

const server = useServer();

const setUp = async () => {
  const { url } = server();
  const made = await oneOwner(url);
  const answer = async (body: string) => {
    const { json: rooms } = await made.rest('GET', '/api/v1/rooms/?limit=1');
    await made.rest('POST', '/api/v1/messages/', {
      room: { uuid: rooms[0].uuid },
      body,
      is_support_sender: true,
    });
  };
  return { ...made, url, answer };
};

it.each(Object.entries(CASES))('holds a conversation on %s', async (_name, caseOf) => {
  const { url, widget, answer } = await setUp();
  const { script: before, context, isInsecure, told = [], ...page } = caseOf(url);
  if (page.body) page.body = page.body.replaceAll('TOKEN', widget);
  const browser = await openBrowser(context);
  if (before) await browser.addInitScript(before);
  const address = await customerPage(url, widget, page);
  const tab = await visit(browser, isInsecure ? address.replace('127.0.0.1', 'customer.test') : address);
  const { launcher, say, message, complaints } = tab;
  await launcher.click();
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  await answer('an answer');
  await message('an answer').waitFor();
  await tab.page.reload();
  await message('an answer').waitFor();
  expect(await tab.page.locator('parlor-widget').count()).toBe(1);
  if (isInsecure) expect(await tab.page.evaluate(() => isSecureContext)).toBe(false);
  for (const [index, pattern] of told.entries()) expect(complaints[index]).toMatch(pattern);
  expect(complaints).toHaveLength(told.length * 2);
});

it('comes back on a page that replaces itself while it is there', async () => {
  const { url, widget, answer } = await setUp();
  const address = await customerPage(url, widget);
  const { page, launcher, say, message, complaints } = await visit(await openBrowser(), address);
  await launcher.waitFor();
  await page.evaluate(() => {
    document.open();
    document.write('<title>A customer</title><body><h1>anew</h1>');
    document.close();
  });
  await launcher.click();
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  await answer('an answer');
  await message('an answer').waitFor();
  expect(complaints).toEqual([]);
});

it('waits for a page that begins to write itself anew, and writes later', async () => {
  const { url, widget } = await setUp();
  const { page, launcher, say, message, complaints } = await visit(
    await openBrowser(),
    await customerPage(url, widget),
  );
  await launcher.waitFor();
  await page.evaluate(async () => {
    document.open();
    // The widget has looked several times by then.
    await new Promise((done) => setTimeout(done, 500));
    document.write('<title>A customer</title><body><h1>anew</h1>');
    document.close();
  });
  await launcher.click();
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  expect(complaints).toEqual([]);
});

it.each(['chat', 'messages'])('goes on when the file of the %s comes at the second try', async (part) => {
  const { url, widget, answer } = await setUp();
  const browser = await openBrowser();
  const asked: string[] = [];
  await browser.route(`**/widget/${part}-*`, (route) => {
    // The network is away for a moment: everything that asks meanwhile fails.
    if (asked.push(route.request().url()) > 1) route.continue();
    else route.abort();
  });
  const { launcher, say, message } = await visit(browser, await customerPage(url, widget));
  await launcher.hover();
  await expect.poll(() => (part === 'chat' ? asked.length : 1), PATIENT).toBe(1);
  await expect
    .poll(async () => {
      await launcher.click();
      return await launcher.getAttribute('aria-expanded');
    }, PATIENT)
    .toBe('true');
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  await answer('an answer');
  await message('an answer').waitFor();
  expect(new Set(asked).size).toBe(1);
});

it('reads what was said past a service worker that keeps every answer', async () => {
  const { url, widget, answer } = await setUp();
  const worker = `self.oninstall = () => self.skipWaiting();
    self.onactivate = (event) => event.waitUntil(clients.claim());
    self.onfetch = (event) => event.respondWith((async () => {
      const kept = await caches.match(event.request);
      if (kept) return kept;
      const answer = await fetch(event.request);
      if (event.request.method === 'GET') (await caches.open('all')).put(event.request, answer.clone());
      return answer;
    })());`;
  const address = await customerPage(url, widget, { policy: '', worker });
  const { page, launcher, say, message } = await visit(await openBrowser(), address);
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js');
    await navigator.serviceWorker.ready;
  });
  await page.reload();
  await launcher.click();
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  await page.reload();
  await message('a question').waitFor();
  await page.goto('about:blank');
  await answer('an answer');
  await page.goto(address);
  await message('an answer').waitFor();
  expect(await page.evaluate(() => navigator.serviceWorker.controller?.state)).toBe('activated');
});

it('is not printed', async () => {
  const { url, widget } = await setUp();
  const { page, launcher } = await visit(await openBrowser(), await customerPage(url, widget));
  await launcher.waitFor();
  await page.emulateMedia({ media: 'print' });
  expect(await launcher.isVisible()).toBe(false);
});
