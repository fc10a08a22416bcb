import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { holdAnswer, holdLastPage } from './hold-answer.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What the inbox keeps and reads while others write and the network comes and goes. */

const openBrowser = useBrowser();
const server = useServer();
const startInbox = (options = {}) => start(openBrowser, options, server());

it('keeps no more of a long conversation than is looked at, and reads back what it forgot', async () => {
  const { page, visit, rest } = await startInbox();
  const ada = await visit('Ada', 'The very first');
  await row(page, 'Ada').click();
  await log(page).getByText('The very first').waitFor();
  const room = { uuid: ada.uuid };
  for (let n = 0; n < 440; n += 20) {
    const twenty = Array.from({ length: 20 }, (_, at) => ({
      body: `Answer ${n + at}`,
      is_support_sender: true,
      room,
    }));
    await Promise.all(twenty.map((body) => rest('POST', '/api/v1/messages/', body)));
  }
  await log(page).getByText('Answer 439', { exact: true }).waitFor();
  const lines = log(page).getByRole('listitem');
  await expect.poll(() => lines.count()).toBeLessThan(402);
  expect(await log(page).getByText('The very first').count()).toBe(0);
  // Of what is read back, as much of the end is forgotten as is too much.
  const said = new Set<string>();
  await expect
    .poll(
      async () => {
        await log(page).evaluate((element) => element.scrollTo({ top: 0 }));
        // Counted first: what comes with it is taken in as well.
        const count = await log(page).getByText('The very first').count();
        const texts = log(page).getByText(/^Answer \d+$/);
        for (const one of await texts.allInnerTexts()) said.add(one);
        return count;
      },
      { timeout: 60_000 },
    )
    .toBe(1);
  expect(said.size).toBe(440);
});

it('is right without a reload once the connection is back', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  await page.context().setOffline(true);
  await ada.say('While you were away');
  await visit('Bob', 'New meanwhile');
  await page.context().setOffline(false);
  await log(page).getByText('While you were away').waitFor({ timeout: 60_000 });
  await row(page, 'Bob').waitFor();
});

it('reads a conversation again that could not be read once while the channel is there', async () => {
  const { page, visit } = await startInbox();
  let asked = 0;
  const one = /\/api\/v1\/conversations\/[0-9a-f-]{36}\/$/;
  await page.route(one, (route) =>
    asked++ ? route.continue() : route.fulfill({ status: 503, json: { detail: 'The server stops.' } }),
  );
  await visit('Ada', 'Hello');
  await row(page, 'Ada').waitFor();
  expect(asked).toBeGreaterThan(1);
});

it('says that a conversation was read also where that was open before the channel was', async () => {
  const { page, url, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  let open = (): void => undefined;
  const isOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  const sent: string[] = [];
  await page.routeWebSocket('**/api/v1/realtime', async (socket) => {
    await isOpen;
    const server = socket.connectToServer();
    socket.onMessage((message) => {
      sent.push(String(message));
      server.send(message);
    });
  });
  await page.goto(`${url}/console/inbox/all/${ada.uuid}`);
  await log(page).getByText('Hello').waitFor();
  open();
  await expect
    .poll(() => sent.map((text) => JSON.parse(text)), { timeout: 30_000 })
    .toContainEqual(expect.objectContaining({ type: 'read', room: ada.uuid }));
});

it('keeps the open conversation, and the place where one writes, when everything is read anew', async () => {
  const { page, visit, open, signIn, rest } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await rest('PATCH', `/api/v1/conversations/${ada.uuid}/`, { status: 'done' });
  // A view that does not have it, as a link in a mail may name.
  const linked = await open(`inbox/mine/${ada.uuid}`);
  await signIn(linked);
  const answer = linked.getByLabel('Answer', { exact: true });
  await answer.fill('Dear Ada');
  await linked.context().setOffline(true);
  await page.context().setOffline(false);
  await linked.context().setOffline(false);
  await ada.say('Anybody there?');
  await log(linked).getByText('Anybody there?').waitFor({ timeout: 60_000 });
  expect(await answer.inputValue()).toBe('Dear Ada');
  expect(await answer.evaluate((field) => field === document.activeElement)).toBe(true);
});

it('loses at once what was deleted, what is open too, and what is deleted while it is read or away', async () => {
  const { page, visit, rest } = await startInbox();
  const remove = async ({ uuid }: { uuid: string }) => {
    const { label } = (await rest('GET', `/api/v1/conversations/${uuid}/`)).json;
    expect((await rest('DELETE', `/api/v1/rooms/${label}/`)).status).toBe(204);
  };
  const ada = await visit('Ada', 'Hello');
  const bob = await visit('Bob', 'Hello');
  const cleo = await visit('Cleo', 'Hello');
  const dan = await visit('Dan', 'Hello');
  await row(page, 'Dan').waitFor();
  await remove(bob);
  await row(page, 'Bob').waitFor({ state: 'detached' });

  // One that is open, with an answer that nobody will get; it comes back when its visitor writes once more.
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Dear Ada');
  await remove(ada);
  await page.getByText('This conversation is not there any more.').waitFor();
  await row(page, 'Ada').waitFor({ state: 'detached' });
  const drafts = () =>
    page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith('draft')));
  expect(await drafts()).toEqual([]);
  await ada.say('Once more');
  await log(page).getByText('Once more').waitFor();
  await row(page, 'Ada').waitFor();

  // A list that was read before it, and comes after it.
  const list = await holdAnswer(page, '**/api/v1/conversations/?*', 'GET');
  await page.getByRole('link', { name: /^Unassigned/ }).click();
  await list.given;
  await remove(cleo);
  await visit('Erin', 'Hello');
  await row(page, 'Erin').waitFor();
  await list.release();
  await row(page, 'Dan').waitFor();
  expect(await row(page, 'Cleo').count()).toBe(0);

  await page.context().setOffline(true);
  await remove(dan);
  await page.context().setOffline(false);
  await row(page, 'Dan').waitFor({ state: 'detached', timeout: 60_000 });
});

