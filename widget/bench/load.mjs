/** What a page view pays for the widget: script time, long tasks, layout shift, and the page's largest paint. */

const PAIRS = 20;

/** Watches from the page's very beginning. */
const watch = () => {
  window.seen = { longest: 0, shift: 0, paint: 0 };
  const observe = (type, note) =>
    new PerformanceObserver((list) => list.getEntries().forEach(note)).observe({ type, buffered: true });
  observe('longtask', (entry) => {
    window.seen.longest = Math.max(window.seen.longest, entry.duration);
  });
  observe('layout-shift', (entry) => {
    window.seen.shift += entry.value;
  });
  observe('largest-contentful-paint', (entry) => {
    window.seen.paint = entry.startTime;
  });
};

/**
 * What the browser's own trace says that the widget's script took: compiling, running, and what runs when its
 * requests are answered (ms of the thread's own time, where the trace has it: others on the machine do not count).
 */
function scriptTime(trace) {
  const events = JSON.parse(trace).traceEvents.filter(
    ({ ph, name, args }) =>
      ph === 'X' &&
      // The page has no other script that waits for anything.
      (name === 'RunMicrotasks' ||
        (/^(EvaluateScript|v8\.compile|FunctionCall)$/.test(name) &&
          (args?.data?.url ?? '').endsWith('/widget.js'))),
  );
  const inside = (one, other) =>
    one !== other && one.tid === other.tid && one.ts >= other.ts && one.ts + one.dur <= other.ts + other.dur;
  // What another one holds is counted with that one.
  const outer = events.filter((event) => !events.some((other) => inside(event, other)));
  return outer.reduce((sum, { tdur, dur }) => sum + (tdur ?? dur), 0) / 1_000;
}

async function view({ browser, address }, path) {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.addInitScript(watch);
  await browser.startTracing(page, { categories: ['devtools.timeline', 'v8'] });
  await page.goto(address + path, { waitUntil: 'load' });
  if (path === '/with') await page.locator('parlor-widget button.launcher').waitFor();
  await page.waitForTimeout(200);
  const seen = await page.evaluate(() => window.seen);
  const script = scriptTime((await browser.stopTracing()).toString());
  await context.close();
  return { ...seen, script };
}

/** @returns rows for the table: name, unit, samples, and what is promised */
export async function measureLoad(stage) {
  const withIt = [];
  const without = [];
  await view(stage, '/with');
  for (let pair = 0; pair < PAIRS; pair++) {
    // Turn about, so that neither is always the second.
    for (const path of pair % 2 ? ['/with', '/without'] : ['/without', '/with']) {
      (path === '/with' ? withIt : without).push(await view(stage, path));
    }
  }
  const of = (views, key) => views.map((one) => one[key]);
  return [
    { name: 'script time at load', unit: 'ms', samples: of(withIt, 'script'), most: 5 },
    { name: 'longest task over 50 ms at load', unit: 'ms', samples: of(withIt, 'longest'), most: 0 },
    { name: 'the same without the widget', unit: 'ms', samples: of(without, 'longest') },
    { name: 'layout shift', unit: '', samples: of(withIt, 'shift'), most: 0 },
    { name: 'largest paint, with the widget', unit: 'ms', samples: of(withIt, 'paint') },
    { name: 'largest paint, without', unit: 'ms', samples: of(without, 'paint') },
    {
      name: 'largest paint, later by (each pair)',
      unit: 'ms',
      samples: withIt.map(({ paint }, pair) => paint - without[pair].paint),
      most: 10,
    },
  ];
}
