import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { axeFaults } from './axe.ts';
import { useBrowser } from './browser.ts';
import { sameFonts } from './fonts.ts';
import { ReferencePictures } from './reference.ts';
import { type Look, openStage } from './stage.ts';

type Stage = Awaited<ReturnType<typeof openStage>>;
type Shoot = (page: Page, state: string) => Promise<void>;

const CORS = { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'Retry-After' };

/**
 * Every state in these four: each scheme and each direction, each width in the one and the other; and the main
 * states in two more, so that each width is seen in each scheme and each direction.
 */
const EVERY: Look[] = [
  { width: 360, colorScheme: 'light', language: 'en' },
  { width: 360, colorScheme: 'dark', language: 'ar' },
  { width: 768, colorScheme: 'dark', language: 'en' },
  { width: 1280, colorScheme: 'light', language: 'ar' },
];
const MAIN: Look[] = [
  { width: 768, colorScheme: 'light', language: 'ar' },
  { width: 1280, colorScheme: 'dark', language: 'en' },
];

/** Before anything is said: the button, the teaser, the empty window, a site that may not have it. */
const beginnings = async ({ visit }: Awaited<ReturnType<Stage['dress']>>, shoot: Shoot) => {
  const round = await visit();
  await round.launcher.waitFor();
  await shoot(round.page, 'launcher');
  const pill = await visit({ use_new_button: true, popup_timeout: 1, horizontal_align: 'left' });
  await pill.widget.locator('.teaser').waitFor();
  await shoot(pill.page, 'teaser');
  const foreign = await visit({ domain: 'https://elsewhere.example' });
  await foreign.page.waitForLoadState('networkidle');
  await shoot(foreign.page, 'closed-by-domain');
};

/** A bot, and the way to a person. */
const withBot = async ({ visit, texts }: Awaited<ReturnType<Stage['dress']>>, shoot: Shoot) => {
  const { page, launcher, widget, say, row } = await visit({ is_bot_use: true });
  await launcher.click();
  await say(texts.question);
  await row(texts.botAnswer).waitFor();
  await widget.locator('.chip').waitFor();
  await shoot(page, 'bot');
};

/** The window from the form to a conversation with a person. */
const conversation = async (
  { visit, operator, texts }: Awaited<ReturnType<Stage['dress']>>,
  shoot: Shoot,
) => {
  const visitor = await visit({ is_ask_name: true, is_ask_email: true });
  const { page, launcher, widget, say, sent, row, menu, inMenu, comeBack } = visitor;
  await launcher.click();
  await widget.locator('form input').first().waitFor();
  await shoot(page, 'form');
  await widget.locator('form button[type=submit]').click();
  await widget.locator('[aria-invalid=true]').first().waitFor();
  await shoot(page, 'form-faults');
  await widget.locator('form input').nth(0).fill(texts.name);
  await widget.locator('form input').nth(1).fill('robin@example.com');
  await widget.locator('form button[type=submit]').click();
  await visitor.field.waitFor();
  await shoot(page, 'welcome');
  await say(texts.first);
  await sent(texts.first);
  const person = await operator();
  await person.answer(texts.answer);
  await row(texts.answer.split('https')[0] as string).waitFor();
  await say(texts.second);
  await sent(texts.second);
  for (const text of texts.rest) {
    await person.answer(text);
    await row(text).waitFor();
  }
  // What one has just said is dated by one's own clock; a reload dates all of it by the server's.
  await comeBack();
  await row(texts.rest.at(-1) as string).waitFor();
  await person.read();
  await widget.locator('.row.seen').last().waitFor();
  await shoot(page, 'conversation');
  await menu.click();
  await inMenu.first().waitFor();
  await shoot(page, 'menu');
  return { ...visitor, person };
};

type Texts = Awaited<ReturnType<Stage['dress']>>['texts'];
type Running = Awaited<ReturnType<typeof conversation>>;

