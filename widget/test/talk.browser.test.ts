import type { WebSocketRoute } from 'playwright-core';
import { expect, it } from 'vitest';
import { connect } from '../../server/test/realtime-client.ts';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import type { Parlor } from '../src/contract/page.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const server = useServer();

const setUp = async () => {
  const { url } = server();
  const made = await oneOwner(url);
  const tab = await visit(await openBrowser(), await customerPage(url, made.widget));
  await tab.launcher.click();
  await tab.say('good morning');
  await tab.message('good morning').getByText('Sent').waitFor();
  const { json: rooms } = await made.rest('GET', '/api/v1/rooms/');
  const answer = (body: string) =>
    made.rest('POST', '/api/v1/messages/', {
      room: { uuid: rooms[0].uuid },
      body,
      nickname: 'Ada',
      is_support_sender: true,
    });
  return { ...made, ...tab, answer, room: rooms[0] as { uuid: string; label: string }, url };
};

it('shows an answer at once, and counts it on the launcher and in the title while closed', async () => {
  const { page, launcher, dialog, message, answer } = await setUp();
  await answer('first answer');
  await message('first answer').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await answer('second answer');
  await answer('third answer');
  await expect
    .poll(() => launcher.getAttribute('aria-label'), PATIENT)
    .toBe('Start the chat (New messages: 2)');
  await expect.poll(() => page.title(), PATIENT).toBe('(2) A customer');
  await page.locator('parlor-widget').getByRole('status').getByText('third answer').waitFor();
  await launcher.click();
  await message('third answer').waitFor();
  await expect.poll(() => page.title(), PATIENT).toBe('A customer');
  await page.reload();
  await launcher.waitFor();
  await page.waitForTimeout(1_000);
  expect(await page.title()).toBe('A customer');
});

it('leaves whoever has just scrolled where they are, whatever comes before the browser tells of it', async () => {
  const { page, say, message, log, answer } = await setUp();
  await page.addInitScript(() => {
    const held: (() => void)[] = [];
    // What comes is taken when it is let go.
    Object.defineProperty(WebSocket.prototype, 'onmessage', {
      set(this: WebSocket, take: (event: MessageEvent) => void) {
        this.addEventListener('message', (event) => {
          if (Reflect.has(window, 'isHolding')) held.push(() => take.call(this, event));
          else take.call(this, event);
        });
      },
    });
    Object.assign(window, { held });
  });
  for (let n = 0; n < 5; n++) await answer(`answer ${n} ${'and more '.repeat(60)}`);
  await page.reload();
  await say('and another');
  await message('and another').getByText('Sent').waitFor();
  const held = await page.evaluateHandle(() => {
    Object.assign(window, { isHolding: true });
    return Reflect.get(window, 'held') as (() => void)[];
  });
  await answer('meanwhile');
  await expect.poll(() => held.evaluate(({ length }) => length), PATIENT).toBeGreaterThan(0);
  const moved = await log.evaluate(async (element, held) => {
    const row = [...element.querySelectorAll('li')].at(-1);
    const place = () => row?.getBoundingClientRect().bottom ?? 0;
    const before = place();
    element.scrollTop -= 300;
    for (const take of held.splice(0)) take();
    for (let n = 0; n < 4; n++) await new Promise(requestAnimationFrame);
    return place() - before;
  }, held);
  expect(await message('meanwhile').count()).toBe(1);
  expect(moved).toBeCloseTo(300, 0);
});

it('shows what the other side has read, also after a reload', async () => {
  const { page, message, url, token, room, rest } = await setUp();
  const { json: messages } = await rest('GET', `/api/v1/messages/?room=${room.uuid}`);
  const operator = await connect(url, { token });
  operator.send({ type: 'read', room: room.uuid, message: messages[0].uuid });
  await message('good morning').getByText('Seen').waitFor();
  await page.reload();
  await message('good morning').getByText('Seen').waitFor();
  expect(await message('good morning').count()).toBe(1);
});

