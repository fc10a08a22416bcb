/** What is promised of the console's inbox, in one run. `BENCH_MINUTES` (10) is how long its memory is watched. */
import { chromium } from 'playwright-core';
import { buildStale } from '../../scripts/build.mjs';
import { startServer } from '../../widget/bench/stage.mjs';
import { findBrowser } from '../../widget/test/find-browser.mjs';
import { account, firstRow, pause, signIn } from './account.mjs';
import { frames, growth, quantile, say, spread } from './figures.mjs';
import { memoryOf, readOnTo, startScrolling, takeFrames } from './scrolling.mjs';
import { timeTo } from './time-to.mjs';

const MINUTES = Number(process.env.BENCH_MINUTES ?? 10);
const FEW = 10;
const MANY = 10_000;
const ROUNDS = 11;
const SLOWER = 4;
const MESSAGES_A_SECOND = 20;
/** How long frames are watched at a time, and how far down at last. */
const WATCHED_MS = 20_000;
const DEEP_ROWS = 2_000;

/** How many of the messages of those who talk the live channel has told pages of. */
let heard = 0;

/** How what they say begins. */
const TALK = 'And message';

/** A browser in which somebody is signed in. */
const openConsole = async (browser, url, username) => {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: 'en' });
  const page = await context.newPage();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const { type, data } = JSON.parse(String(payload));
      if (type === 'message.added' && data.body.startsWith(TALK)) heard++;
    }),
  );
  await page.goto(`${url}/console/`);
  await signIn(page, username);
  return page;
};

/** Milliseconds from a first visit until a conversation can be chosen. */
const timeToList = async (page, url, devtools) => {
  await page.goto('about:blank');
  await devtools.send('Network.clearBrowserCache');
  return timeTo(page, `${url}/console/inbox/all`, 'a[href^="/console/inbox/all/"]');
};

/** Visitors write in conversations all over the inbox, and each tenth message in the one that is open. @returns what ends it */
const startTalking = ({ rooms, say: write }, open) => {
  const talk = { said: 0, stored: 0, stop: () => clearInterval(timer) };
  const timer = setInterval(() => {
    const to = talk.said++ % 10 === 0 ? open : rooms[(talk.said * 7_919) % rooms.length];
    write(to, `${TALK} ${talk.said}?`).then(
      () => talk.stored++,
      () => undefined,
    );
  }, 1_000 / MESSAGES_A_SECOND);
  return talk;
};

/** Frames of some seconds of scrolling. */
const watchFrames = async (page) => {
  await takeFrames(page);
  await pause(WATCHED_MS);
  return takeFrames(page);
};

await buildStale();
const server = await startServer({ REGISTRATION: 'open' });
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const { url } = server;
  const few = await account(url, 'few', FEW);
  const many = await account(url, 'many', MANY);
  const pages = [
    await openConsole(browser, url, few.username),
    await openConsole(browser, url, many.username),
  ];
  const tools = await Promise.all(pages.map((page) => page.context().newCDPSession(page)));

  const [page, devtools] = [pages[1], tools[1]];
  await timeToList(page, url, devtools);
  await page.waitForLoadState('networkidle');
  const bytes = await page.evaluate(() =>
    [...performance.getEntriesByType('resource'), ...performance.getEntriesByType('navigation')]
      .filter(({ name }) => !name.includes('/api/'))
      .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
  );
  say('First load, compressed (kB)', (bytes / 1_000).toFixed(1), '≤ 90');

  for (const each of tools) await each.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const times = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    for (const at of round % 2 ? [0, 1] : [1, 0]) times[at].push(await timeToList(pages[at], url, tools[at]));
  }
  say(`Inbox of ${FEW}, processor ${SLOWER} times slower (ms)`, spread(times[0]), '≤ 500');
  say(`Inbox of ${MANY}, processor ${SLOWER} times slower (ms)`, spread(times[1]), '≤ 500');
  say('Ratio of the medians', (quantile(times[1], 0.5) / quantile(times[0], 0.5)).toFixed(2), '≤ 1.3');
  for (const each of tools) await each.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await pages[0].close();

  // Somebody scrolls through the list: first while nothing is said, then while much is.
  await firstRow(page).click();
  const open = page.url().split('/').at(-1);
  await startScrolling(page);
  const quiet = await watchFrames(page);
  say('Frames while scrolling, nothing being said (ms)', frames(quiet.pauses));
  heard = 0;
  const talk = startTalking(many, open);
  await pause(WATCHED_MS);
  const busy = await watchFrames(page);
  say(
    `Frames while scrolling, ${MESSAGES_A_SECOND} messages a second (ms)`,
    frames(busy.pauses),
    'median ≤ 16.8',
  );
  const ratio = quantile(busy.pauses, 0.99) / quantile(quiet.pauses, 0.99);
  say('Ratio of their p99', ratio.toFixed(2));

  const minutes = [{ ...(await memoryOf(devtools)), rows: busy.rows }];
  const medians = [];
  while (minutes.length <= MINUTES) {
    await takeFrames(page);
    await pause(60_000);
    const { pauses, rows } = await takeFrames(page);
    medians.push(quantile(pauses, 0.5));
    minutes.push({ ...(await memoryOf(devtools)), rows });
  }
  const [first, last] = [minutes[0], minutes.at(-1)];
  const heaps = minutes.map(({ heap }) => heap);
  if (medians.length > 0)
    say(`The median of each of ${MINUTES} minutes of that (ms)`, spread(medians, 1), 'flat');
  talk.stop();
  for (let n = 0; n < 100 && heard < talk.stored; n++) await pause(100);
  say('Messages sent, stored, and told to the page', `${talk.said} ${talk.stored} ${heard}`, 'equal');
  say('Memory at their start and end (MB)', `${first.heap.toFixed(1)} ${last.heap.toFixed(1)}`);
  say('Memory each minute (MB)', heaps.map((heap) => heap.toFixed(1)).join(' '));
  say('Ratio of the end to the start', (last.heap / first.heap).toFixed(2), 'flat');
  say('Growth, of the line through all minutes (kB a minute)', (1_000 * growth(heaps)).toFixed(0), 'flat');
  for (const name of ['rows', 'nodes', 'listeners']) {
    say(`The page's ${name}, each minute`, minutes.map((minute) => minute[name]).join(' '));
  }
  const read = await readOnTo(page, DEEP_ROWS);
  const talkBelow = startTalking(many, open);
  const deep = await watchFrames(page);
  talkBelow.stop();
  say(
    `Frames of a list of ${read}, ${deep.rows} of them in the page, ${MESSAGES_A_SECOND} messages a second (ms)`,
    frames(deep.pauses),
  );
} finally {
  await browser.close();
  await server.stop();
}
