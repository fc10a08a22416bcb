import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, policyFor, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const shared = useServer();

const HOSTILE = `* { color: red !important; background: lime !important; font: 40px serif !important;
  transform: rotate(3deg) !important; opacity: 0.5 !important; direction: rtl !important; margin: 30px !important;
  pointer-events: none !important; visibility: hidden; filter: blur(2px) !important; border: 9px solid !important;
  position: absolute !important; z-index: 1 !important; width: 10px !important; clip-path: circle(5px) !important;
  letter-spacing: 9px !important; text-transform: uppercase !important; user-select: none !important; }
  *::before, *::after { content: "X" !important; } *::backdrop { background: red !important; }
  parlor-widget { display: none !important; } html { font-size: 40px !important; overflow: hidden !important; }`;

it('runs under the strict policy without one report, through a whole conversation', async () => {
  const server = shared();
  const { widget, rest } = await oneOwner(server.url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_ask_name: true, popup_timeout: 1 });
  const { page, launcher, dialog, say, message, complaints } = await visit(
    await openBrowser(),
    await customerPage(server.url, widget),
  );
  await page.locator('parlor-widget').getByRole('status').getByText('Hello!').waitFor();
  await launcher.click();
  await dialog.getByRole('textbox', { name: 'Your name' }).fill('Robin');
  await dialog.getByRole('button', { name: 'Start the chat' }).click();
  await say('hello https://example.com/');
  await message('hello').getByText('Sent').waitFor();
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Delete my data' }).click();
  // On a busy server the live channel has ended long before all is erased.
  await page.route('**/sessions/', async (route) => {
    const response = await route.fetch();
    await page.waitForTimeout(2_500);
    await route.fulfill({ response });
  });
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await dialog.getByRole('textbox', { name: 'Your name' }).waitFor();
  expect((await rest('GET', '/api/v1/messages/')).json).toEqual([]);
  expect(complaints).toEqual([]);
});

it('looks the same, pixel for pixel, on a page with a hostile style sheet', async () => {
  const server = shared();
  const { widget } = await oneOwner(server.url);
  const browser = await openBrowser({ reducedMotion: 'reduce', viewport: { width: 900, height: 700 } });
  const pictures: Buffer[][] = [];
  for (const style of ['', HOSTILE]) {
    const { page, launcher, dialog, field } = await visit(
      browser,
      await customerPage(server.url, widget, {
        body: '<main></main>',
        policy: `${policyFor(server.url)}; style-src 'unsafe-inline'`,
        head: `<style>${style} html { background: white !important; }</style>`,
      }),
    );
    await launcher.waitFor();
    await page.mouse.move(1, 1);
    const closed = await launcher.screenshot();
    await launcher.click();
    await page.mouse.move(1, 1);
    await field.fill('a text');
    pictures.push([closed, await dialog.screenshot()]);
  }
  expect(pictures[1]?.[0]?.equals(pictures[0]?.[0] as Buffer), 'launcher').toBe(true);
  expect(pictures[1]?.[1]?.equals(pictures[0]?.[1] as Buffer), 'window').toBe(true);
});

it('changes nothing in the page: no global but Parlor, no style, no cookie', async () => {
  const server = shared();
  const { widget } = await oneOwner(server.url);
  const { page, launcher, field } = await visit(
    await openBrowser(),
    await customerPage(server.url, widget, {
      lang: 'en',
    }),
  );
  await launcher.click();
  await field.waitFor();
  const state = await page.evaluate(() => {
    const frame = document.createElement('iframe');
    document.body.append(frame);
    const usual = new Set(Object.getOwnPropertyNames(frame.contentWindow));
    frame.remove();
    return {
      globals: Object.getOwnPropertyNames(window).filter(
        (name) => !usual.has(name) && !/^\d+$|playwright/i.test(name),
      ),
      styles:
        document.querySelectorAll('style, link[rel=stylesheet]').length + document.adoptedStyleSheets.length,
      attributes: [...document.documentElement.attributes, ...document.body.attributes].map(
        ({ name }) => name,
      ),
      children: [...document.body.children].map(({ localName }) => localName),
      cookie: document.cookie,
    };
  });
  expect(state).toEqual({
    globals: ['Parlor'],
    styles: 0,
    attributes: ['lang'],
    children: ['main'],
    cookie: '',
  });
});

