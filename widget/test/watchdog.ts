import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

/** A page that computes for this time without an answer is frozen for whoever looks at it. */
const LIMIT_MS = 500;
/** Nor does it count before this, by the wall clock. */
const LEAST_MS = 1_000;
/** Of several pages another one may be what computes, and keep this one waiting where there are few cores. */
const LEAST_AMONG_OTHERS_MS = 10_000;
const PAUSE_MS = 200;
/** The name of a frame that is watched beside the page that it stands in. */
export const EMBEDDED = 'embedded';

const unwatched = new WeakSet<Page>();

/** Runs a task of the test's own that keeps the page busy for long. */
export const unwatchedDuring = async <T>(page: Page, task: () => Promise<T>): Promise<T> => {
  unwatched.add(page);
  try {
    return await task();
  } finally {
    unwatched.delete(page);
  }
};

/** The processor's time that each renderer has had, in milliseconds: what a busy machine does not lengthen. */
const processorTimes = async (devtools: CDPSession): Promise<Map<number, number>> => {
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return new Map(renderers.map(({ id, cpuTime }) => [id, cpuTime * 1_000]));
};

const leastOf = (page: Page): number => {
  const contexts = page.context().browser()?.contexts() ?? [];
  return contexts.flatMap((context) => context.pages()).length > 1 ? LEAST_AMONG_OTHERS_MS : LEAST_MS;
};

/** Whether the page, and what is embedded in it, answers before a renderer has computed for the limit. */
const answers = async (page: Page, devtools: CDPSession): Promise<boolean> => {
  const before = await processorTimes(devtools);
  const frames = page.frames().filter((frame) => frame === page.mainFrame() || frame.name() === EMBEDDED);
  const asked = performance.now();
  let answered = false;
  // One that goes or is replaced meanwhile is not frozen.
  const all = Promise.allSettled(frames.map((frame) => frame.evaluate('0'))).then(() => {
    answered = true;
  });
  while (!answered) {
    await Promise.race([all, sleep(PAUSE_MS)]);
    if (answered || unwatched.has(page)) return true;
    const now = await processorTimes(devtools);
    const most = Math.max(...[...now].map(([id, time]) => time - (before.get(id) ?? time)));
    if (!answered && most >= LIMIT_MS && performance.now() - asked >= leastOf(page)) return false;
  }
  return true;
};

/**
 * Watches every page of a browser: asks it again and again, and closes one that does not answer.
 * @param frozen told of each such page, by its address
 */
export const watch = async (context: BrowserContext, frozen: (address: string) => void): Promise<void> => {
  const devtools = await context.browser()?.newBrowserCDPSession();
  if (!devtools) throw new Error('a browser without DevTools cannot be watched');
  const follow = async (page: Page) => {
    const address = () => page.url();
    while (!page.isClosed()) {
      // Nothing has been loaded before the first address: then the renderer itself is starting.
      const isLoaded = page.url() !== 'about:blank';
      if (isLoaded && !unwatched.has(page) && !(await answers(page, devtools))) {
        frozen(address());
        await page.close();
      }
      await sleep(PAUSE_MS);
    }
  };
  // What ends with the browser has nothing more to watch.
  context.on('page', (page) => void follow(page).catch(() => {}));
  for (const page of context.pages()) follow(page).catch(() => {});
};
