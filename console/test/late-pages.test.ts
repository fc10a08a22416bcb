import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { holdAnswer } from './hold-answer.ts';
import { row, startInbox } from './inbox-page.ts';

/** Pages of a list whose answers come late, and acts whose page goes early. */

const openBrowser = useBrowser();
const server = useServer();
const PATIENCE = { timeout: 30_000 };

it('puts nothing back that has left the list while a page of it was read', async () => {
  const { page, rest, signIn, open } = await startInbox(openBrowser, {}, server());
  const rooms: string[] = [];
  const say = (uuid: string | undefined, fields: object = {}) =>
    rest('POST', '/api/v1/messages/', { body: 'Hello', ...fields, room: { uuid } });
  while (rooms.length < 60) {
    const made = await Promise.all(Array.from({ length: 20 }, () => rest('POST', '/api/v1/rooms/', {})));
    for (const { json } of made) rooms.push(json.uuid);
  }
  await Promise.all(rooms.map((uuid) => say(uuid)));
  // The last twenty have been answered: they stand below what waits, the first answered at the end.
  for (const uuid of rooms.slice(40)) await say(uuid, { is_support_sender: true });
  const waiting = async () => (await rest('GET', '/api/v1/conversations/counts/')).json.waiting;
  await expect.poll(waiting, PATIENCE).toBe(40);
  const last = rooms[40];

  let resync = (): void => undefined;
  await page.routeWebSocket('**/api/v1/realtime', (socket) => {
    socket.connectToServer();
    resync = () => socket.send(JSON.stringify({ type: 'resync' }));
  });
  const older = await holdAnswer(page, '**/api/v1/conversations/?*cursor=*', 'GET');
  await page.reload();
  const rows = page.locator('a[href^="/console/inbox/all/"]');
  const lastRow = page.locator(`a[href="/console/inbox/all/${last}"]`);
  await expect.poll(() => rows.count(), PATIENCE).toBe(50);
  await rows.last().scrollIntoViewIfNeeded();
  await older.given;

  // It comes up, since its visitor has written again, and is done with.
  await say(last, { body: 'One more question' });
  await lastRow.waitFor({ state: 'attached' });
  await rest('PATCH', `/api/v1/conversations/${last}/`, { status: 'done' });
  await lastRow.waitFor({ state: 'detached' });
  const anew = page.waitForResponse((answer) => /conversations\/\?(?!.*cursor)/.test(answer.url()));
  resync();
  await (await anew).finished();
  await older.release();
  await expect.poll(() => rows.count(), PATIENCE).toBe(59);
  expect(await lastRow.count()).toBe(0);

  // The same where another tab has the list, from its beginning.
  const fresh = await open('inbox/all');
  await signIn(fresh);
  const freshRows = fresh.locator('a[href^="/console/inbox/all/"]');
  await expect.poll(() => freshRows.count(), PATIENCE).toBe(50);
  await freshRows.last().scrollIntoViewIfNeeded();
  await expect.poll(() => freshRows.count(), PATIENCE).toBe(59);
});

it('has acts outlive their page, as far as browsers let them, and refuses none for its size', async () => {
  const { page, visit, rest } = await startInbox(openBrowser, {}, server());
  const ada = await visit('Ada', 'Hello');
  const bob = await visit('Bob', 'Hello');
  const cleo = await visit('Cleo', 'Hello');
  const dan = await visit('Dan', 'Hello');
  // What the browser is told of each request: whether one outlives its page can't be seen from outside.
  await page.addInitScript(() => {
    const before = window.fetch;
    const told: string[] = [];
    Object.assign(window, { told });
    window.fetch = (input, init) => {
      const size = String(init?.body ?? '').length > 1_000 ? 'large' : 'small';
      const path = String(input).replace(/[0-9a-f-]{36}/, '*');
      if (init?.keepalive) told.push(`${size} ${init.method} ${path}`);
      return before(input, init);
    };
  });
  const told = () => page.evaluate(() => (window as unknown as { told: string[] }).told.splice(0));
  await page.reload();
  const open = async (name: string) => {
    await row(page, name).click();
    await page.getByRole('heading', { name, exact: true }).waitFor();
  };
  const statusOf = async ({ uuid }: { uuid: string }) =>
    (await rest('GET', `/api/v1/conversations/${uuid}/`)).json.status;
  await open('Dan');
  await page.getByLabel('Answer', { exact: true }).fill('Dear Dan');
  await page.getByRole('button', { name: 'Send' }).click();
  await expect.poll(() => dan.heard(), PATIENCE).toContain('Dear Dan');
  expect(await told()).toContain('small POST /api/v1/messages/');

  // Drafts that the server is slow to keep: two of 30 000 bytes are all that a browser lets outlive a page at once.
  const held: (() => Promise<void>)[] = [];
  await page.route('**/draft/', (route) => {
    // Not the one that forgets what has just been sent to Dan.
    const isLarge = (route.request().postData() ?? '').length > 1_000;
    if (route.request().method() !== 'PUT' || !isLarge) return route.continue();
    held.push(() => route.continue());
  });
  for (const [at, name] of ['Ada', 'Bob', 'Cleo'].entries()) {
    await open(name);
    await page.getByLabel('Answer', { exact: true }).fill('\u6f22'.repeat(10_000));
    await expect.poll(() => held.length, PATIENCE).toBe(at + 1);
  }
  const drafts = (await told()).filter((one) => one.startsWith('large'));
  expect(drafts).toEqual(Array(2).fill('large PUT /api/v1/conversations/*/draft/'));
  await open('Dan');
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await expect.poll(() => statusOf(dan), PATIENCE).toBe('done');
  expect(await told()).toContain('small PATCH /api/v1/conversations/*/');
  await Promise.all(held.map((release) => release()));
  const kept = async ({ uuid }: { uuid: string }) =>
    (await rest('GET', `/api/v1/conversations/${uuid}/draft/`)).json.body.length;
  for (const one of [ada, bob, cleo]) await expect.poll(() => kept(one), PATIENCE).toBe(10_000);

  await open('Ada');
  await page.getByRole('button', { name: 'Done', exact: true }).evaluate((button: HTMLElement) => {
    button.click();
    location.href = 'about:blank';
  });
  await expect.poll(() => statusOf(ada), PATIENCE).toBe('done');
});
