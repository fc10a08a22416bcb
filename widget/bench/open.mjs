/** From a click to a window that can be typed in, and a conversation of 10 000 messages. */

import { openVisitor } from './stage.mjs';

const ROUNDS = 10;
/** Until the browser keeps what it has compiled. */
const WARM_ROUNDS = 3;
/** From pointing at a button to clicking on it few people are faster. */
const POINTED_MS = 200;
const COUNT = 10_000;
const PAGE = 50;
const SLOW_DOWN = 4;

/** Runs in the page: clicks the launcher, and waits until what `selector` names is there and painted. */
const openAndWait = (selector) =>
  new Promise((done) => {
    const root = document.querySelector('parlor-widget').shadowRoot;
    const start = performance.now();
    root.querySelector('button.launcher').click();
    const look = () => {
      const field = root.querySelector('dialog[open] textarea');
      if (field && field === root.activeElement && root.querySelector(selector)) {
        // After the frame that this one is drawn in.
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
      } else requestAnimationFrame(look);
    };
    look();
  });

async function slowly(page, rate) {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate });
}

async function freshPage(context, address) {
  const page = await context.newPage();
  await page.goto(`${address}/with`);
  await page.locator('parlor-widget button.launcher').waitFor();
  await page.waitForTimeout(100);
  return page;
}

/**
 * Click to usable, on a warm cache, on a machine four times slower.
 * @param pointed how long before the click the pointer has come to the button (ms); 0: not at all, as by a script
 */
async function measureClick({ address }, pointed) {
  const { context, close } = await openVisitor();
  const samples = [];
  for (let round = 0; round < WARM_ROUNDS + ROUNDS; round++) {
    const page = await freshPage(context, address);
    // What a new page's start leaves to be done is not what is measured.
    await page.waitForTimeout(1_000);
    await slowly(page, SLOW_DOWN);
    if (pointed) {
      await page.locator('parlor-widget button.launcher').hover();
      await page.waitForTimeout(pointed);
    }
    const took = await page.evaluate(openAndWait, 'textarea');
    if (round >= WARM_ROUNDS) samples.push(took);
    await page.close();
  }
  await close();
  return samples;
}

/** A past of `count` messages, as the server would give it, page by page, newest first. */
async function giveHistory(context, count) {
  await context.route('**/api/v1/messages/?*', (route) => {
    const url = new URL(route.request().url());
    const from = Number(url.searchParams.get('cursor') ?? 0);
    const json = Array.from({ length: Math.max(0, Math.min(PAGE, count - from)) }, (_, index) => {
      const number = count - from - index;
      return {
        uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        body: `message ${number}, ${'as long as people write them '.repeat(number % 4)}`,
        is_support_sender: number % 3 === 0,
        sent_at: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
      };
    });
    url.searchParams.set('cursor', String(from + PAGE));
    const headers = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Link' };
    return route.fulfill({
      json,
      headers: from + PAGE < count ? { ...headers, Link: `<${url}>; rel="next"` } : headers,
    });
  });
}

/** A visitor with a conversation behind them: it has begun, so that the widget fetches it when it comes back. */
async function visitorWith({ browser, address }, count) {
  const context = await browser.newContext();
  const page = await freshPage(context, address);
  await page.evaluate(openAndWait, 'textarea');
  const field = page.locator('parlor-widget textarea');
  await field.fill('hello');
  await field.press('Enter');
  await page.locator('parlor-widget .row.own').getByText('Sent').waitFor();
  await page.close();
  if (count) await giveHistory(context, count);
  return context;
}

async function measureOpening(stage, count) {
  const context = await visitorWith(stage, count);
  const samples = [];
  for (let round = 0; round < ROUNDS; round++) {
    const page = await freshPage(context, stage.address);
    samples.push(await page.evaluate(openAndWait, '.row .meta'));
    await page.close();
  }
  await context.close();
  return samples;
}

/** Runs in the page: scrolls up and down through the conversation, and gives the time between frames (ms). */
const scrollThrough = (seconds) =>
  new Promise((done) => {
    const log = document.querySelector('parlor-widget').shadowRoot.querySelector('.log');
    const times = [];
    const start = performance.now();
    let last = start;
    const frame = (now) => {
      times.push(now - last);
      last = now;
      // Up for three quarters of the time, then back down.
      log.scrollBy(0, now - start < seconds * 750 ? -60 : 60);
      if (now - start < seconds * 1_000) requestAnimationFrame(frame);
      else done(times.slice(2));
    };
    requestAnimationFrame(frame);
  });

async function measureScrolling(stage) {
  const context = await visitorWith(stage, COUNT);
  const page = await freshPage(context, stage.address);
  await page.evaluate(openAndWait, '.row .meta');
  // The same page at rest: what this machine can do without any work.
  const rest = await page.evaluate(
    () =>
      new Promise((done) => {
        const times = [];
        let last = performance.now();
        const frame = (now) => {
          times.push(now - last);
          last = now;
          if (times.length < 120) requestAnimationFrame(frame);
          else done(times.slice(2));
        };
        requestAnimationFrame(frame);
      }),
  );
  const times = await page.evaluate(scrollThrough, 6);
  const rows = await page.locator('parlor-widget .row').count();
  await context.close();
  return { rest, times, rows };
}

/** @returns rows for the table: name, unit, samples, and what is promised */
export async function measureOpen(stage) {
  const click = await measureClick(stage, 0);
  const pointedAt = await measureClick(stage, POINTED_MS);
  const empty = await measureOpening(stage, 0);
  const long = await measureOpening(stage, COUNT);
  const { rest, times, rows } = await measureScrolling(stage);
  return [
    { name: 'click to usable, CPU 4 times slower', unit: 'ms', samples: click, most: 100 },
    { name: `the same, pointed at ${POINTED_MS} ms before`, unit: 'ms', samples: pointedAt, most: 100 },
    { name: 'opening a conversation of 1 message', unit: 'ms', samples: empty },
    { name: 'opening one of 10 000', unit: 'ms', samples: long },
    { name: 'a frame at rest', unit: 'ms', samples: rest },
    { name: 'a frame while scrolling 10 000 messages', unit: 'ms', samples: times, most: 17 },
    { name: 'messages in the page meanwhile', unit: '', samples: [rows], most: 110 },
  ];
}
