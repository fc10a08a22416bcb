import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Frame, Page } from 'playwright-core';
import { unwatchedDuring } from './watchdog.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * What axe finds on a page, all rules on, as lines that say what and where. The browser must have been opened with
 * `bypassCSP`, since axe brings styles of its own.
 * @param exclude a selector of what is another page's
 * @param frame where in the page
 */
export const axeFaults = async (
  page: Page,
  exclude: string[] = [],
  frame: Frame = page.mainFrame(),
): Promise<string[]> => {
  const run = async (left: string[]) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    // A button that is changing its colours has the contrast of neither of them.
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    await Promise.allSettled(ending.map(({ finished }) => finished));
    const { violations } = await axe.run(left.length > 0 ? { exclude: left } : document);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, html }) => `${id}: ${target.flat().join(' ')} ${html.slice(0, 200)}`),
    );
  };
  return unwatchedDuring(page, async () => {
    await frame.evaluate(AXE);
    return frame.evaluate(run, exclude);
  });
};
