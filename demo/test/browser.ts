import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { findBrowser } from './find-browser.mjs';

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

/**
 * A real Chromium for the tests of a file.
 * @param more further arguments of its command line
 * @returns what opens a visitor's browser of its own (a new profile), closed when the test ends
 */
export const useBrowser = (
  ...more: string[]
): ((options?: Parameters<Browser['newContext']>[0]) => Promise<BrowserContext>) => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: findBrowser(),
      args: [...ARGS, ...more],
      headless: true,
    });
  });
  afterAll(() => browser?.close());
  return async (options) => {
    const context = await browser.newContext(options);
    onTestFinished(() => context.close());
    return context;
  };
};
