import { randomUUID } from 'node:crypto';
import { LOCALES, NewWidget } from '@parlor/shared';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { testApp } from '../../../test/app.ts';
import type { PublicWidget } from './public-widget-cache.ts';

const app = testApp();

/** What is kept of copies, and of their texts, in characters (docs/architecture.md#caches). */
const MOST_LENGTH = 8 * 1_048_576;

const webAddress = 'https://a.test/'.padEnd(2_000, 'x');
const paragraph = 'x'.repeat(1_000);
const LONG = NewWidget.parse({
  ...{ domain: webAddress, logo_large: webAddress, bot_avatar: webAddress },
  ...{ greeting_message: paragraph, contact_message: paragraph },
});
const LONG_LENGTH = 3 * 2_000 + 2 * 1_000;
const MORE_THAN_IS_KEPT = Math.ceil(MOST_LENGTH / LONG_LENGTH);

const tokens = Array.from({ length: MORE_THAN_IS_KEPT }, () => randomUUID());

beforeAll(async () => {
  const same = { ...LONG, account: randomUUID(), created_at: new Date(), is_localized: true, version: 1 };
  await app.services.models.widgets.insertMany(
    tokens.map((token) => ({ ...same, _id: randomUUID(), token })),
  );
});

const read = async (token: string): Promise<PublicWidget> =>
  (await app.services.publicWidgets.byToken(token)) ?? expect.fail();

it('keeps copies of widgets by how long they are', async () => {
  // A copy is good for a second.
  const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
  onTestFinished(() => clock.mockRestore());
  const copies = await Promise.all(tokens.map(read));
  let kept = 0;
  while (kept < copies.length && (await read(tokens.at(-1 - kept) ?? '')) === copies.at(-1 - kept)) kept++;
  expect(kept).toBeGreaterThan(MORE_THAN_IS_KEPT / 2);
  expect(kept).toBeLessThan(MORE_THAN_IS_KEPT);
});

it('keeps what they are in the languages asked for by how long that is', async () => {
  const some = await Promise.all(tokens.slice(0, Math.ceil(tokens.length / LOCALES.length)).map(read));
  const asked = some.flatMap((copy) => LOCALES.map((locale) => ({ copy, locale, text: copy.in(locale) })));
  const isKept = ({ copy, locale, text }: (typeof asked)[number]) => copy.in(locale) === text;
  // Those used last; from the first that is gone on, each that is asked for pushes one out.
  const kept = asked.toReversed().findIndex((one) => !isKept(one));
  expect(kept).toBeGreaterThan(MORE_THAN_IS_KEPT / 2);
  expect(kept).toBeLessThan(MORE_THAN_IS_KEPT);
});
