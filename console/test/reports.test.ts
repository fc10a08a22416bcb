import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { periodsOf, scaleOf } from '../src/reports/periods.ts';
import { startConsole } from './console-page.ts';
import { startInbox } from './inbox-page.ts';

/** The reports in the console. */

const openBrowser = useBrowser();
const server = useServer();

it('counts leads by day, widget, page, referrer and device, for eyes and ears, on a phone and a desk', async () => {
  const { rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const page = await open('reports?of=leads', {
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
    bypassCSP: true,
    hasTouch: true,
    reducedMotion: 'reduce',
  });
  await signIn(page);
  await page.getByText('No leads in these days').waitFor();
  const lead = { nickname: 'Ada', device: 'Lamp <b>', referrer: 'https://www.example.com/lamps/' };
  for (const from_page_title of ['Prices', 'Prices', '', 'A long title '.repeat(20)]) {
    await rest('POST', '/api/v1/leads/', { ...lead, from_page_title });
  }
  await page.reload();
  const table = (name: string) => page.getByRole('table', { name });
  await expect
    .poll(() => table('By page').locator('tbody tr').first().innerText(), PATIENCE)
    .toMatch(/^Prices\s+2$/);
  expect(await table('By widget').locator('tbody tr').allInnerTexts()).toEqual([
    expect.stringMatching(/^No widget: made by a program\s+4$/),
  ]);
  await table('By where they came from').getByText('example.com/lamps', { exact: true }).waitFor();
  await table('By device').getByText('Lamp <b>').waitFor();
  const days = table('Leads by day').locator('tbody tr');
  expect([await days.count(), await days.last().locator('td').textContent()]).toEqual([30, '4']);
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);

  await page.setViewportSize({ width: 1_440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByLabel('Days', { exact: true }).selectOption('From … to …');
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await table('Leads by month').waitFor();
  expect(new URL(page.url()).search).toMatch(/^\?of=leads&days=between&from=2020-01-01&to=/);
  expect(await axeFaults(page)).toEqual([]);
  await page.getByLabel('To', { exact: true }).fill('2020-03-01');
  await page.getByText('No leads in these days').waitFor();
  await page.getByLabel('From', { exact: true }).fill('2001-01-01');
  await page.getByLabel('To', { exact: true }).fill('2026-01-01');
  await page.getByText('At most 3660 days can be shown one by one.').waitFor();
});

it('counts conversations, how soon they were answered and how they were rated', async () => {
  const { page, visit, rest } = await startInbox(
    openBrowser,
    { viewport: { width: 1_440, height: 900 } },
    server(),
  );
  await page.goto(page.url().replace(/inbox.*/, 'reports'));
  await page.getByText('No conversations in these days').waitFor();
  const ada = await visit('Ada', 'Hello');
  await visit('Bob', 'Hello');
  await rest('POST', '/api/v1/messages/', { body: 'Hi', is_support_sender: true, room: { uuid: ada.uuid } });
  const { label } = (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
  expect((await rest('PATCH', `/api/v1/rooms/${label}/`, { rating: 4 })).status).toBe(200);
  const figures = async () => {
    await page.reload();
    await page.getByRole('heading', { name: 'Conversations by day' }).waitFor();
    return page.getByRole('definition').allInnerTexts();
  };
  await expect
    .poll(figures, PATIENCE)
    .toEqual([
      ...['2', 'None in as many days before', '50%', '1, by a person'],
      ...[expect.stringMatching(/^\d+ (sec|min)$/), expect.stringContaining('nine of ten'), '4'],
      'one visitor has rated',
    ]);
  const ratings = page.getByRole('table', { name: 'Ratings' }).locator('tbody tr');
  expect((await ratings.allInnerTexts()).map((text) => text.split(/\s+/))).toEqual([
    ...[
      ['5', 'stars', '0'],
      ['4', 'stars', '1'],
    ],
    ...[
      ['3', 'stars', '0'],
      ['2', 'stars', '0'],
      ['1', 'star', '0'],
    ],
  ]);
  expect(await axeFaults(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 320, height: 640 });
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await page.getByRole('link', { name: 'Leads', exact: true }).click();
  await page.getByText('No leads in these days').waitFor();
});

it('shows months where days are too many, under a round scale', () => {
  const results = Array.from({ length: 121 }, (_, n) => ({
    day: new Date(Date.UTC(2026, 0, 1 + n)).toISOString().slice(0, 10),
    total: 1,
  }));
  expect(periodsOf(results.slice(1)).isMonths).toBe(false);
  const { periods } = periodsOf(results);
  expect([periods[0], periods.at(-1)]).toEqual([
    { key: '2026-01', total: 31 },
    { key: '2026-05', total: 1 },
  ]);
  expect([0, 3, 5, 7, 10, 11, 51, 999].map(scaleOf)).toEqual([4, 4, 6, 8, 10, 20, 60, 1_000]);
});