it('gets what was said while the page was offline, each message once', async () => {
  const { page, message, answer } = await setUp();
  await answer('before the gap');
  await message('before the gap').waitFor();
  await page.context().setOffline(true);
  for (const word of ['one', 'two', 'three']) await answer(`${word} in the gap`);
  await page.context().setOffline(false);
  for (const word of ['one', 'two', 'three']) await message(`${word} in the gap`).waitFor();
  expect(await message('in the gap').count()).toBe(3);
});

it('tells of what came in a gap in the order in which it was said: newest beside the launcher, one sound', async () => {
  const { page, launcher, dialog, message, answer } = await setUp();
  const sockets: WebSocketRoute[] = [];
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    // Only the first: then what was said comes by REST.
    if (sockets.push(socket) > 1) socket.close();
    else socket.connectToServer();
  });
  await page.reload();
  await message('good morning').waitFor();
  const devtools = await page.context().newCDPSession(page);
  let sounds = 0;
  devtools.on('WebAudio.contextCreated', () => sounds++);
  await devtools.send('WebAudio.enable');
  await page.evaluate(() => {
    const page = window as unknown as { Parlor: Parlor; heard: string[] };
    page.heard = [];
    page.Parlor.on('message:received', ({ body }) => page.heard.push(body));
  });
  await launcher.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.context().setOffline(true);
  await sockets[0]?.close();
  const bodies = Array.from({ length: 60 }, (_, index) => `answer ${index + 1}`);
  for (const body of bodies) await answer(body);
  await page.context().setOffline(false);
  await page.locator('parlor-widget').getByRole('status').getByText('answer 60').waitFor();
  expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual(bodies);
  expect(await launcher.getAttribute('data-unread')).toBe('9+');
  await expect.poll(() => sounds, PATIENT).toBe(1);
});

it('takes what stands beside the launcher away when it is read in another tab', async () => {
  const { page, launcher, dialog, message, answer } = await setUp();
  const address = page.url();
  await launcher.click();
  await dialog.waitFor({ state: 'hidden' });
  // What is on its first page is no news to it.
  const firstPage = page
    .context()
    .waitForEvent('response', (response) => response.url().includes('messages/?room='));
  const other = await visit(page.context(), address);
  await (await firstPage).finished();
  const teasers = [page, other.page].map((tab) => tab.locator('parlor-widget').getByRole('status'));
  await answer('an answer');
  for (const teaser of teasers) await teaser.getByText('an answer').waitFor();
  await launcher.click();
  await message('an answer').waitFor();
  await teasers[1]?.waitFor({ state: 'detached' });
  await expect.poll(() => other.page.title(), PATIENT).toBe('A customer');
});

it('keeps its conversation when the network was too slow for the live channel', async () => {
  const { page, rest, say, message, answer } = await setUp();
  let refused = 0;
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    if (refused++) socket.connectToServer();
    else socket.close({ code: 4401, reason: 'not authenticated in time' });
  });
  await page.reload();
  await expect.poll(() => refused, PATIENT).toBe(2);
  await say('still here?');
  await message('still here?').getByText('Sent').waitFor();
  await answer('still here');
  await message('still here').first().waitFor();
  expect((await rest('GET', '/api/v1/rooms/')).json).toHaveLength(1);
});

it('comes back with growing pauses to a live channel that ends each time it is ready', async () => {
  const { page, message } = await setUp();
  let opened = 0;
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    opened++;
    socket.onMessage(() => {
      socket.send(JSON.stringify({ type: 'ready', after: 'a' }));
      socket.close({ code: 1013, reason: 'try again' });
    });
  });
  await page.clock.install();
  await page.reload();
  await message('good morning').waitFor();
  for (let second = 0; second < 40; second++) {
    await page.clock.runFor(1_000);
    await page.waitForTimeout(20);
  }
  // After 1, 2, 4, 8 and 16 seconds, each a fifth shorter or longer.
  expect(opened).toBeGreaterThanOrEqual(4);
  expect(opened).toBeLessThanOrEqual(7);
});

