/** A conversation in which much was said: how soon it is open, and how it scrolls once somebody has read back to its beginning. */
import { chromium } from 'playwright-core';
import { buildStale } from '../../scripts/build.mjs';
import { startServer } from '../../widget/bench/stage.mjs';
import { findBrowser } from '../../widget/test/find-browser.mjs';
import { account, pause, signIn } from './account.mjs';
import { frames, say, spread } from './figures.mjs';
import { memoryOf } from './scrolling.mjs';
import { timeTo } from './time-to.mjs';

const SIZES = (process.env.BENCH_MESSAGES ?? '50 5000 20000').split(' ').map(Number);
const OPENINGS = 7;
const TOGETHER = 20;
const WATCHED_MS = 10_000;
/** As somebody goes who looks for something: half a page in a tenth of a second. */
const STEP_PX = 48;
const PATIENCE_MS = 600_000;

const LENGTHS = [12, 40, 90, 240, 600];
/** Texts of about the lengths that people write, so that rows are of many heights. */
const textOf = (n) =>
  `${n} ${'Do you deliver on Sundays, and what does it cost? '.repeat(12).slice(0, LENGTHS[n % 5])}`;

/** Milliseconds until what was said last can be read. */
const timeToOpen = async (page, address) => {
  await page.goto('about:blank');
  return timeTo(page, address, '[role=log] li');
};

/** Reads back to the beginning. @returns how long it took, and the longest that the page did not react (milliseconds) */
const readBack = (page, first) =>
  page.evaluate(
    ({ first, patience }) =>
      new Promise((resolve) => {
        const log = document.querySelector('[role=log]');
        const begun = performance.now();
        let longest = 0;
        let last = begun;
        const next = (now) => {
          longest = Math.max(longest, now - last);
          last = now;
          const isThere = log.querySelector('[data-key] p:last-child')?.textContent === first;
          if (isThere || now - begun > patience) resolve({ took: now - begun, longest });
          else {
            log.scrollTop = 0;
            requestAnimationFrame(next);
          }
        };
        requestAnimationFrame(next);
      }),
    { first, patience: PATIENCE_MS },
  );

/** Frames of somebody who scrolls down and up again, in the midst of what was read. */
const watchFrames = (page) =>
  page.evaluate(
    ({ step, watched }) =>
      new Promise((resolve) => {
        const log = document.querySelector('[role=log]');
        const pauses = [];
        let direction = step;
        let last = performance.now();
        const end = last + watched;
        const next = (now) => {
          pauses.push(now - last);
          last = now;
          const { scrollTop, scrollHeight, clientHeight } = log;
          if (scrollTop >= scrollHeight - clientHeight - step) direction = -step;
          if (scrollTop <= 0) direction = step;
          log.scrollTop += direction;
          if (now < end) requestAnimationFrame(next);
          else resolve(pauses.slice(1));
        };
        requestAnimationFrame(next);
      }),
    { step: STEP_PX, watched: WATCHED_MS },
  );

await buildStale();
const server = await startServer({ REGISTRATION: 'open' });
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const { url } = server;
  const { username, rooms, say: write } = await account(url, 'talk', SIZES.length);
  for (const [at, size] of SIZES.entries()) {
    for (let n = 1; n < size; n += TOGETHER) {
      await Promise.all(Array.from({ length: TOGETHER }, (_, more) => write(rooms[at], textOf(n + more))));
    }
  }
  await pause(3_000);
  for (const [at, size] of SIZES.entries()) {
    const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${url}/console/`);
    await signIn(page, username);
    const devtools = await context.newCDPSession(page);
    const address = `${url}/console/inbox/all/${rooms[at]}`;
    const opened = [];
    for (let n = 0; n < OPENINGS; n++) opened.push(await timeToOpen(page, address));
    const before = await memoryOf(devtools);
    const name = `Of ${size}`;
    say(`${name}: open (ms)`, spread(opened));
    const { took, longest } = await readBack(page, 'Do you deliver on Sundays, and what does it cost?');
    say(
      `${name}: read back to the beginning (s), longest frame (ms)`,
      `${(took / 1_000).toFixed(1)}, ${longest.toFixed(0)}`,
    );
    const rows = await page.locator('[role=log] li').count();
    const after = await memoryOf(devtools);
    say(`${name}: lines in the page, nodes before and after`, `${rows}, ${before.nodes} ${after.nodes}`);
    say(`${name}: memory before and after (MB)`, `${before.heap.toFixed(1)} ${after.heap.toFixed(1)}`);
    say(`${name}: frames while scrolling there (ms)`, frames(await watchFrames(page)), 'median ≤ 16.8');
    await context.close();
  }
} finally {
  await browser.close();
  await server.stop();
}
