import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findBrowser } from './find-browser.mjs';
import { watch } from './watchdog.ts';

/** What Chromium needs in a container as root, and to stay off the network by itself. */
export const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Fails the test when a page of this browser does not answer. */
export const failIfFrozen = async (context: BrowserContext): Promise<void> => {
  const frozen: string[] = [];
  await watch(context, (address) => frozen.push(address));
  onTestFinished(() => {
    if (frozen.length) throw new Error(`Pages that did not answer any more: ${frozen.join(', ')}`);
  });
};

/**
 * A real Chromium for the tests of a file.
 * @param more further arguments of its command line
 * @returns what opens a visitor's browser of its own (a new profile), closed when the test ends
 */
export const useBrowser = (
  ...more: string[]
): ((
  options?: Parameters<Browser['newContext']>[0],
  extra?: { watched: boolean },
) => Promise<BrowserContext>) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: findBrowser(),
      args: [...ARGS, ...more],
      headless: true,
    });
  });
  afterAll(() => browser?.close());
  return async (options, { watched } = { watched: true }) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    if (watched) await failIfFrozen(context);
    return context;
  };
};
