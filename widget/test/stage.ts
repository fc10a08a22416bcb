import type { BrowserContextOptions, Page } from 'playwright-core';
import { connect } from '../../server/test/realtime-client.ts';
import { caller, owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import type { useBrowser } from './browser.ts';
import { customerPage, policyFor } from './customer-page.ts';
import { type StageTexts, TEXTS } from './stage-texts.ts';

/** How a set of reference pictures looks. */
export interface Look {
  width: 360 | 768 | 1280;
  colorScheme: 'light' | 'dark';
  language: keyof typeof TEXTS;
}

/** Everybody's clock stands at this moment (UTC). */
const NOW = Date.parse('2026-03-12T10:24:00Z');
const YESTERDAY = Date.parse('2026-03-11T16:41:00Z');

/** What was said yesterday; all else has just been said. */
const saidYesterday = ({ first, answer }: StageTexts): string[] => [first, answer];

/**
 * Makes the server's times those of the stage. It runs in the page: the requests and the socket are real, what they
 * bring is dated anew, in the order in which it was said.
 */
const dateAnew = ({
  start,
  now,
  yesterday,
  old,
}: Record<'start' | 'now' | 'yesterday', number> & { old: string[] }) => {
  const anew = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const found = value as Record<string, unknown>;
    // What the widget has kept for later was dated anew when it came.
    if (typeof found.sent_at === 'string' && Date.parse(found.sent_at) > start - 60_000) {
      // To the millisecond, or a greeting and what follows it would be of the same time; within the same minute.
      const real = Date.parse(found.sent_at) - start;
      const since = real < 50_000 ? real : Math.round(50_000 + (real - 50_000) / 100);
      const base = old.includes(String(found.body)) ? yesterday : now;
      found.sent_at = new Date(base + since).toISOString();
    }
    for (const item of Object.values(found)) anew(item);
    return value;
  };
  const parse = JSON.parse;
  JSON.parse = (text, reviver) => anew(parse(text, reviver));
  const json = Response.prototype.json;
  Response.prototype.json = async function (this: Response) {
    return anew(await json.call(this));
  };
};

/** A server with an owner, on whose widgets the pictures are taken. */
export const openStage = async (openBrowser: ReturnType<typeof useBrowser>) => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { rest, token } = await owner(server.url);
  const live = await connect(server.url, { token });
  const nodesFor = ({ settings, question, botAnswer }: StageTexts) => [
    { id: 'start', type: 'start', greeting: settings.greeting_message, next: 'faq' },
    { id: 'faq', type: 'faq', entries: [{ questions: [question], answer: botAnswer }] },
  ];
  const bot = await rest('POST', '/api/v1/workflows/', {
    name: 'Hours',
    is_published: true,
    is_room_bot: true,
    nodes: nodesFor(TEXTS.en),
  });

  /** A browser with one look, in which visitors come to widgets with different settings. */
  const dress = async ({ width, colorScheme, language }: Look) => {
    const texts = TEXTS[language];
    const options: BrowserContextOptions = {
      viewport: { width, height: width === 360 ? 640 : 760 },
      colorScheme,
      reducedMotion: 'reduce',
      locale: language,
      timezoneId: 'UTC',
      // For axe, which brings styles of its own.
      bypassCSP: true,
    };
    await rest('PATCH', `/api/v1/workflows/${bot.json.uuid}/`, { nodes: nodesFor(texts) });

    /** A new visitor on a page with a widget of these settings. */
    const visit = async (settings: Record<string, unknown> = {}) => {
      const { json: widget } = await rest('POST', '/api/v1/widgets/', {
        ...texts.settings,
        color: '#a8482b',
        ...settings,
      });
      const address = await customerPage(server.url, widget.token, {
        lang: language,
        body: `<main><h1>${texts.page}</h1></main>`,
        policy: `${policyFor(server.url)}; style-src 'unsafe-inline'`,
        head: `<style>html { color-scheme: light dark; font: 16px Roboto; padding: 2em; direction: ${
          language === 'ar' ? 'rtl' : 'ltr'
        }; background: light-dark(#f6f0e6, #1b1511); }</style>`,
      });
      const browser = await openBrowser(options);
      const page = await browser.newPage();
      await page.clock.setFixedTime(NOW);
      await page.addInitScript(dateAnew, {
        start: Date.now(),
        now: NOW,
        yesterday: YESTERDAY,
        old: saidYesterday(texts),
      });
      await page.goto(address);
      return { page, browser, ...parts(page) };
    };

    /** The owner's side of the only conversation that has just begun. */
    const operator = async () => {
      const { json: rooms } = await rest('GET', '/api/v1/rooms/?limit=1');
      const room = rooms[0].uuid as string;
      return {
        answer: async (body: string) => {
          const message = { room: { uuid: room }, body, nickname: texts.operator, is_support_sender: true };
          return (await rest('POST', '/api/v1/messages/', message)).json.uuid as string;
        },
        type: (is_typing: boolean) => live.send({ type: 'typing', room, is_typing }),
        read: async () => {
          const { json } = await rest('GET', `/api/v1/messages/?room=${room}&limit=1`);
          live.send({ type: 'read', room, message: json[0].uuid });
        },
      };
    };
    return { texts, visit, operator };
  };
  return { dress, rest, call: caller(server.url) };
};

/** The widget's parts, by what they are in any language. */
const parts = (page: Page) => {
  const widget = page.locator('parlor-widget');
  const field = widget.locator('textarea');
  const launcher = widget.locator('button.launcher');
  const dialog = widget.getByRole('dialog');
  const row = (text: string) => widget.locator('.row').filter({ hasText: text });
  return {
    widget,
    launcher,
    dialog,
    menu: widget.locator('.header .tool').first(),
    inMenu: widget.locator('.menu button'),
    field,
    row,
    /** Loads the page again: on a phone the window has to be opened, elsewhere it opens by itself. */
    async comeBack() {
      await page.reload();
      if ((page.viewportSize()?.width ?? 0) < 480) await launcher.click();
      else await dialog.waitFor();
    },
    async say(text: string) {
      await field.fill(text);
      await field.press('Enter');
    },
    sent: (text: string) => widget.locator('.row.sent, .row.seen').filter({ hasText: text }).waitFor(),
  };
};
