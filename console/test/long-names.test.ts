import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, startInbox } from './inbox-page.ts';

/** Names, titles and addresses as long as they may be and without a space: nothing beside them moves out of sight. */

const openBrowser = useBrowser();
const server = useServer();

const NAME = 'N'.repeat(150);
const ADDRESS = `https://shop.example.com/${'a'.repeat(1_900)}`;

/** What can be scrolled sideways, or reaches beyond the page. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('body *')].flatMap((element) => {
      const { overflowX } = getComputedStyle(element);
      const isScrolled = /auto|scroll/.test(overflowX) && element.scrollWidth > element.clientWidth;
      const isOutside = element === document.body && element.scrollWidth > innerWidth;
      return isScrolled ||
        isOutside ||
        (element.tagName === 'MAIN' && element.scrollWidth > element.clientWidth)
        ? [`${element.tagName} ${element.className} ${element.scrollWidth} > ${element.clientWidth}`]
        : [];
    }),
  );

it('shows what is said beside a name of 150 letters, and all other pages with it', {
  timeout: 180_000,
}, async () => {
  const { page, rest, visit, url, join } = await startInbox(openBrowser, {}, server());
  const colleague = await join('grace', 'operator', 'G'.repeat(100));
  const { uuid } = await visit(NAME, 'My order came broken on the way to us. '.repeat(8));
  const tags = ['t'.repeat(40)];
  const changed = await rest('PATCH', `/api/v1/conversations/${uuid}/`, { tags, assignee: colleague });
  expect(changed.status).toBe(200);
  const [{ uuid: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  const lead = {
    nickname: NAME,
    email: `${'e'.repeat(64)}@${'example'.repeat(8)}.com`,
    widget,
    room: { uuid },
    from_page: ADDRESS,
    from_page_title: 'T'.repeat(300),
    referrer: ADDRESS,
  };
  const made = await rest('POST', '/api/v1/leads/', lead);
  expect(made.status).toBe(201);
  const pages = [
    `inbox/all/${uuid}`,
    'leads',
    `leads?lead=${made.json.uuid}`,
    'search?q=broken',
    `search?q=${NAME.toLowerCase()}`,
    'reports',
    'settings/team',
    'settings/audit',
  ];
  for (const width of [1_440, 1_024, 800, 360]) {
    await page.setViewportSize({ width, height: 800 });
    for (const path of pages) {
      await page.goto(`${url}/console/${path}`);
      await page
        .getByText(/[NGt]{30}/i)
        .first()
        .waitFor({ state: 'attached' });
      if (path.startsWith('inbox')) {
        await log(page).getByText('My order came').waitFor();
        await page.getByLabel('Answer', { exact: true }).waitFor();
        const ends = await log(page)
          .getByText('My order came')
          .evaluate((words) => [
            words.getBoundingClientRect().right,
            words.closest('[role="log"]')?.getBoundingClientRect().right,
          ]);
        expect(ends[0]).toBeLessThan(ends[1] as number);
      }
      expect.soft(await tooWide(page), `${path} at ${width} px`).toEqual([]);
    }
  }
});
