import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator } from 'playwright-core';
import { PNG } from 'pngjs';
import { expect, it, onTestFinished } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { type CustomerPage, customerPage, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const server = useServer();

/** A visitor on a page with the widget, which has these settings, and the owner who answers. */
const open = async (settings: Record<string, unknown>, made: CustomerPage = {}) => {
  const { url } = server();
  const { rest, widget } = await oneOwner(url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, settings);
  const address = await customerPage(url, widget, { policy: '', ...made });
  const seen = await visit(await openBrowser({ reducedMotion: 'reduce' }), address);
  const answer = async (body: string) => {
    const [room] = (await rest('GET', '/api/v1/rooms/?limit=1')).json;
    await rest('POST', '/api/v1/messages/', { body, room: { uuid: room.uuid }, is_support_sender: true });
    await seen.message(body).waitFor();
  };
  return { ...seen, answer };
};

const box = async (part: Locator) => {
  const found = await part.boundingBox();
  if (!found) throw new Error('it is not drawn');
  return { ...found, right: found.x + found.width, bottom: found.y + found.height };
};

/** A logo of this size, served until the test ends; gives its address. */
const serveLogo = async (width: number, height: number): Promise<string> => {
  const host = createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'image/png' }).end(PNG.sync.write(new PNG({ width, height })));
  });
  await new Promise<void>((done) => host.listen(0, '127.0.0.1', done));
  onTestFinished(() => void host.close());
  return `http://127.0.0.1:${(host.address() as AddressInfo).port}/logo.png`;
};

it.each([
  ['wide', 640, 80],
  ['square', 96, 96],
  ['tall', 60, 240],
])(
  'shows a %s logo whole, in its own proportions, and leaves the title its place',
  async (_name, width, height) => {
    const { launcher, dialog, field } = await open({ logo_large: await serveLogo(width, height) });
    await launcher.click();
    await field.waitFor();
    const logo = dialog.locator('.logo');
    await logo.evaluate((picture: HTMLImageElement) => picture.decode());
    // `contain` shows all of a picture; the box is the header's own, and nothing of it is outside.
    expect(await logo.evaluate((picture) => getComputedStyle(picture).objectFit)).toBe('contain');
    const [picture, header, title] = await Promise.all(
      [logo, dialog.locator('.header'), dialog.locator('h2')].map(box),
    );
    expect(picture && header && picture.x >= header.x && picture.bottom <= header.bottom).toBe(true);
    expect(picture && title && picture.right <= title.x).toBe(true);
    expect(title?.width).toBeGreaterThan(100);
  },
);

it.each(['left', 'center', 'right'])('stands all answers at one line: %s', async (bot_message_position) => {
  const { launcher, dialog, say, message, answer } = await open({ bot_message_position });
  await launcher.click();
  await say('a question');
  await message('a question').getByText('Sent').waitFor();
  const long = 'An answer that is long enough to take more than one line of the window, however wide it is. ';
  for (const body of ['Yes.', long.repeat(2).trim(), 'A middling answer']) await answer(body);
  const bubbles = await dialog.locator('.other .bubble').all();
  const boxes = await Promise.all(bubbles.map(box));
  expect(boxes.length).toBeGreaterThanOrEqual(4);
  const edges = boxes.map(({ x, right }) => (bot_message_position === 'right' ? right : x));
  expect(new Set(edges).size).toBe(1);
});

it('shows an address in a text from right to left in its own direction, and at its place', async () => {
  const address = 'https://example.com/a/b?c=d';
  const { launcher, dialog, say, message } = await open({}, { lang: 'ar' });
  await launcher.click();
  await say(`انظر ${address} من فضلك`);
  await message(address).locator('time').waitFor();
  const link = dialog.locator('.bubble a');
  expect(await link.evaluate((element) => element.textContent)).toBe(address);
  const places = await link.evaluate((element) => {
    const text = element.firstChild as Text;
    const left = (from: number) => {
      const range = document.createRange();
      range.setStart(text, from);
      range.setEnd(text, from + 1);
      return range.getBoundingClientRect();
    };
    const bubble = element.parentElement as Element;
    const word = document.createRange();
    word.setStart(bubble.firstChild as Text, 0);
    word.setEnd(bubble.firstChild as Text, 4);
    const letters = Array.from(text.data, (_letter, at) => left(at));
    // Of one line, since a long address may be broken.
    const line = letters.filter(({ top }) => top === letters[0]?.top).map(({ x }) => x);
    return {
      isInOrder: line.every((x, at) => !at || x >= (line[at - 1] as number)),
      isAfterTheWord: word.getBoundingClientRect().left >= (letters[0]?.left ?? 0),
    };
  });
  expect(places).toEqual({ isInOrder: true, isAfterTheWord: true });
});

it.each([
  ['ar', 'rtl', 'en'],
  ['en', 'ltr', 'ar'],
])('leaves a pill’s icon at its side on a page of %s (%s) with a chat of %s', async (lang, dir, locale) => {
  const { launcher, page } = await open(
    { use_new_button: true },
    {
      lang,
      head: `<script nonce="page">document.documentElement.dir = "${dir}"</script>`,
      attributes: `data-locale="${locale}"`,
    },
  );
  const icon = launcher.locator('svg');
  const before = await box(icon);
  await launcher.focus();
  await page.locator('parlor-widget').locator(`.parlor[lang=${locale}]`).waitFor({ state: 'attached' });
  expect(await box(icon)).toEqual(before);
});
