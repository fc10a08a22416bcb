import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const ROUNDS = 50;
/** The first rounds fill caches of the browser's own. */
const WARM_UP = 10;
/** What the browser itself may keep of a script that ran once more. */
const BYTES_A_ROUND = 4_000;

interface Left {
  timers: Map<unknown, string>;
  sockets: WeakRef<WebSocket>[];
}

it(`leaves no listener, timer, socket or global after destroy(), and no memory in ${ROUNDS} rounds`, async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { widget } = await owner(server.url);
  const browser = await openBrowser({}, { watched: false });
  // Every timer and socket that the page makes, from before its first script on.
  await browser.addInitScript(() => {
    const left: Left = { timers: new Map(), sockets: [] };
    Object.defineProperty(window, 'left', { value: left });
    for (const [set, clear] of [
      ['setTimeout', 'clearTimeout'],
      ['setInterval', 'clearInterval'],
    ] as const) {
      const begin = window[set] as (...rest: unknown[]) => number;
      const end = window[clear];
      Object.assign(window, {
        [set]: (task: () => void, ms?: number, ...rest: unknown[]) => {
          const id = begin(() => {
            if (set === 'setTimeout') left.timers.delete(id);
            task.apply(null, rest as []);
          }, ms);
          left.timers.set(id, `${set} ${ms}`);
          return id;
        },
        [clear]: (id: number) => {
          left.timers.delete(id);
          end(id);
        },
      });
    }
    window.WebSocket = class extends WebSocket {
      constructor(address: string | URL) {
        super(address);
        left.sockets.push(new WeakRef(this));
      }
    };
  });
  const { page, launcher, field, log, say, message } = await visit(
    browser,
    await customerPage(server.url, widget, { tag: '', policy: '' }),
  );
  const devtools = await browser.newCDPSession(page);

  const start = () =>
    page.evaluate(
      ([src, token]) => {
        const tag = document.createElement('script');
        tag.src = src as string;
        tag.dataset.token = token as string;
        tag.onload = () => tag.remove();
        document.head.append(tag);
      },
      [`${server.url}/widget.js`, widget],
    );
  const destroy = () =>
    page.evaluate(() => {
      (window as unknown as { Parlor: { destroy(): void } }).Parlor.destroy();
      // Or the window would come back by itself, and a click close it.
      sessionStorage.clear();
      // What Preact has put off to the next frame is done with it.
      return new Promise<void>((done) => {
        requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)));
      });
    });

  /** Listeners on what outlives the widget, and everything that goes on by itself. */
  const traces = async () => {
    const listeners: string[] = [];
    for (const target of [
      'window',
      'document',
      'document.documentElement',
      'document.body',
      'visualViewport',
    ]) {
      const { result } = await devtools.send('Runtime.evaluate', { expression: target });
      const found = await devtools.send('DOMDebugger.getEventListeners', {
        objectId: result.objectId as string,
      });
      listeners.push(...found.listeners.map(({ type }) => `${target} ${type}`));
    }
    const rest = await page.evaluate(() => {
      const { timers, sockets } = (window as unknown as { left: Left }).left;
      return {
        timers: [...timers.values()],
        sockets: sockets.filter((socket) => (socket.deref()?.readyState ?? 3) <= WebSocket.OPEN).length,
        globals: Object.getOwnPropertyNames(window).filter((name) => /parlor/i.test(name)),
        elements: document.querySelectorAll('parlor-widget').length,
        title: document.title,
      };
    });
    return { listeners, ...rest };
  };

  const memory = async () => {
    for (let times = 0; times < 3; times++) await devtools.send('HeapProfiler.collectGarbage');
    const { metrics } = await devtools.send('Performance.getMetrics');
    const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
    return { nodes: of('Nodes'), listeners: of('JSEventListeners'), bytes: of('JSHeapUsedSize') };
  };

  await devtools.send('Performance.enable');
  const before = await traces();
  await start();
  await launcher.click();
  await say('here');
  await message('here').getByText('Sent').waitFor();
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { left: Left }).left.sockets.length), PATIENT)
    .toBeGreaterThan(0);
  await destroy();
  expect(await traces()).toEqual(before);

  let warm = await memory();
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    if (round === WARM_UP) warm = await memory();
    await start();
    await launcher.click();
    await field.waitFor();
    await log.getByText('here').waitFor();
    await destroy();
  }
  const now = await memory();
  expect(await traces()).toEqual(before);
  expect(now.nodes).toBeLessThanOrEqual(warm.nodes);
  expect(now.listeners).toBeLessThanOrEqual(warm.listeners);
  expect((now.bytes - warm.bytes) / ROUNDS).toBeLessThan(BYTES_A_ROUND);
});
