/**
 * `npm run bench -w @parlor/console`: what is promised of the console's inbox, in one run. `BENCH_MINUTES` (2) is how long its
 * memory is watched.
 */
import { chromium } from 'playwright-core';
import { buildStale } from '../../scripts/build.mjs';
import { startServer } from '../../widget/bench/stage.mjs';
import { findBrowser } from '../../widget/test/find-browser.mjs';

const MINUTES = Number(process.env.BENCH_MINUTES ?? 2);
const FEW = 10;
const MANY = 10_000;
const ROUNDS = 11;
const PASSWORD = 'a long enough secret';
const SLOWER = 4;
const MESSAGES_A_SECOND = 20;

const quantile = (samples, share) => {
  const sorted = [...samples].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
};
const spread = (samples) =>
  `${quantile(samples, 0.5).toFixed(0)} (${quantile(samples, 0.25).toFixed(0)} to ${quantile(samples, 0.75).toFixed(0)})`;
const say = (name, figure, promised) => console.log(`${name.padEnd(58)}${figure.padStart(24)}   ${promised}`);

/** An account with so many conversations, and what a program does there. */
const account = async (url, username, conversations) => {
  const call = async (method, path, body, token) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Token ${token}` }) };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const who = { username, password: PASSWORD };
  await call('POST', '/api/v1/auth/register', {
    ...who,
    password2: PASSWORD,
    email: `${username}@example.com`,
  });
  const { token } = await call('POST', '/api/v1/auth/api-token', who);
  const rooms = [];
  const say = (uuid, body) =>
    call('POST', '/api/v1/messages/', { body, nickname: `Visitor ${uuid.slice(-4)}`, room: { uuid } }, token);
  while (rooms.length < conversations) {
    const some = Math.min(20, conversations - rooms.length);
    const made = Array.from({ length: some }, () => call('POST', '/api/v1/rooms/', {}, token));
    const uuids = (await Promise.all(made)).map(({ uuid }) => uuid);
    await Promise.all(uuids.map((uuid) => say(uuid, 'Do you deliver on Sundays, and what does it cost?')));
    rooms.push(...uuids);
  }
  return { username, rooms, say };
};

/** A browser in which somebody is signed in. */
const openConsole = async (browser, url, username) => {
  const context = await browser.newContext({ viewport: { width: 1_440, height: 900 }, locale: 'en' });
  const page = await context.newPage();
  await page.goto(`${url}/console/`);
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await firstRow(page).waitFor();
  return page;
};

const firstRow = (page) => page.locator('a[href^="/console/inbox/all/"]').first();

/** Milliseconds from a visit until a conversation can be chosen, as the page itself sees it. */
const timeToList = async (page, url, devtools) => {
  await page.goto('about:blank');
  await devtools.send('Network.clearBrowserCache');
  await page.goto(`${url}/console/inbox/all`, { waitUntil: 'commit' });
  return page.evaluate(
    () =>
      new Promise((resolve) => {
        const look = () => {
          if (document.querySelector('a[href^="/console/inbox/all/"]')) resolve(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
  );
};

const heapOf = async (devtools) => {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / 1e6;
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

  // Somebody scrolls through the list while much is said.
  let said = 0;
  const talking = setInterval(() => {
    void many.say(many.rooms[said++ % 200], `And message ${said}?`).catch(() => undefined);
  }, 1_000 / MESSAGES_A_SECOND);
  await firstRow(page).click();
  const scroll = (milliseconds) =>
    page.evaluate(
      (time) =>
        new Promise((resolve) => {
          const list = document.querySelector('a[href^="/console/inbox/all/"]').closest('ul').parentElement;
          const pauses = [];
          const end = performance.now() + time;
          let last = performance.now();
          const step = (now) => {
            pauses.push(now - last);
            last = now;
            list.scrollTop += 12;
            if (now < end) requestAnimationFrame(step);
            else resolve(pauses.slice(1));
          };
          requestAnimationFrame(step);
        }),
      milliseconds,
    );
  const pauses = await scroll(15_000);
  const late = pauses.filter((pause) => pause > 25).length;
  say(
    `Frames while scrolling, ${MESSAGES_A_SECOND} messages a second (ms)`,
    `${quantile(pauses, 0.5).toFixed(1)}, p99 ${quantile(pauses, 0.99).toFixed(1)}`,
    `median ≤ 16.8; ${late} of ${pauses.length} later than 25 ms`,
  );
  const heaps = [];
  for (let minute = 0; minute <= MINUTES; minute++) {
    heaps.push(await heapOf(devtools));
    if (minute < MINUTES) await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  clearInterval(talking);
  say(
    `Memory each minute of that (MB), ${said} messages`,
    heaps.map((heap) => heap.toFixed(1)).join(' '),
    'flat',
  );
} finally {
  await browser.close();
  await server.stop();
}