it('shows nothing of what was deleted when what it was changed by is answered after that', async () => {
  const { page, visit, rest } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await visit('Bob', 'Hello, too');
  const { label } = (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json;
  await row(page, 'Bob').waitFor();
  await row(page, 'Ada').click();
  await log(page).getByText('Hello', { exact: true }).waitFor();
  await page.keyboard.press('e');
  await log(page).getByText('Hello, too').waitFor();
  await row(page, 'Ada').waitFor({ state: 'detached' });
  const change = await holdAnswer(page, `**/api/v1/conversations/${ada.uuid}/`, 'PATCH');
  await page.getByRole('button', { name: 'Undo' }).click();
  await change.given;
  await row(page, 'Ada').waitFor();
  expect((await rest('DELETE', `/api/v1/rooms/${label}/`)).status).toBe(204);
  await row(page, 'Ada').waitFor({ state: 'detached' });
  await change.release();
  await visit('Cleo', 'Hello');
  await row(page, 'Cleo').waitFor();
  expect(await row(page, 'Ada').count()).toBe(0);
});

it('takes in what is said without asking for each conversation again', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').waitFor();
  await page.waitForTimeout(2_000);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  for (let at = 1; at <= 10; at++) await ada.say(`Message ${at}`);
  await row(page, 'Ada').getByText('Message 10').waitFor();
  expect(asked.filter((path) => path.includes(ada.uuid))).toEqual([]);
  expect(asked.length).toBeLessThanOrEqual(4);
});

/** An inbox with so many conversations that wait, the first for the longest. */
const startLongInbox = async (count: number) => {
  const { page, rest } = await startInbox();
  const told = new Set<string>();
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      const { type, id } = JSON.parse(String(payload));
      if (type === 'message.added') told.add(id);
    }),
  );
  await page.reload();
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
  const rooms: { uuid: string }[] = [];
  while (rooms.length < count) {
    const made = Array.from({ length: 20 }, () => rest('POST', '/api/v1/rooms/', {}));
    const twenty = (await Promise.all(made)).map(({ json }) => json);
    await Promise.all(
      twenty.map(({ uuid }) => rest('POST', '/api/v1/messages/', { body: 'Hi', room: { uuid } })),
    );
    rooms.push(...twenty);
  }
  const say = (at: number, body: string) =>
    rest('POST', '/api/v1/messages/', { body, room: { uuid: rooms[at]?.uuid } });
  const waiting = async () =>
    (await rest('GET', '/api/v1/conversations/?status=open&waiting_on=us&limit=200')).json.length;
  await expect.poll(waiting).toBe(count);
  // What is told later of how they began would have them read once more.
  await expect.poll(() => told.size).toBe(count);
  await page.reload();
  return { page, say, rows: page.locator('a[href^="/console/inbox/all/"]') };
};

it('stays where it was scrolled to while visitors further down write', async () => {
  const { page, say, rows } = await startLongInbox(120);
  /** How many have been read: each row of a long list, of which not all are in the page, says its place. */
  const read = async (): Promise<number> => {
    const last = rows.last().locator('xpath=ancestor::li');
    return Number((await last.getAttribute('aria-posinset')) ?? (await rows.count()));
  };
  /** To the end once more, also from there: what the channel has just told may be read first. */
  const rowsAtEnd = async (): Promise<number> => {
    await rows.last().evaluate((one) => {
      one.closest('ul')?.parentElement?.scrollTo({ top: 0 });
      one.scrollIntoView();
    });
    return read();
  };
  // The last page comes when it is wanted, however far a busy machine has scrolled.
  const want = await holdLastPage(page, '**/api/v1/conversations/?*cursor=*');
  await expect.poll(() => rows.count()).toBe(50);
  await expect.poll(() => rowsAtEnd()).toBe(100);

  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (pathname.startsWith('/api/v1/conversations/') && !pathname.endsWith('/counts/')) asked.push(search);
  });
  for (let at = 105; at < 120; at++) await say(at, 'Anybody there?');
  await say(0, 'The longest waiting');
  await rows.getByText('The longest waiting').waitFor({ state: 'attached' });
  expect(await rows.count()).toBe(100);
  want();
  await expect.poll(() => rowsAtEnd()).toBe(120);
  // So high that the page has all twenty that were begun at once, in whichever order that was.
  await page.setViewportSize({ width: 1_280, height: 2_400 });
  await expect.poll(async () => (await rowsAtEnd()) && rows.getByText('Anybody there?').count()).toBe(15);
  expect(asked.filter((search) => !search.includes('cursor='))).toEqual([]);
});

it('shows what was said while the page of the list that has it was being read', async () => {
  const { page, say, rows } = await startLongInbox(60);
  const next = await holdAnswer(page, '**/api/v1/conversations/?*cursor=*', 'GET');
  await expect.poll(() => rows.count()).toBe(50);
  await rows.last().scrollIntoViewIfNeeded();
  await next.given;
  for (let at = 40; at < 60; at++) await say(at, 'Said meanwhile');
  await say(0, 'The longest waiting');
  await rows.getByText('The longest waiting').waitFor({ state: 'attached' });
  // Ten are known, or all where the page was read anew meanwhile, as after a gap.
  await expect.poll(() => rows.getByText('Said meanwhile').count()).toBeGreaterThanOrEqual(10);
  await next.release();
  await expect.poll(() => rows.count()).toBe(60);
  await expect.poll(() => rows.getByText('Said meanwhile').count()).toBe(20);
});
