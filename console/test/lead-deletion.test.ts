import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { csvCell } from '../src/leads/csv.ts';
import { startConsole } from './console-page.ts';
import { holdAnswer } from './hold-answer.ts';
import { leave, names, panel, row } from './lead-page.ts';

/** Leads that leave the console: deleted, erased, and saved as CSV. */

const openBrowser = useBrowser();
const server = useServer();

it('deletes when it can’t be taken back any more, and saves all as CSV that runs no formula', async () => {
  const { rest, open, signIn, join } = await startConsole(openBrowser, {}, server());
  await join('hedy', 'operator');
  for (const nickname of ['=1+1', 'Bob "Bo", jr.', 'Carl', 'Dora']) {
    await rest('POST', '/api/v1/leads/', { nickname });
  }
  const stored = async () =>
    (await rest('GET', '/api/v1/leads/')).json.map(({ nickname }: { nickname: string }) => nickname);
  const page = await open('leads');
  await signIn(page);
  const remove = async (name: string) => {
    await row(page, name).click();
    await panel(page).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('status').getByText(`${name} deleted.`).waitFor();
    expect(await row(page, name).count()).toBe(0);
  };
  await remove('Dora');
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Dora').waitFor();
  expect(await stored()).toContain('Dora');

  await remove('Dora');
  // Another one takes the place of what could be taken back.
  await remove('Carl');
  await expect.poll(stored, PATIENCE).not.toContain('Dora');
  const [{ uuid }] = (await rest('GET', '/api/v1/leads/')).json;
  await rest('PATCH', `/api/v1/leads/${uuid}/`, { email: 'carl@example.com' });
  await page.evaluate(() => dispatchEvent(new Event('pagehide')));
  await page.getByRole('alert').getByText('Carl was changed by somebody else meanwhile').waitFor();
  await row(page, 'Carl').waitFor();
  await remove('Carl');
  await page.goto('about:blank');
  await expect.poll(stored, PATIENCE).toEqual(['Bob "Bo", jr.', '=1+1']);
  await page.goBack();

  // In pages of one, the second of which fails once.
  let asked = 0;
  await page.route('**/api/v1/leads/?*limit=1000*', (route) =>
    route.continue({ url: route.request().url().replace('limit=1000', 'limit=1') }),
  );
  await page.route('**/api/v1/leads/?*cursor=*', (route) =>
    asked++ === 0 ? route.abort() : route.continue(),
  );
  await page.getByRole('button', { name: 'Download CSV' }).click();
  await page.getByText('The download stopped. Leads so far: 1').waitFor();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Go on' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^leads-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
  expect([lines.length, lines[0]?.slice(0, 16)]).toEqual([4, '\uFEFF"Received","Nam']);
  expect(lines[1]).toContain(',"Bob ""Bo"", jr.",');
  expect(lines[2]).toContain(`,"'=1+1",`);

  const hers = await open('leads');
  await signIn(hers, 'hedy');
  await row(hers, '=1+1').click();
  await panel(hers).getByLabel('Name').waitFor();
  expect(await panel(hers).getByRole('button', { name: 'Delete' }).count()).toBe(0);
});

it('loses at once what a colleague deletes or a visitor has erased, without reading again', async () => {
  const { url, rest, open, signIn, join } = await startConsole(openBrowser, {}, server());
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  await join('grace', 'admin');
  const uuids = new Map<string, string>();
  for (const nickname of ['Alan', 'Barbara', 'Carl', 'Dora']) {
    uuids.set(nickname, (await rest('POST', '/api/v1/leads/', { nickname })).json.uuid);
  }
  const pathOf = (name: string) => `/api/v1/leads/${uuids.get(name)}/`;
  const visitor = await leave(url, widget, { nickname: 'Erin' });
  const openLive = async (username: string): Promise<Page> => {
    const page = await open('leads');
    const isLive = new Promise<void>((resolve) =>
      page.on('websocket', (socket) =>
        socket.on('framereceived', ({ payload }) => String(payload).includes('"ready"') && resolve()),
      ),
    );
    await signIn(page, username);
    await isLive;
    await row(page, 'Erin').waitFor();
    return page;
  };
  const hers = await openLive('grace');
  const his = await openLive('ada');
  await his.route('**/api/v1/leads/?*', (route) => route.abort());

  // While it can be taken back it is gone for nobody else.
  const remove = async (name: string) => {
    await row(hers, name).click();
    await panel(hers).getByRole('button', { name: 'Delete' }).click();
    await row(hers, name).waitFor({ state: 'detached' });
  };
  await remove('Alan');
  await hers.getByRole('button', { name: 'Undo' }).click();
  await remove('Barbara');
  await his.evaluate(() => new Promise(requestAnimationFrame));
  expect(await names(his)).toEqual(['Erin', 'Dora', 'Carl', 'Barbara', 'Alan']);
  await hers.evaluate(() => dispatchEvent(new Event('pagehide')));
  await row(his, 'Barbara').waitFor({ state: 'detached' });
  await visitor.erase();
  await row(his, 'Erin').waitFor({ state: 'detached' });
  expect(await names(his)).toEqual(['Dora', 'Carl', 'Alan']);

  // What somebody else deletes meanwhile can't be taken back.
  await remove('Dora');
  await rest('DELETE', pathOf('Dora'));
  await row(his, 'Dora').waitFor({ state: 'detached' });
  await hers.getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => names(hers), PATIENCE).toEqual(['Carl', 'Alan']);

  // One that is open, with a change that nobody will save.
  await row(his, 'Carl').click();
  await panel(his).getByLabel('Name').fill('Carl Friedrich');
  await rest('DELETE', pathOf('Carl'));
  await panel(his).getByText('This lead does not exist any more.').waitFor();
  await expect.poll(() => names(his), PATIENCE).toEqual(['Alan']);
  expect(await his.evaluate(() => Object.keys(sessionStorage).filter((key) => key.includes('lead')))).toEqual(
    [],
  );

  // A list that was read before it, and comes after it.
  const list = await holdAnswer(hers, '**/api/v1/leads/?*', 'GET');
  await hers.getByLabel('Days', { exact: true }).selectOption('The last 7 days');
  await list.given;
  await rest('DELETE', pathOf('Alan'));
  await row(hers, 'Alan').waitFor({ state: 'detached' });
  await rest('POST', '/api/v1/leads/', { nickname: 'Frank' });
  await row(hers, 'Frank').waitFor();
  await list.release();
  await hers.getByText('Loading').waitFor({ state: 'detached' });
  expect(await names(hers)).toEqual(['Frank']);
});

it.each([
  ['plain', '"plain"'],
  ['a "b"; c', '"a ""b""; c"'],
  ...['=', '+', '-', '@', '\t', '\r', '＝', ' =', '\u00a0＝', '\ufeff@', '\u200b+', '\u2028-'].map((sign) => [
    `${sign}1`,
    `"'${sign}1"`,
  ]),
])('writes %j as the cell %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
