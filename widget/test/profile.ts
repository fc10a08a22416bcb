import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { ARGS, failIfFrozen } from './browser.ts';
import { findBrowser } from './find-browser.mjs';

/** What a visitor may set in the browser's own settings pages, as Chromium keeps it in a profile. */
export interface ProfileSettings {
  /** Site data: blocked for every site, or for what is embedded from other sites. */
  blocked?: 'all' | 'third-party';
  /** The zoom of every page; 2 is 200 %. */
  zoom?: number;
  /** The window's size in pixels of the screen. */
  window?: { width: number; height: number };
}

const preferencesOf = ({ blocked, zoom = 1 }: ProfileSettings) => ({
  profile: {
    ...(blocked === 'all' && { default_content_setting_values: { cookies: 2 } }),
    ...(blocked === 'third-party' && { cookie_controls_mode: 1, block_third_party_cookies: true }),
  },
  // Chromium counts zoom in steps of 20 %; `x` is what it calls the usual storage partition.
  partition: { default_zoom_level: { x: Math.log(zoom) / Math.log(1.2) } },
});

/** Opens a browser on a profile with these settings, and not a private window; both are gone when the test ends. */
export const openProfile = async (
  settings: ProfileSettings,
  options: BrowserContextOptions = {},
): Promise<BrowserContext> => {
  const folder = mkdtempSync(join(tmpdir(), 'parlor-profile-'));
  mkdirSync(join(folder, 'Default'));
  writeFileSync(join(folder, 'Default/Preferences'), JSON.stringify(preferencesOf(settings)));
  const { width, height } = settings.window ?? { width: 1280, height: 800 };
  const context = await chromium.launchPersistentContext(folder, {
    executablePath: findBrowser(),
    args: [...ARGS, `--window-size=${width},${height}`],
    headless: true,
    // An emulated screen would take the place of the window, and of its zoom.
    viewport: null,
    ...options,
  });
  onTestFinished(async () => {
    await context.close();
    rmSync(folder, { recursive: true, force: true });
  });
  await failIfFrozen(context);
  return context;
};
