import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const COUNT = 10_000;
/** Larger pages than the widget asks for: what is looked at is the list, not the network. */
const PAGE = 500;

it('scrolls back through a long conversation, and never has more than a window of it in the page', async () => {
  const server = await startServerProcess(await serverSettings());
  const { widget } = await owner(server.url);
  const address = await customerPage(server.url, widget);
  const { page, launcher, say, message, log } = await visit(await openBrowser(), address);
  await launcher.click();
  await say('the first');
  await message('the first').getByText('Sent').waitFor();

  // A long past, as the server would give it, newest first, page by page.
  let askedOlder = 0;
  await page.route('**/api/v1/messages/?*', (route) => {
    const url = new URL(route.request().url());
    const from = Number(url.searchParams.get('cursor') ?? 0);
    if (from > 0) askedOlder++;
    const json = Array.from({ length: Math.min(PAGE, COUNT - from) }, (_, index) => {
      const number = COUNT - from - index;
      return {
        uuid: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
        body: `message ${number}`,
        is_support_sender: number % 3 === 0,
        sent_at: new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString(),
      };
    });
    url.searchParams.set('cursor', String(from + PAGE));
    const headers: Record<string, string> = {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Link',
    };
    if (from + PAGE < COUNT) headers.Link = `<${url}>; rel="next"`;
    return route.fulfill({ json, headers });
  });
  await page.reload();
  await message(`message ${COUNT}`).waitFor();

  const rows = () => log.getByRole('listitem').count();
  const scroller = await log.elementHandle();
  const oldest = async () =>
    Number((await log.getByRole('listitem').first().textContent())?.match(/message (\d+)/)?.[1]);
  // It opened with the newest page. That one may be asked for again, when the channel is late.
  expect(askedOlder).toBe(0);

  // To the very beginning, as fast as pages come.
  let reached = COUNT;
  for (let tries = 0; reached > 1 && tries < 5_000; tries++) {
    await scroller?.evaluate((element) => element.scrollTo(0, 0));
    await page.waitForTimeout(20);
    reached = (await oldest()) || 1;
    if (tries % 50 === 0) expect(await rows()).toBeLessThanOrEqual(90);
  }
  expect(reached).toBe(1);

  // Back down: what one reads moves by what one scrolls, and by nothing else.
  const strays = await scroller?.evaluate(async (element) => {
    const moved: number[] = [];
    const top = element.getBoundingClientRect().top;
    for (let count = 0; count < 30; count++) {
      const seen = [...element.querySelectorAll('li')].find(
        (row) => row.getBoundingClientRect().top > top + 160,
      );
      const before = seen?.getBoundingClientRect().top ?? 0;
      element.scrollBy(0, 150);
      await new Promise((done) => setTimeout(done, 50));
      if (seen?.isConnected) moved.push(Math.round(before - seen.getBoundingClientRect().top));
    }
    return moved.filter((distance) => Math.abs(distance - 150) > 2);
  });
  expect(strays).toEqual([]);
  expect(await rows()).toBeLessThanOrEqual(90);
  await page.locator('parlor-widget').getByRole('button', { name: 'Newest messages' }).click();
  await message(`message ${COUNT}`).waitFor();
}, 150_000);
