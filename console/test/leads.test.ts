import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { csvCell } from '../src/leads/csv.ts';
import { PASSWORD, startConsole } from './console-page.ts';
import { holdAnswer } from './hold-answer.ts';

/** The leads in the console. */

const openBrowser = useBrowser();
const server = useServer();

const row = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const panel = (page: Page) => page.getByRole('complementary', { name: 'Lead' });
const names = (page: Page) => page.locator('tbody th').allInnerTexts();

/** A visitor's lead, with the room that it was left in, and what erases both. */
const leave = async (url: string, widget: string, lead: object) => {
  const post = async (path: string, body: object, authorization?: string) => {
    const answer = await fetch(`${url}/api/v1/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(201);
    return answer.json();
  };
  const page = { url: 'https://shop.example.com/lamps', title: 'Lamps' };
  const { token, room } = await post(`widgets/${widget}/sessions/`, { page, locale: 'en' });
  await post('leads/', lead, `Visitor ${token}`);
  const erase = async (): Promise<void> => {
    const headers = { Authorization: `Visitor ${token}` };
    const answer = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, { method: 'DELETE', headers });
    expect(answer.status).toBe(204);
  };
  return { room: room.uuid as string, erase };
};

it('shows leads as they come, finds them, and says what a colleague has changed', async () => {
  const { url, rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  const page = await open('leads', { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  await page.getByText('No leads yet').waitFor();

  const hostile = 'Ada <img src=x onerror=alert(1)>';
  const { room } = await leave(url, widget, { nickname: hostile, email: 'ada@example.com' });
  await rest('POST', '/api/v1/leads/', { nickname: 'Grace', phone_number: '+44 20 7946 0000' });
  await row(page, 'Grace').waitFor();
  expect(await names(page)).toEqual(['Grace', hostile]);

  await page.getByLabel('Search by name, e-mail or phone').fill('ada@ex');
  await expect.poll(() => names(page), PATIENCE).toEqual([hostile]);
  await page.getByLabel('Days', { exact: true }).selectOption('The last 7 days');
  await expect.poll(() => new URL(page.url()).search, PATIENCE).toBe('?q=ada%40ex&days=7');
  await page.reload();
  await row(page, hostile).click();
  await panel(page).getByText('Lamps').waitFor();
  expect(await panel(page).getByRole('term').allInnerTexts()).toContain('Widget');
  const link = panel(page).getByRole('link', { name: 'Open the conversation' });
  await expect.poll(() => link.getAttribute('href'), PATIENCE).toBe(`/console/inbox/all/${room}`);
  await page.keyboard.press('Escape');
  await page.getByLabel('Search by name, e-mail or phone').fill('nobody');
  await page.getByRole('button', { name: 'Show all leads' }).click();

  await row(page, 'Grace').click();
  await panel(page).getByText('It was left outside of a conversation.').waitFor();
  await panel(page).getByLabel('Name').fill('Grace Hopper');
  const [{ uuid }] = (await rest('GET', '/api/v1/leads/')).json;
  await rest('PATCH', `/api/v1/leads/${uuid}/`, { nickname: 'Rear Admiral', email: 'grace@example.com' });
  await panel(page).getByText('Now: Rear Admiral').waitFor();
  expect(await panel(page).getByLabel('E-mail').inputValue()).toBe('grace@example.com');
  await page.reload();
  await expect.poll(() => panel(page).getByLabel('Name').inputValue(), PATIENCE).toBe('Grace Hopper');

  // What the channel has not told yet, the server refuses, and it is shown before it can be overwritten.
  let isFirst = true;
  await page.route(`**/api/v1/leads/${uuid}/`, async (route) => {
    if (isFirst && route.request().method() === 'PATCH') {
      isFirst = false;
      await rest('PATCH', `/api/v1/leads/${uuid}/`, { nickname: 'Amazing Grace' });
    }
    await route.continue();
  });
  const save = panel(page).getByRole('button', { name: 'Save' });
  await save.click();
  await panel(page).getByText('Now: Amazing Grace').waitFor();
  await expect.poll(() => save.getAttribute('aria-disabled'), PATIENCE).toBeNull();
  expect((await rest('GET', `/api/v1/leads/${uuid}/`)).json.nickname).toBe('Amazing Grace');
  await save.click();
  // Of the text alone the buttons Save and Discard have it together, too, until it is saved.
  await panel(page).getByRole('status').getByText('Saved').waitFor();
  expect((await rest('GET', `/api/v1/leads/${uuid}/`)).json).toMatchObject({
    nickname: 'Grace Hopper',
    email: 'grace@example.com',
  });
  await panel(page).getByLabel('E-mail').fill('no address');
  await page.keyboard.press('Enter');
  await panel(page).getByText('Enter a valid email address.').waitFor();
});

it('keeps what is typed while answers and frames come, and shows what a colleague saves before the answer', async () => {
  const { rest, open, signIn } = await startConsole(openBrowser, {}, server());
  const { uuid } = (await rest('POST', '/api/v1/leads/', { nickname: 'Grace' })).json;
  const path = `/api/v1/leads/${uuid}/`;
  const page = await open(`leads?lead=${uuid}`, { viewport: { width: 1_440, height: 900 } });
  await signIn(page);
  const field = (name: string) => panel(page).getByLabel(name);
  const saved = panel(page).getByRole('status').getByText('Saved');

  // The server has saved it, and its answer takes long.
  const answer = await holdAnswer(page, `**${path}`, 'PATCH');
  await field('Name').fill('Grace Hopper');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await answer.given;
  await field('Phone').fill('+44 20 7946 0000');
  await rest('PATCH', path, { nickname: 'Rear Admiral' });
  await row(page, 'Rear Admiral').waitFor();
  await answer.release();
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Rear Admiral');
  expect(await field('Phone').inputValue()).toBe('+44 20 7946 0000');
  expect(await saved.count()).toBe(0);
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await saved.waitFor();
  expect((await rest('GET', path)).json).toMatchObject({
    nickname: 'Rear Admiral',
    phone_number: '+44 20 7946 0000',
  });

  // Something is typed as soon as the change of a colleague is shown.
  await panel(page)
    .getByRole('heading', { level: 2 })
    .evaluate((title) => {
      const observer = new MutationObserver(() => {
        const email = document.querySelector<HTMLInputElement>('input[name=email]');
        if (email) email.value = 'grace@example.com';
        email?.dispatchEvent(new Event('input', { bubbles: true }));
        observer.disconnect();
      });
      observer.observe(title, { characterData: true, childList: true, subtree: true });
    });
  await rest('PATCH', path, { nickname: 'Amazing Grace' });
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Amazing Grace');
  await panel(page).getByRole('button', { name: 'Save' }).click();
  await saved.waitFor();
  expect((await rest('GET', path)).json).toMatchObject({
    nickname: 'Amazing Grace',
    email: 'grace@example.com',
  });

  // What was read first is answered last.
  const older = await holdAnswer(page, `**${path}`, 'GET');
  await rest('PATCH', path, { nickname: 'Older' });
  await older.given;
  await rest('PATCH', path, { nickname: 'Newer' });
  await expect.poll(() => field('Name').inputValue(), PATIENCE).toBe('Newer');
  await older.release();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await field('Name').inputValue()).toBe('Newer');
});

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
  const { url, rest, open, signIn, join } = await startConsole(openBrowser);
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

it('is whole for everybody, in German, from 320 pixels on, in both schemes', async () => {
  const { rest, open, username } = await startConsole(openBrowser, {}, server());
  const nickname = `Grace ${'Hopper'.repeat(12)}`;
  await rest('POST', '/api/v1/leads/', { nickname, referrer: `https://example.com/${'long'.repeat(60)}` });
  for (const [colorScheme, width] of [
    ['light', 320],
    ['dark', 1_440],
  ] as const) {
    const page = await open('leads?from=2026-01-01', {
      viewport: { width, height: 768 },
      colorScheme,
      locale: 'de',
      bypassCSP: true,
      hasTouch: width === 320,
      reducedMotion: 'reduce',
    });
    const check = async (): Promise<void> => {
      expect(await axeFaults(page)).toEqual([]);
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
    };
    await page.getByLabel('Benutzername').fill(username);
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await row(page, nickname).waitFor();
    await page.getByRole('button', { name: 'Spalten' }).click();
    await page.getByLabel('Kam von').check();
    await check();
    await page.keyboard.press('Escape');
    await row(page, nickname).click();
    await page.getByRole('textbox', { name: 'Telefon' }).waitFor();
    await check();
  }
});

it.each([
  ['plain', '"plain"'],
  ['a "b"; c', '"a ""b""; c"'],
  ...['=', '+', '-', '@', '\t', '\r', '＝'].map((sign) => [`${sign}1`, `"'${sign}1"`]),
])('writes %j as the cell %j', (text, cell) => {
  expect(csvCell(text)).toBe(cell);
});