it('is there once with two tags, with a tag that runs again, and on a page whose body is swapped', async () => {
  const server = shared();
  const { widget } = await oneOwner(server.url);
  const tag = `<script src="${server.url}/widget.js" data-token="TOKEN" async></script>`;
  const { page, launcher } = await visit(
    await openBrowser(),
    await customerPage(server.url, widget, { tag: tag + tag }),
  );
  await launcher.waitFor();
  await page.evaluate((src) => {
    const again = document.createElement('script');
    again.src = src;
    again.dataset.token = document.querySelector<HTMLElement>('script[data-token]')?.dataset.token ?? '';
    document.head.append(again);
  }, `${server.url}/widget.js`);
  await page.evaluate(() => {
    document.body = document.createElement('body');
  });
  await page.waitForTimeout(500);
  expect(await page.locator('parlor-widget').count()).toBe(1);
  await page.evaluate(() => document.querySelector('parlor-widget')?.remove());
  await launcher.waitFor();
  await launcher.click();
  await page.getByRole('dialog').waitFor();
});

it.each([
  ['a wrong token', async (_url: string, _widget: string) => 'nonsense'],
  [
    'a foreign domain',
    async (_url: string, widget: string, rest: Awaited<ReturnType<typeof oneOwner>>['rest']) => {
      await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: 'https://elsewhere.example' });
      return widget;
    },
  ],
])('draws nothing with %s, and says why once', async (_case, prepare) => {
  const server = shared();
  const { widget, rest } = await oneOwner(server.url);
  const token = await prepare(server.url, widget, rest);
  const { page, complaints } = await visit(await openBrowser(), await customerPage(server.url, token));
  await expect.poll(() => complaints.filter((text) => text.startsWith('Parlor:')), PATIENT).toHaveLength(1);
  expect(await page.locator('parlor-widget').count()).toBe(0);
});

it('leaves nothing behind after destroy(), and can be started again', async () => {
  const server = shared();
  const { widget } = await oneOwner(server.url);
  const { page, launcher, field, say, message } = await visit(
    await openBrowser(),
    await customerPage(server.url, widget),
  );
  await launcher.click();
  await say('here');
  await message('here').getByText('Sent').waitFor();
  await field.waitFor();
  const left = await page.evaluate(() => {
    const { Parlor } = window as unknown as { Parlor: { destroy(): void } };
    Parlor.destroy();
    return [
      typeof (window as unknown as { Parlor: unknown }).Parlor,
      document.querySelectorAll('parlor-widget').length,
    ];
  });
  expect(left).toEqual(['undefined', 0]);
  await page.evaluate((src) => {
    const again = document.createElement('script');
    again.src = src;
    again.dataset.token = document.querySelector<HTMLElement>('script[data-token]')?.dataset.token ?? '';
    document.head.append(again);
  }, `${server.url}/widget.js`);
  // Open as it was; a click would close it where it comes later than that.
  await message('here').getByText('Sent').waitFor();
});

it('says nothing in the console when destroy() comes while the connection is being made', async () => {
  const server = shared();
  const { widget } = await oneOwner(server.url);
  // Beginning with the second page view there is a conversation to connect to.
  const head = `<script nonce="page">
    window.WebSocket = class extends WebSocket {
      constructor(...address) {
        super(...address);
        window.made = this;
        if (sessionStorage.again) queueMicrotask(() => Parlor.destroy());
      }
    };
  </script>`;
  const policy = policyFor(server.url).replace('script-src', "script-src 'nonce-page'");
  const { page, complaints, launcher, say, message } = await visit(
    await openBrowser(),
    await customerPage(server.url, widget, { head, policy }),
  );
  await launcher.click();
  await say('here');
  await message('here').getByText('Sent').waitFor();
  await page.evaluate(() => sessionStorage.setItem('again', 'yes'));
  await page.reload();
  const state = () =>
    page.evaluate(() => {
      const { made, Parlor } = window as unknown as { made?: WebSocket; Parlor?: object };
      return [typeof Parlor, made?.readyState];
    });
  await expect.poll(state, PATIENT).toEqual(['undefined', 3]);
  expect(complaints).toEqual([]);
});
