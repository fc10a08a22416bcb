/** How soon the console is usable for somebody who is signed in, with the processor as it is and four times slower. */
import { buildStale } from '../../scripts/build.mjs';
import { openVisitor, startServer } from '../../widget/bench/stage.mjs';
import { account, signIn } from './account.mjs';
import { quantile, say, spread } from './figures.mjs';

const CONVERSATIONS = 50;
const ROUNDS = 11;
const SLOWER = 4;
/** A browser keeps what it has compiled of a script from the second or third visit on. */
const VISITS_BEFORE = 3;

/**
 * Somebody presses `j` as soon as conversations are painted. Noted is when the frame was painted that had the first row, the
 * conversation, and its first message (milliseconds of the visit).
 */
const watch = () => {
  const wanted = new Map([
    ['usable', 'a[href^="/console/inbox/all/"]'],
    ['opened', '[role=log]'],
    ['said', '[role=log] li'],
  ]);
  const seen = {};
  const { port1, port2 } = new MessageChannel();
  globalThis.seen = new Promise((resolve) => {
    const look = () => {
      for (const [step, selector] of wanted) {
        if (!document.querySelector(selector)) continue;
        wanted.delete(step);
        // What is sent before a frame is painted comes after it.
        port1.postMessage(step);
      }
      if (wanted.size > 0) requestAnimationFrame(look);
    };
    port2.onmessage = ({ data: step }) => {
      seen[step] = performance.now();
      if (step === 'said') resolve(seen);
      if (step !== 'usable') return;
      const key = { key: 'j', bubbles: true, cancelable: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', key));
    };
    requestAnimationFrame(look);
  });
};

const STEPS = {
  usable: 'rows are painted, keys act',
  opened: 'a key has opened one',
  said: 'its messages are there',
};

await buildStale();
const server = await startServer({ REGISTRATION: 'open' });
const { context, close } = await openVisitor();
try {
  const { url } = server;
  const { username } = await account(url, 'start', CONVERSATIONS);
  const page = await context.newPage();
  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.goto(`${url}/console/`);
  await signIn(page, username);
  await page.addInitScript(watch);
  const devtools = await context.newCDPSession(page);

  const visit = async ({ rate, isCold }) => {
    await page.goto('about:blank');
    if (isCold) await devtools.send('Network.clearBrowserCache');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate });
    await page.goto(`${url}/console/inbox/all`, { waitUntil: 'commit' });
    const seen = await page.evaluate(() => globalThis.seen);
    await page.waitForLoadState('networkidle');
    return seen;
  };

  // In turn: what else the machine does falls on all of them.
  const kinds = [true, false].flatMap((isCold) => [1, SLOWER].map((rate) => ({ rate, isCold, visits: [] })));
  for (let round = 0; round < ROUNDS; round++) {
    for (const isCold of [true, false]) {
      if (!isCold) for (let n = 0; n < VISITS_BEFORE; n++) await visit({ rate: 1, isCold });
      for (const kind of kinds) if (kind.isCold === isCold) kind.visits.push(await visit(kind));
    }
  }
  for (const isCold of [true, false]) {
    for (const [step, title] of Object.entries(STEPS)) {
      const [usual, slow] = kinds
        .filter((kind) => kind.isCold === isCold)
        .map(({ visits }) => visits.map((seen) => seen[step]));
      const name = `${isCold ? 'First visit' : 'Later visit'}: ${title}`;
      say(`${name} (ms)`, spread(usual));
      say(`${name}, processor ${SLOWER} times slower (ms)`, spread(slow), step === 'usable' ? '≤ 500' : '');
      say('Ratio of the medians', (quantile(slow, 0.5) / quantile(usual, 0.5)).toFixed(2));
    }
  }
} finally {
  await close();
  await server.stop();
}
