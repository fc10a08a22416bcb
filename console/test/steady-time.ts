import type { Page, Route } from 'playwright-core';

/** When the pages of pictures are looked at. Nobody's clock gets there. */
export const NOON = new Date('2039-05-12T12:00:00.000Z');

const MINUTE_MS = 60_000;
const DAY_MS = 1_440 * MINUTE_MS;

/** Between two things that were done, as the pictures have it. */
const APART_MS = 7 * MINUTE_MS;

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const DAY = /(?<![\d-])\d{4}-\d\d-\d\d(?![\dT-])/g;

/** How long something took, which the server has worked out from its own times (seconds). */
const TOOK = /"(first_response(?:_90)?)":\d+/g;

const isoDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
const daysBetween = (from: number, to: number): number =>
  Math.round((Date.parse(isoDay(to)) - Date.parse(isoDay(from))) / DAY_MS);

/**
 * The time of a page that always looks the same: what was done step by step was done seven minutes apart, the last of it at
 * noon of a day that stays, and the page's clock stands still there.
 */
export class SteadyTime {
  readonly #ends: number[] = [];
  /** Once, so that midnight may pass meanwhile (days). */
  readonly #away = daysBetween(Date.now(), NOON.getTime());

  /** Does one thing; its times are told from those of the next. */
  async step<T>(work: () => Promise<T>): Promise<T> {
    const result = await work();
    this.#ends.push(Date.now());
    return result;
  }

  /** Shows a page what the server says with these times, and asks the server with its own. */
  async hold(page: Page): Promise<void> {
    await page.clock.setFixedTime(NOON);
    await page.route('**/api/v1/**', (route) => this.#pass(route));
  }

  async #pass(route: Route): Promise<void> {
    const shifted = (text: string, days: number) =>
      text.replace(DAY, (day) => isoDay(Date.parse(day) + days * DAY_MS));
    try {
      const answer = await route.fetch({ url: shifted(route.request().url(), -this.#away) });
      const text = (await answer.text()).replace(INSTANT, (at) => this.#shown(Date.parse(at)));
      await route.fulfill({
        response: answer,
        body: shifted(text, this.#away)
          .replace(/Chrome \d+/g, 'Chrome 140')
          .replace(TOOK, '"$1":420'),
      });
    } catch {
      // The page is closed, or asks for it no more.
      await route.abort().catch(() => undefined);
    }
  }

  #shown(at: number): string {
    const now = Date.now();
    if (Math.abs(at - now) > DAY_MS / 2) {
      // What lies days away, as the end of something, stays as far away.
      const isShown = Math.abs(at - NOON.getTime()) < 1_000 * DAY_MS;
      return new Date(isShown ? at : NOON.getTime() + Math.round((at - now) / DAY_MS) * DAY_MS).toISOString();
    }
    const step = this.#ends.findIndex((end) => at <= end);
    const later = step === -1 ? 0 : this.#ends.length - 1 - step;
    return new Date(NOON.getTime() - later * APART_MS).toISOString();
  }
}
