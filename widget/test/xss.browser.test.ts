import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, type Visit, visit } from './customer-page.ts';
import { XSS } from './xss-strings.ts';

const openBrowser = useBrowser();
const server = useServer();
const LETTERS = 'abcdefgh';

interface PageWindow {
  Parlor: { destroy(): void; open(): void; send(text: string): void; setVisitor(visitor: object): void };
  alerted: number;
}

/** A page without any policy of its own: what gets in would run. */
const setUp = async () => {
  const { url } = server();
  const made = await oneOwner(url);
  const browser = await openBrowser();
  await browser.addInitScript(() => {
    const page = window as unknown as PageWindow;
    page.alerted = 0;
    window.alert = () => void page.alerted++;
  });
  const asked: string[] = [];
  browser.on('request', (request) => asked.push(new URL(request.url()).hostname));
  const address = await customerPage(url, made.widget, { policy: '' });
  return { ...made, ...(await visit(browser, address)), url, asked };
};

/** What must not be there once the widget has drawn a text: anything that a text could have made. */
const traces = (page: Page) =>
  page.evaluate(async () => {
    // An image that fails and an animation that begins need a moment.
    await new Promise((done) => setTimeout(done, 50));
    const root = document.querySelector('parlor-widget')?.shadowRoot as ShadowRoot;
    const found = [...root.querySelectorAll('*')].filter(
      (element) =>
        /^(script|style|link|base|meta|iframe|object|embed|video|audio|template|math|animate|use)$/.test(
          element.localName,
        ) ||
        [...element.attributes].some(
          ({ name, value }) =>
            /^on/.test(name) || (/src|style|action|data$|:/.test(name) && /script:|evil/.test(value)),
        ) ||
        (element instanceof HTMLAnchorElement && !/^(https?|mailto):$/.test(element.protocol)) ||
        (element instanceof HTMLImageElement && !/^https?:/.test(element.src)),
    );
    const frame = root.querySelector<HTMLElement>('.parlor')?.style;
    const colours = ['--c0', '--c1', '--c2'].map((name) => frame?.getPropertyValue(name) ?? '');
    return {
      alerted: (window as unknown as PageWindow).alerted,
      elements: found.map(({ outerHTML }) => outerHTML),
      colours: colours.filter((colour) => !/^(#[\da-f]{3}|rgb\([\d,]+\))$/.test(colour)),
    };
  });

const NOTHING = { alerted: 0, elements: [], colours: [] };

it('there are at least 60 known attempts', () => {
  expect(new Set(XSS).size).toBeGreaterThanOrEqual(60);
});

it('shows every attempt in every setting as text, even if the server were to let it through', async () => {
  const { page, dialog, url, widget, rest, asked } = await setUp();
  const { json: settings } = await rest('GET', '/api/v1/widgets/');
  const texts = Object.keys(settings[0]).filter((name) => typeof settings[0][name] === 'string');
  const asks = { is_ask_name: true, is_ask_email: true, is_ask_phone: true };
  let attempt = '';
  await page.route('**/api/v1/widgets/?token=*', (route) =>
    route.fulfill({
      headers: { 'Access-Control-Allow-Origin': '*' },
      json: {
        ...settings[0],
        ...asks,
        use_new_button: true,
        ...Object.fromEntries(texts.map((name) => [name, attempt])),
      },
    }),
  );
  for (attempt of XSS) {
    await page.evaluate(
      ([src, token]) => {
        (window as unknown as Partial<PageWindow>).Parlor?.destroy();
        const tag = document.createElement('script');
        tag.src = src as string;
        tag.dataset.token = token as string;
        tag.onload = () => (window as unknown as PageWindow).Parlor.open();
        document.head.append(tag);
      },
      [`${url}/widget.js`, widget],
    );
    await dialog.locator('input').nth(2).waitFor();
    expect([attempt, await traces(page)]).toEqual([attempt, NOTHING]);
    expect(await dialog.locator('h2').textContent()).toBe(attempt);
    expect(await dialog.locator('.bubble').textContent()).toBe(attempt);
    expect(await dialog.locator('.ask').textContent()).toBe(attempt);
  }
  expect(asked.filter((host) => host !== '127.0.0.1')).toEqual([]);
});

it('keeps attempts out of the settings that are no text', async () => {
  const { rest, widget } = await setUp();
  const patch = (settings: object) => rest('PATCH', `/api/v1/widgets/${widget}/`, settings);
  for (const attempt of XSS) {
    for (const field of ['color', 'logo_large', 'bot_avatar', 'domain', 'vertical_align', 'popup_timeout']) {
      expect([field, attempt, (await patch({ [field]: attempt })).status]).toEqual([field, attempt, 400]);
    }
  }
});

it('shows every attempt as text, whoever writes it', async () => {
  const tab: Visit & Awaited<ReturnType<typeof setUp>> = await setUp();
  const { page, launcher, dialog, message, rest, asked } = tab;
  await launcher.click();
  await tab.say('begin');
  await message('begin').getByText('Sent').waitFor();
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  for (const [index, attempt] of XSS.entries()) {
    const mark = `${LETTERS[Math.floor(index / 8)]}${LETTERS[index % 8]}`;
    // The visitor's own words and details, as the page gives them; then the other side's.
    await page.evaluate(
      ([text, name]) => {
        const { Parlor } = window as unknown as PageWindow;
        Parlor.setVisitor({ name });
        Parlor.send(text as string);
        document.title = name as string;
      },
      [`own-${mark} ${attempt}`, attempt],
    );
    await rest('POST', '/api/v1/messages/', {
      room: { uuid: rooms[0].uuid },
      body: `other-${mark} ${attempt}`,
      nickname: attempt.slice(0, 150).trim() || 'x',
      is_support_sender: true,
    });
    const bubble = (start: string) => dialog.locator('.bubble').filter({ hasText: start });
    await bubble(`other-${mark}`).waitFor();
    expect([attempt, await traces(page)]).toEqual([attempt, NOTHING]);
    expect(await bubble(`other-${mark}`).textContent()).toBe(`other-${mark} ${attempt}`);
    expect(await bubble(`own-${mark}`).textContent()).toBe(`own-${mark} ${attempt}`);
  }
  // Closed, the newest stands beside the launcher.
  await dialog.press('Escape');
  const body = XSS[18] as string;
  await rest('POST', '/api/v1/messages/', { room: { uuid: rooms[0].uuid }, body, is_support_sender: true });
  await page.locator('parlor-widget').getByRole('status').getByText(body).waitFor();
  expect(await traces(page)).toEqual(NOTHING);
  expect(asked.filter((host) => host !== '127.0.0.1')).toEqual([]);
});
