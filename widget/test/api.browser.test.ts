import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { type CustomerPage, customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const server = useServer();

type AnyParlor = Record<string, (...rest: unknown[]) => unknown>;
type PageWindow = { Parlor: AnyParlor; seen: string[] };

const setUp = async (settings?: Record<string, unknown>) => {
  const { url } = server();
  const made = await oneOwner(url);
  if (settings) await made.rest('PATCH', `/api/v1/widgets/${made.widget}/`, settings);
  const browser = await openBrowser();
  const at = async (page: CustomerPage = {}, token = made.widget) =>
    visit(browser, await customerPage(url, token, page));
  return { ...made, url, browser, at };
};

/** What Parlor told the page's maker; a request that is refused stands there by itself, as browsers have it. */
const told = (complaints: string[]) =>
  complaints.filter((text) => !text.startsWith('Failed to load resource'));

it('says in one warning what is wrong with a tag, and what to do', async () => {
  const { url, rest, widget, at } = await setUp();
  const src = `src="${url}/widget.js"`;
  const warned = async (page: CustomerPage, token?: string) => {
    const { complaints } = await at(page, token);
    await expect.poll(() => told(complaints), PATIENT).toHaveLength(1);
    return told(complaints)[0];
  };
  expect(await warned({}, 'nonsense')).toMatch(
    /^Parlor: There is no widget with the token "nonsense"\. Copy/,
  );
  expect(await warned({ tag: `<script ${src} async></script>` })).toBe('Parlor: needs one data-token');
  expect(await warned({ tag: `<script ${src} type="module"></script>` })).toBe(
    'Parlor: needs one data-token',
  );
  const tag = `<script ${src} data-token="TOKEN" async></script>`;
  expect(await warned({ tag: tag + tag })).toBe('Parlor: needs one data-token');

  const module = await at({ tag: `<script ${src} data-token="TOKEN" type="module"></script>` });
  await module.launcher.click();
  await module.field.waitFor();
  expect(module.complaints).toEqual([]);

  await rest('PATCH', `/api/v1/widgets/${widget}/`, { domain: 'https://elsewhere.example' });
  expect(await warned({})).toMatch(
    /^Parlor: This widget may not run on 127\.0\.0\.1.*Change it, or leave it/,
  );
});

/** Makes calls of the page. */
const callAll = (page: Page, calls: unknown[][]): Promise<void> =>
  page.evaluate((wanted) => {
    const { Parlor } = window as unknown as PageWindow;
    for (const [name, ...rest] of wanted) Parlor[name as string]?.(...rest);
  }, calls);

it('answers each wrong argument with one warning, and goes on', async () => {
  const { at } = await setUp();
  const { page, complaints, launcher, say, message } = await at();
  await launcher.waitFor();
  await page.evaluate(() => {
    const { Parlor } = window as unknown as { Parlor: AnyParlor & { q: { push(call: unknown): void } } };
    Parlor.q.push(['opne']);
    Parlor.q.push(null);
  });
  await callAll(page, [
    ['on', 'open'],
    ['on'],
    ['setVisitor'],
    ['setVisitor', 'Robin'],
    ['setLocale', 5],
    ['send', 123],
  ]);
  await callAll(page, [['setVisitor', { name: { first: 'Robin' }, email: null }]]);
  await expect.poll(() => complaints.length, PATIENT).toBe(9);
  expect(complaints.slice(2, 4)).toEqual(['Parlor: on needs a function', 'Parlor: on needs a function']);
  expect(complaints.slice(4, 8)).toEqual([
    'Parlor: setVisitor needs: object',
    'Parlor: setVisitor needs: object',
    'Parlor: setLocale needs: string',
    'Parlor: send needs: string',
  ]);
  expect(complaints[8]).toContain('Parlor: setVisitor: no text');
  await launcher.click();
  await say('hello');
  await message('hello').getByText('Sent').waitFor();
  expect(complaints).toHaveLength(9);
});

it('goes on when listeners of the page throw, and tells them what they may know', async () => {
  const { at } = await setUp();
  const { page, complaints, launcher, dialog, field, say, message } = await at();
  await launcher.waitFor();
  await page.evaluate(() => {
    const page = window as unknown as PageWindow;
    page.seen = [];
    const events = ['ready', 'open', 'close', 'message:sent', 'message:received', 'lead', 'unread', 'error'];
    for (const name of events)
      page.Parlor.on?.(name, () => {
        page.seen.push(name);
        throw new Error(`thrown in ${name}`);
      });
  });
  // Who comes after the launcher hears that it is there, too.
  await expect
    .poll(() => page.evaluate(() => (window as unknown as PageWindow).seen), PATIENT)
    .toEqual(['ready']);
  await launcher.click();
  await say('hello');
  await message('hello').getByText('Sent').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await page.reload();
  await launcher.click();
  await message('hello').getByText('Sent').waitFor();
  expect(complaints.every((text) => /^Parlor: listener: Error: thrown in/.test(text))).toBe(true);

  // What is opened is seen, since what stands there counts as read.
  await callAll(page, [['hide']]);
  await dialog.waitFor({ state: 'hidden' });
  expect(await launcher.isVisible()).toBe(false);
  await callAll(page, [['open']]);
  await field.waitFor();

  const heard = await page.evaluate(async () => {
    const { Parlor } = window as unknown as PageWindow;
    const events: string[] = [];
    for (const name of ['ready', 'open', 'close', 'unread']) Parlor.on?.(name, () => void events.push(name));
    Parlor.close?.();
    await new Promise((done) => setTimeout(done, 50));
    const before = events.splice(0);
    Parlor.destroy?.();
    for (const name of ['open', 'close', 'toggle']) Parlor[name]?.();
    Parlor.on?.('ready', () => void events.push('late'));
    await new Promise((done) => setTimeout(done, 50));
    return { before, events };
  });
  expect(heard.before).toContain('close');
  expect(heard.events).toEqual([]);
});

it.each([
  [['hide', 'open'], true, true],
  [['open', 'hide'], false, false],
  [['open', 'hide', 'show'], true, false],
  [['hide', 'open', 'close'], true, false],
  [['hide', 'toggle', 'close'], true, false],
] as const)(
  'calls made before the chat has loaded end as they were made: %j',
  async (calls, isShown, isOpen) => {
    const { at } = await setUp();
    const { page, complaints, launcher, dialog } = await at();
    await launcher.waitFor();
    await callAll(page, [...calls.map((name) => [name]), ['setLocale', 'de']]);
    // Said when all the calls before it are done.
    await page.locator('parlor-widget').locator('.parlor[lang=de]').waitFor({ state: 'attached' });
    expect([await launcher.isVisible(), await dialog.isVisible()]).toEqual([isShown, isOpen]);
    expect(complaints).toEqual([]);
  },
);

it('keeps a conversation in its window when setVisitor is given a bad value, and sends the good ones', async () => {
  const { rest, at } = await setUp({ is_ask_email: true });
  const { page, complaints, launcher, dialog, field, say, message } = await at();
  await launcher.click();
  await dialog.getByRole('textbox', { name: 'Your e-mail address' }).fill('robin@example.com');
  await dialog.getByRole('button', { name: 'Start the chat' }).click();
  await say('before');
  await message('before').getByText('Sent').waitFor();
  await callAll(page, [['setVisitor', { name: 'Robin', email: 'nonsense' }]]);
  await say('after');
  await message('after').getByText('Sent').waitFor();
  await expect.poll(() => told(complaints).length, PATIENT).toBe(1);
  expect(told(complaints)[0]).toContain('Parlor: setVisitor was given what the server does not take');
  await expect
    .poll(async () => (await rest('GET', '/api/v1/leads/')).json, PATIENT)
    .toMatchObject([{ nickname: 'Robin', email: 'robin@example.com' }]);
  expect((await rest('GET', '/api/v1/messages/?limit=1')).json).toMatchObject([
    { body: 'after', nickname: 'Robin' },
  ]);
  expect(await field.isVisible()).toBe(true);
});

it('stands what pages do: a modal dialog, a polluted prototype', async () => {
  const { browser, at } = await setUp();
  await browser.addInitScript(() => {
    Object.assign(Object.prototype, {
      method: 'PUT',
      status: 401,
      body: 'x',
      headers: { a: 'b' },
      mode: 'shared',
    });
  });
  const body = '<dialog id="consent"><button>Accept</button></dialog><main><h1>A customer</h1></main>';
  // The dialog is there before the widget.
  const head =
    '<script nonce="page">addEventListener("DOMContentLoaded", () => consent.showModal())</script>';
  const { page, complaints, launcher, dialog, field, say, message } = await at({
    body,
    head,
    policy: '',
  });
  await launcher.waitFor();
  const isOver = () => page.evaluate(() => document.querySelector('parlor-widget')?.matches(':popover-open'));
  expect(await isOver()).toBe(false);
  await page.evaluate(() => document.querySelector<HTMLDialogElement>('#consent')?.close());
  await expect.poll(isOver, PATIENT).toBe(true);

  // One inside a shadow root, which no selector of the page finds; the page takes the widget away meanwhile.
  await page.evaluate(() => {
    const inner = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'closed' });
    const consent = inner.appendChild(document.createElement('dialog'));
    Object.assign(window, { consent });
    document.querySelector('parlor-widget')?.remove();
    consent.showModal();
  });
  await launcher.waitFor();
  expect(await isOver()).toBe(false);
  await page.evaluate(() => (window as unknown as { consent: HTMLDialogElement }).consent.close());
  await expect.poll(isOver, PATIENT).toBe(true);

  await launcher.click();
  await say('before');
  await message('before').getByText('Sent').waitFor();
  await field.waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(complaints).toEqual([]);
});

it('leaves Enter to an input method, also where only the key’s code tells of it', async () => {
  const { browser, at } = await setUp();
  const { page, launcher, field, message } = await at();
  await launcher.click();
  await field.pressSequentially('half-typed');
  const devtools = await browser.newCDPSession(page);
  const enter = { key: 'Enter', code: 'Enter', text: '' };
  await devtools.send('Input.dispatchKeyEvent', { ...enter, type: 'rawKeyDown', windowsVirtualKeyCode: 229 });
  await devtools.send('Input.dispatchKeyEvent', { ...enter, type: 'keyUp', windowsVirtualKeyCode: 13 });
  expect(await field.inputValue()).toBe('half-typed');
  await field.press('Enter');
  await message('half-typed').getByText('Sent').waitFor();
});