it('lets a visitor rate the conversation, and take it all back', async () => {
  const { page, rest, dialog, room, launcher, message } = await setUp();
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Rate this conversation' }).click();
  await dialog.getByRole('button', { name: 'Stars: 4' }).click();
  await dialog.getByText('Thank you!').waitFor();
  expect((await rest('GET', `/api/v1/rooms/${room.label}/`)).json.rating).toBe(4);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Delete my data' }).click();
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => message('good morning').count(), PATIENT).toBe(0);
  expect((await rest('GET', '/api/v1/rooms/')).json).toEqual([]);
  await launcher.waitFor();
});

it('sends nothing that waits of a visitor who takes it all back', async () => {
  const { page, rest, dialog, say, message } = await setUp();
  const messages = '**/api/v1/messages/';
  await page.route(messages, (route) => route.abort());
  await say('never mind');
  await message('never mind').waitFor();
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Delete my data' }).click();
  await page.route('**/sessions/', async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'DELETE') {
      // The network is back before the widget hears that everything is deleted.
      await page.unroute(messages);
      await page.evaluate(() => dispatchEvent(new Event('online')));
      await page.waitForTimeout(1_500);
    }
    await route.fulfill({ response });
  });
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => message('never mind').count(), PATIENT).toBe(0);
  expect((await rest('GET', '/api/v1/messages/')).json).toEqual([]);
});

it('tells the page what happens, and does what the page asks', async () => {
  const { url } = server();
  const { widget, rest } = await oneOwner(url);
  const address = await customerPage(url, widget, { tag: '' });
  const { page, dialog, message } = await visit(await openBrowser(), address);
  await page.evaluate(
    ([src, token]) => {
      const page = window as unknown as { Parlor: { q: unknown[] }; seen: unknown[] };
      page.seen = [];
      page.Parlor ||= { q: [] };
      const events = ['ready', 'open', 'close', 'message:sent', 'lead', 'unread', 'error'];
      for (const name of events) page.Parlor.q.push(['on', name, () => page.seen.push(name)]);
      page.Parlor.q.push(
        ['setVisitor', { name: 'Robin', email: 'robin@example.com' }],
        ['open'],
        ['send', 'from the page'],
      );
      const tag = document.createElement('script');
      tag.src = src as string;
      tag.dataset.token = token as string;
      document.head.append(tag);
    },
    [`${url}/widget.js`, widget],
  );
  await message('from the page').getByText('Sent').waitFor();
  expect((await rest('GET', '/api/v1/leads/')).json).toMatchObject([
    { nickname: 'Robin', email: 'robin@example.com' },
  ]);
  await page.evaluate(() => (window as unknown as { Parlor: { hide(): void } }).Parlor.hide());
  await dialog.waitFor({ state: 'hidden' });
  expect(await page.locator('parlor-widget').isVisible()).toBe(false);
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen);
  expect(new Set(seen)).toEqual(new Set(['ready', 'open', 'unread', 'lead', 'message:sent', 'close']));
  expect(seen.indexOf('ready')).toBe(0);
});

it('cuts nothing that is pasted, counts as the server does, and says what is too long', async () => {
  const { page, dialog, rest, room } = await setUp();
  const field = dialog.getByRole('textbox');
  const paste = async (text: string) => {
    await field.fill('');
    await field.focus();
    await page.keyboard.insertText(text);
  };
  const heard = async (): Promise<string[]> => {
    const { json } = await rest('GET', `/api/v1/messages/?room=${room.uuid}`);
    return json.map(({ body }: { body: string }) => body);
  };
  await paste('x'.repeat(12_000));
  expect((await field.inputValue()).length).toBe(12_000);
  await dialog.getByRole('alert').getByText('Too long').waitFor();
  await dialog.getByText('12000 / 10000').waitFor();
  await page.keyboard.press('Enter');
  expect((await field.inputValue()).length).toBe(12_000);
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  await paste('🙂'.repeat(9_999));
  await dialog.getByText('9999 / 10000').waitFor();
  expect(await dialog.getByRole('alert').count()).toBe(0);
  await page.keyboard.press('Enter');
  await expect.poll(heard, PATIENT).toContain('🙂'.repeat(9_999));
});
