import type { BrowserContextOptions, Locator } from 'playwright-core';
import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, embedded, policyFor, visit } from './customer-page.ts';
import { contrastIn } from './pixel-contrast.ts';
import { openProfile, type ProfileSettings } from './profile.ts';

const openBrowser = useBrowser();
const server = useServer();

/** One cell of the matrix: a browser with a setting of its own, and what the page stands in. */
interface Cell {
  /** A profile with these settings; a private window where there is none. */
  profile?: ProfileSettings;
  context?: BrowserContextOptions;
  /** The attributes of a frame on another site. */
  frame?: string;
  /** How much smaller the visual viewport becomes than the layout's, as it does over a keyboard on the screen. */
  shrunk?: number;
}

const SCREEN = { width: 1280, height: 1024 };
const zoomed = (zoom: number): Cell => ({ profile: { zoom, window: SCREEN } });
const sandbox = (allowed: string): Cell => ({ frame: `sandbox="${allowed}"` });

const CELLS: Record<string, Cell> = {
  'a usual window': { profile: {} },
  'a private window': {},
  'site data blocked': { profile: { blocked: 'all' } },
  'third-party storage blocked': { profile: { blocked: 'third-party' }, frame: '' },
  'a frame on another site': { frame: '' },
  'a sandbox with scripts alone': sandbox('allow-scripts'),
  'a sandbox with scripts and forms': sandbox('allow-scripts allow-forms'),
  'a sandbox with scripts and its origin': sandbox('allow-scripts allow-same-origin'),
  'a sandbox with scripts, origin, forms, popups and modals': sandbox(
    'allow-scripts allow-same-origin allow-forms allow-popups allow-modals',
  ),
  'zoom 50 %': zoomed(0.5),
  'zoom 200 %': zoomed(2),
  'zoom 300 %': zoomed(3),
  'zoom 400 %': zoomed(4),
  'a phone': { context: { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true } },
  'a phone on its side': {
    context: { viewport: { width: 640, height: 320 }, isMobile: true, hasTouch: true },
  },
  'a phone with a keyboard on its screen': {
    context: { viewport: { width: 360, height: 640 }, isMobile: true, hasTouch: true },
    shrunk: 1.6,
  },
  'a tablet with a keyboard on its screen': {
    context: { viewport: { width: 1024, height: 768 }, isMobile: true, hasTouch: true },
    shrunk: 2,
  },
  'forced colours': { context: { forcedColors: 'active' } },
  'a dark system on a light page': { context: { colorScheme: 'dark' } },
  'more contrast': { context: { contrast: 'more' } },
};

it.each(Object.entries(CELLS))('holds a conversation in %s', async (_name, cell) => {
  const { profile, context, frame, shrunk } = cell;
  const { url } = server();
  const { widget, rest } = await oneOwner(url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_ask_name: true });
  const page = await customerPage(url, widget, {
    policy: `${policyFor(url)}; style-src 'unsafe-inline'`,
    head: '<style>html { background: #fff; color: #111; }</style>',
  });
  const browser = profile ? await openProfile(profile, context) : await openBrowser(context);
  const tab = await visit(browser, frame === undefined ? page : await embedded(page, frame));
  const { launcher, dialog, field, log, message, complaints } = tab;
  await launcher.waitFor();
  /** Zoom changes no colour, and a picture of a part is cut out at the wrong place there. */
  const isReadable = async (part: Locator, name: string) => {
    if (profile?.zoom || shrunk) return;
    expect(contrastIn(await part.screenshot()), name).toBeGreaterThanOrEqual(4.5);
  };
  await isReadable(launcher, 'launcher');
  await launcher.click();
  await dialog.getByRole('textbox', { name: 'Your name' }).fill('Robin');
  await dialog.getByRole('button', { name: 'Start the chat' }).click();
  await field.fill('a question');
  await dialog.getByRole('button', { name: 'Send' }).click();
  await message('a question').getByText('Sent').waitFor();
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  await rest('POST', '/api/v1/messages/', {
    room: { uuid: rooms[0].uuid },
    body: 'an answer',
    nickname: 'Ada',
    is_support_sender: true,
  });
  await message('an answer').waitFor();
  if (shrunk) {
    const devtools = await browser.newCDPSession(tab.page);
    await devtools.send('Emulation.setPageScaleFactor', { pageScaleFactor: shrunk });
    const least = context?.viewport?.height ?? 0;
    await tab.page.waitForFunction((height) => (visualViewport?.height ?? 0) < height, least);
  }

  const inside = await dialog.evaluate((panel) => {
    const { offsetTop, height } = visualViewport as VisualViewport;
    const box = (selector: string) => panel.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect();
    return {
      header: box('.header').top >= offsetTop && box('.header').height > 20,
      log: box('.log').height >= 100,
      composer: box('.composer').height > 20 && box('.composer').bottom <= offsetTop + height + 0.5,
      width: box('.header').left >= 0 && box('.header').right <= innerWidth + 1,
    };
  });
  expect(inside).toEqual({ header: true, log: true, composer: true, width: true });
  for (const [name, part] of Object.entries({
    question: message('a question').locator('.bubble'),
    answer: message('an answer').locator('.bubble'),
    time: message('an answer').locator('.meta'),
    title: dialog.locator('h2'),
    log,
  }))
    await isReadable(part, name);
  // A browser that shows a page its own way may say so; of the widget there is nothing.
  expect(complaints).toEqual([]);
});
