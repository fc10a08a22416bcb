/** Somebody who scrolls through the list of conversations, down and up again, for as long as the page is open. */

const STEP_PX = 12;
/** From so far down it goes up again: six pages of the list. */
const DEPTH_PX = 20_000;

/** Begins to scroll, one step with each frame. @param {import('playwright-core').Page} page */
export const startScrolling = (page) =>
  page.evaluate(
    ({ step, depth }) => {
      const list = document.querySelector('a[href^="/console/inbox/all/"]').closest('ul').parentElement;
      const scrolled = { pauses: [], list };
      globalThis.scrolled = scrolled;
      let direction = step;
      let last = performance.now();
      const next = (now) => {
        scrolled.pauses.push(now - last);
        last = now;
        const { scrollTop, scrollHeight, clientHeight } = list;
        if (scrollTop >= Math.min(depth, scrollHeight - clientHeight - step)) direction = -step;
        if (scrollTop <= 0) direction = step;
        list.scrollTop += direction;
        requestAnimationFrame(next);
      };
      requestAnimationFrame(next);
    },
    { step: STEP_PX, depth: DEPTH_PX },
  );

/** How far apart the frames since the last time were (milliseconds), and how many conversations are in the page now. */
export const takeFrames = (page) =>
  page.evaluate(() => {
    const { pauses, list } = globalThis.scrolled;
    return { pauses: pauses.splice(0).slice(1), rows: list.querySelectorAll('li').length };
  });

/** Reads on until the list has so many conversations, or a minute is over. @returns how many it has */
export const readOnTo = (page, rows) =>
  page.evaluate(
    (wanted) =>
      new Promise((resolve) => {
        const { list } = globalThis.scrolled;
        const end = performance.now() + 60_000;
        const look = () => {
          // Of a long list only some are in the page, each of which says the how manieth it is.
          const all = list.querySelectorAll('li');
          const rows = Number(all[all.length - 1]?.ariaPosInSet ?? all.length);
          if (rows >= wanted || performance.now() > end) return resolve(rows);
          // A page that could not be read is asked for once more.
          list.querySelector('button')?.click();
          list.scrollTop = list.scrollHeight;
          setTimeout(look, 100);
        };
        look();
      }),
    rows,
  );

/** What the page holds after a forced collection: its heap (MB), its nodes and its listeners. */
export const memoryOf = async (devtools) => {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners } = await devtools.send('Memory.getDOMCounters');
  return { heap: usedSize / 1e6, nodes, listeners: jsEventListeners };
};