/** What happens while it runs: typing, stars, erasure, news while closed. */
const events = async (
  { page, widget, dialog, inMenu, menu, launcher, person, row }: Running,
  texts: Texts,
  shoot: Shoot,
) => {
  await inMenu.first().click();
  await widget.locator('.star').nth(3).click();
  await expect.poll(() => widget.locator('.star.on').count()).toBe(4);
  await shoot(page, 'rating');
  await menu.click();
  await menu.click();
  await inMenu.last().click();
  await widget.locator('.danger').waitFor();
  await shoot(page, 'erasure');
  await menu.click();
  await person.type(true);
  await widget.locator('.dots').waitFor();
  await shoot(page, 'typing');
  await person.type(false);
  await widget.locator('.dots').waitFor({ state: 'hidden' });
  await dialog.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await person.answer(texts.news);
  await widget.locator('.launcher[data-unread]').waitFor();
  await shoot(page, 'unread');
  await launcher.click();
  await row(texts.news).waitFor();
};

/** A conversation that one comes back to, while it is fetched, and when that fails. */
const comingBack = async ({ page, widget, row, comeBack }: Running, texts: Texts, shoot: Shoot) => {
  const reads = (url: URL) => url.pathname === '/api/v1/messages/' && url.search !== '';
  await page.route(reads, () => {});
  await comeBack();
  await widget.locator('.skeleton').waitFor();
  await shoot(page, 'loading');
  await page.unrouteAll();
  await page.route(reads, (route) => route.fulfill({ status: 500, json: {}, headers: CORS }));
  await comeBack();
  await widget.locator('.blank').waitFor();
  await shoot(page, 'not-loaded');
  await page.unrouteAll();
  await comeBack();
  await row(texts.news).waitFor();
  await widget.locator('.row.seen').last().waitFor();
};

/** What can go wrong. */
const troubles = async ({ page, browser, widget, say, sent, row }: Running, texts: Texts, shoot: Shoot) => {
  await browser.setOffline(true);
  await say(texts.offline);
  await widget.locator('.notice').waitFor();
  await shoot(page, 'offline');
  await browser.setOffline(false);
  await sent(texts.offline);
  const posts = (url: URL) => url.pathname === '/api/v1/messages/' && url.search === '';
  await page.route(posts, (route) =>
    route.fulfill({ status: 400, json: { body: [texts.reason] }, headers: CORS }),
  );
  await say(texts.refused);
  await row(texts.refused).locator('.failure').waitFor();
  await shoot(page, 'failed');
  await page.unrouteAll();
  await page.route(posts, (route) => route.fulfill({ status: 503, json: {}, headers: CORS }));
  await say(texts.hasty);
  await widget.locator('.notice').waitFor();
  await shoot(page, 'server-away');
  await page.unrouteAll();
  await page.evaluate(() => dispatchEvent(new Event('online')));
  await sent(texts.hasty);
  await page.route(posts, (route) =>
    route.fulfill({
      status: 429,
      json: { detail: 'Request was throttled.' },
      headers: { ...CORS, 'Retry-After': '3600' },
    }),
  );
  await say(texts.hasty);
  await widget.locator('.notice').waitFor();
  await shoot(page, 'rate-limited');
};

/** Only there a browser can be given the fonts: elsewhere the same letters would look different. */
const isComparable = process.platform === 'linux';

describe('every state of the widget, in every look', () => {
  const openBrowser = useBrowser(...(isComparable ? sameFonts() : []));

  it('is as its reference picture shows it, and axe finds nothing in it', { timeout: 400_000 }, async () => {
    const stage = await openStage(openBrowser);
    const pictures = new ReferencePictures(new URL('../pictures', import.meta.url));
    const faults: string[] = [];
    for (const look of [...EVERY, ...MAIN]) {
      const shoot: Shoot = async (page, state) => {
        const name = `${state}.${look.width}-${look.colorScheme}-${look.language}`;
        await page.mouse.move(2, 2);
        const picture = await page.screenshot({ animations: 'disabled' });
        const fault = isComparable && pictures.compare(name, picture);
        if (fault) faults.push(fault);
        faults.push(...(await axeFaults(page)).map((found) => `${name}: ${found}`));
      };
      const dressed = await stage.dress(look);
      const running = await conversation(dressed, shoot);
      if (MAIN.includes(look)) continue;
      await events(running, dressed.texts, shoot);
      await comingBack(running, dressed.texts, shoot);
      await troubles(running, dressed.texts, shoot);
      await beginnings(dressed, shoot);
      await withBot(dressed, shoot);
    }
    // As a text, which is told whole.
    expect([...faults, ...(isComparable ? pictures.leftOver() : [])].join('\n')).toBe('');
  });
});
