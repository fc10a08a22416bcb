import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import type { Parlor } from '../src/contract/page.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
/** Less than any browser waits for the answer to an upgrade. */
const BY_REST = { timeout: 15_000 };

const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((done) => {
    open = done;
  });
  return { opened, open };
};

/** A proxy that takes each request to upgrade and never answers it; gives its address. */
const swallowUpgrades = async (server: string): Promise<string> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => sockets.add(socket.on('error', () => socket.destroy()));
  const proxy = createServer((client) => {
    keep(client);
    client.once('data', (head) => {
      if (/^upgrade: websocket/im.test(head.toString())) return;
      const behind = connect(Number(new URL(server).port), '127.0.0.1');
      keep(behind);
      behind.write(head);
      client.pipe(behind).pipe(client);
    });
  });
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
};

const setUp = async (behind = async (server: string) => server) => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { widget, rest } = await owner(server.url);
  const tab = await visit(await openBrowser(), await customerPage(await behind(server.url), widget));
  await tab.launcher.click();
  await tab.say('a question');
  await tab.message('a question').getByText('Sent').waitFor();
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  const answer = (body: string) =>
    rest('POST', '/api/v1/messages/', { room: { uuid: rooms[0].uuid }, body, is_support_sender: true });
  /** Notes what the page is told from now on, also over a reload. */
  const listen = () =>
    tab.page.addInitScript(() => {
      const page = window as unknown as { Parlor: { q: unknown[] }; heard: string[] };
      page.heard = [];
      page.Parlor ||= { q: [] };
      page.Parlor.q.push(['on', 'message:received', ({ body }: { body: string }) => page.heard.push(body)]);
    });
  const heard = () => tab.page.evaluate(() => (window as unknown as { heard: string[] }).heard);
  return { ...tab, rest, answer, listen, heard };
};

it('holds its conversation by REST behind a proxy that swallows the request for a WebSocket', async () => {
  const { page, rest, message, say, answer, listen, heard } = await setUp(swallowUpgrades);
  await answer('before');
  await message('before').waitFor(BY_REST);
  await listen();
  await page.reload();
  for (const text of ['a question', 'before']) await message(text).waitFor(BY_REST);
  await say('still there?');
  await message('still there?').getByText('Sent').waitFor();
  for (const text of ['one', 'two']) {
    await answer(`answer ${text}`);
    await message(`answer ${text}`).waitFor({ timeout: 40_000 });
  }
  expect(await heard()).toEqual(['answer one', 'answer two']);
  await page.reload();
  await message('answer two').waitFor(BY_REST);
  const { json } = await rest('GET', '/api/v1/messages/');
  const bodies = json.map(({ body }: { body: string }) => body).reverse();
  expect(bodies).toEqual(['a question', 'before', 'still there?', 'answer one', 'answer two']);
  const shown = await message('').locator('.bubble').allTextContents();
  expect(bodies.map((body: string) => shown.filter((text) => text.includes(body)).length)).toEqual([
    1, 1, 1, 1, 1,
  ]);
});

it('loses and doubles nothing that is said between its first page and the live channel, and tells of it in order', async () => {
  const { page, message, answer, listen, heard } = await setUp();
  const connects = gate();
  await page.routeWebSocket('**/api/v1/realtime', async (socket) => {
    await connects.opened;
    socket.connectToServer();
  });
  await listen();
  await page.reload();
  await message('a question').waitFor();
  // The first page is there: from here on each read waits, and what is said meanwhile comes live.
  const reads = gate();
  const asked = page.waitForRequest('**/api/v1/messages/?room=*');
  await page.route('**/api/v1/messages/?room=*', async (route) => {
    const answered = await route.fetch();
    await reads.opened;
    await route.fulfill({ response: answered });
  });
  await answer('in the gap');
  connects.open();
  await asked;
  await answer('live');
  await message('live').waitFor();
  reads.open();
  await message('in the gap').waitFor();
  await expect.poll(heard, PATIENT).toEqual(['in the gap', 'live']);
  for (const text of ['in the gap', 'live']) expect(await message(text).count()).toBe(1);
  const order = await message('').allTextContents();
  expect(order.findIndex((text) => text.includes('in the gap'))).toBeLessThan(
    order.findIndex((text) => text.includes('live')),
  );
  await page.evaluate(() => (window as unknown as { Parlor: Parlor }).Parlor.destroy());
});
