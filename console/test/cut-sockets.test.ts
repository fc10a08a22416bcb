import { createServer, connect as dial, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { log, row, startVisits } from './inbox-page.ts';

/** A live channel that is cut again and again. `CUT_SECONDS` says for how long (npm run test:long: a minute). */

const openBrowser = useBrowser();
const SECONDS = Number(process.env.CUT_SECONDS ?? 10);
const MESSAGES = 200;

/** A way to the server on which live channels can be cut off, in the middle of a frame as well. */
const startCutter = async () => {
  let target = new URL('http://127.0.0.1');
  const channels = new Set<Socket>();
  const all = new Set<Socket>();
  const server = createServer((socket) => {
    const upstream = dial(Number(target.port), target.hostname);
    for (const one of [socket, upstream]) {
      all.add(one);
      one.on('error', () => undefined);
      one.on('close', () => {
        all.delete(one);
        channels.delete(one);
        socket.destroy();
        upstream.destroy();
      });
    }
    socket.on('data', (bytes) => {
      if (bytes.includes('GET /api/v1/realtime')) channels.add(socket);
    });
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of all) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  const cut = (): number => {
    const count = channels.size;
    for (const socket of channels) socket.resetAndDestroy();
    return count;
  };
  const leadTo = (url: string): void => {
    target = new URL(url);
  };
  return { url: `http://127.0.0.1:${port}`, cut, leadTo };
};

it('is right at the end without a reload, however often the channel was cut', async () => {
  const cutter = await startCutter();
  const console = await startConsole(openBrowser, { PUBLIC_URL: cutter.url, RATE_LIMIT: 'off' });
  cutter.leadTo(console.url);
  const { rest } = console;
  const visit = await startVisits(console);
  const visitors = [];
  for (const name of ['Ada', 'Bob', 'Cleo', 'Dan', 'Eve'])
    visitors.push(await visit(name, `Hello from ${name}`));
  const [ada] = visitors as [(typeof visitors)[0]];
  const page = await console.open('inbox/all', { viewport: { width: 1_440, height: 900 } });
  await console.signIn(page);
  await row(page, 'Ada').click();
  await log(page).getByText('Hello from Ada').waitFor();
  let loads = 0;
  page.on('load', () => loads++);

  let cuts = 0;
  const until = Date.now() + SECONDS * 1_000;
  const cutting = (async () => {
    while (Date.now() < until) {
      await sleep(100 + Math.random() * 900);
      cuts += cutter.cut();
    }
  })();
  for (let n = 0; n < MESSAGES; n++) {
    await visitors[n % visitors.length]?.say(`Message ${n}`);
    await sleep(Math.max(0, (until - Date.now()) / (MESSAGES - n)));
  }
  await cutting;
  expect(cuts).toBeGreaterThan(SECONDS / 3);

  const said = async () =>
    (await rest('GET', `/api/v1/conversations/${ada.uuid}/timeline/?limit=200`)).json
      .filter(({ kind }: { kind: string }) => kind === 'message')
      .map(({ body }: { body: string }) => body)
      .reverse();
  const list = async () =>
    (await rest('GET', '/api/v1/conversations/')).json.map(
      ({ visitor, last_message }: { visitor: { name: string }; last_message: { body: string } }) =>
        `${visitor.name}: ${last_message.body}`,
    );
  const shownSaid = async () =>
    (
      await log(page)
        .getByText(/^(Hello|Message)/)
        .allInnerTexts()
    ).map((text) => text.trim());
  const shownList = async () => {
    const rows = page.getByRole('listitem').filter({ has: page.locator('time') });
    const texts = await rows.getByRole('link').allInnerTexts();
    return texts
      .map((text) => text.split('\n').map((line) => line.trim()))
      .map(
        (lines) =>
          `${lines.find((line) => /^[A-Z][a-z]+$/.test(line) && line !== 'Unread')}: ${lines.find((line) => /^(Hello|Message) /.test(line))}`,
      );
  };
  // Eleven pauses of at most 15 s would be the longest that the console waits before it tries again.
  await expect.poll(shownSaid, { timeout: 60_000 }).toEqual(await said());
  await expect.poll(shownList, { timeout: 60_000 }).toEqual(await list());
  await page.getByRole('link', { name: /^All 5/ }).waitFor();
  expect(loads).toBe(0);
}, 240_000);
