import fc from 'fast-check';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';

const openBrowser = useBrowser();

/** API_RUNS=100 asks for more pages, API_SEED for others. */
const RUNS = Number(process.env.API_RUNS ?? 5);
const SEED = Number(process.env.API_SEED ?? 1);

/** What a page may give, by name: most of it cannot be sent to a browser. */
const KINDS = [
  'nothing',
  'null',
  'true',
  'number',
  'NaN',
  'bigint',
  'text',
  'empty',
  'long',
  'nul',
  'surrogate',
  'symbol',
  'array',
  'function',
  'throwing',
  'object',
  'visitor',
  'bad visitor',
  'trap',
  'no prototype',
  'date',
  'element',
  'event',
  'promise',
  'cycle',
] as const;
const METHODS = [
  'open',
  'close',
  'toggle',
  'show',
  'hide',
  'setVisitor',
  'setLocale',
  'send',
  'on',
  'nonsense',
  'q',
];
const EVENTS = [
  'ready',
  'open',
  'close',
  'message:sent',
  'message:received',
  'lead',
  'unread',
  'error',
  'constructor',
];

interface Step {
  method: string;
  /** By `q.push`, as a page does before the script is there. */
  queued: boolean;
  event: string;
  given: readonly (typeof KINDS)[number][];
}

const step: fc.Arbitrary<Step> = fc.record({
  method: fc.constantFrom(...METHODS),
  queued: fc.boolean(),
  event: fc.constantFrom(...EVENTS),
  given: fc.array(fc.constantFrom(...KINDS), { maxLength: 3 }),
});
const steps = fc.array(step, { minLength: 5, maxLength: 25 });
const pages = fc.record({ before: steps, during: steps, after: steps, end: fc.boolean() });

/** Does the steps in the page. */
const take = (page: Page, wanted: readonly Step[]): Promise<void> =>
  page.evaluate((wanted) => {
    type AnyParlor = Record<string, ((...rest: unknown[]) => unknown) | { push(call: unknown): void }>;
    const page = window as unknown as { Parlor: AnyParlor };
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    const kinds: Record<string, unknown> = {
      nothing: undefined,
      null: null,
      true: true,
      number: 5,
      NaN: Number.NaN,
      bigint: 5n,
      text: 'de',
      empty: '',
      long: 'long '.repeat(5_000),
      nul: 'a\0b',
      surrogate: 'a\ud800b',
      symbol: Symbol('s'),
      array: ['name', 'email'],
      function: () => {},
      throwing: () => {
        throw new Error('thrown by the page');
      },
      object: { name: {}, email: [], phone: Symbol('p') },
      visitor: { name: 'Robin', phone: '+44 20 7946 0000' },
      'bad visitor': { name: 'x'.repeat(500), email: 'nonsense', phone: '' },
      trap: new Proxy(
        {},
        {
          get() {
            throw new Error('trapped by the page');
          },
        },
      ),
      'no prototype': Object.create(null),
      date: new Date(),
      element: document.body,
      event: new Event('open'),
      promise: Promise.resolve(),
      cycle,
    };
    page.Parlor ||= { q: [] as unknown as { push(call: unknown): void } };
    for (const { method, queued, event, given } of wanted) {
      const values = given.map((kind) => kinds[kind]);
      const rest = method === 'on' ? [event, ...values] : values;
      const call = page.Parlor[method];
      if (!queued && typeof call === 'function') call(...rest);
      else
        (page.Parlor.q as { push(call: unknown): void }).push(method === 'q' ? values[0] : [method, ...rest]);
    }
  }, wanted as Step[]);

it('takes whatever a page gives it, at any time: no exception, each warning in words, and the chat goes on', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { widget, rest } = await owner(server.url);
  const address = await customerPage(server.url, widget, { tag: '' });
  let turn = 0;
  await fc.assert(
    fc.asyncProperty(pages, async ({ before, during, after, end }) => {
      const browser = await openBrowser();
      const { page, complaints, launcher, field, say, message } = await visit(browser, address);
      const start = () =>
        page.evaluate(
          ([src, token]) => {
            const tag = document.createElement('script');
            Object.assign(tag, { src }).dataset.token = token;
            document.head.append(tag);
          },
          [`${server.url}/widget.js`, widget] as const,
        );
      await take(page, before);
      await start();
      await take(page, during);
      await page.waitForFunction(() => document.querySelector('parlor-widget')?.shadowRoot);
      await take(page, after);
      if (end) {
        await page.evaluate(() => (window as unknown as { Parlor: { destroy(): void } }).Parlor.destroy());
        await start();
        await page.waitForFunction(() => document.querySelector('parlor-widget')?.shadowRoot);
      }
      await page.evaluate(() => {
        const { Parlor } = window as unknown as { Parlor: Record<string, (tag?: string) => void> };
        Parlor.setLocale?.('en');
        Parlor.show?.();
        Parlor.open?.();
      });
      await field.waitFor();
      const text = `turn ${++turn}.`;
      await say(text);
      await message(text)
        .getByText(/Sent|Seen/)
        .waitFor();
      // What the server refuses is in the console by itself, as browsers have it.
      const words = complaints.filter((line) => !line.startsWith('Failed to load resource'));
      for (const line of words) expect(line).toMatch(/^Parlor: \S/);
      const stored = (await rest('GET', '/api/v1/messages/?limit=50')).json as { body: string }[];
      expect(stored.filter(({ body }) => body === text)).toHaveLength(1);
      await launcher.waitFor({ state: 'attached' });
      await browser.close();
    }),
    { numRuns: RUNS, seed: SEED, endOnFailure: true },
  );
}, 300_000);
