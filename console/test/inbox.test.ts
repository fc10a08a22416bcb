import { expect, it } from 'vitest';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { useServer } from './console-page.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** Answering visitors, in a real browser on a real server. */

const openBrowser = useBrowser();
const server = useServer();
const startInbox = (options = {}) => start(openBrowser, options, server());

it('shows what comes in, and answers it', async () => {
  const { page, visit } = await startInbox({ viewport: { width: 1_440, height: 900 } });
  await page.getByText('Nothing here').waitFor();
  const ada = await visit('Ada', 'Do you deliver on Sundays?');
  await row(page, 'Ada').click();
  await log(page).getByText('Do you deliver on Sundays?').waitFor();
  await page.getByLabel('Answer', { exact: true }).fill('We do. See https://shop.example.com/delivery');
  await page.keyboard.press('Control+Enter');
  await log(page).getByRole('link', { name: 'https://shop.example.com/delivery' }).waitFor();
  await expect.poll(ada.heard).toContain('We do. See https://shop.example.com/delivery');
  await ada.say('Thanks!');
  await log(page).getByText('Thanks!').waitFor();
  await page.getByRole('complementary', { name: 'About this visitor' }).getByText('Lamps').waitFor();
});

it('goes through the inbox by keys alone, and takes back what was done', async () => {
  const { page, visit } = await startInbox();
  await visit('Ada', 'First');
  await visit('Bob', 'Second');
  await row(page, 'Bob').waitFor();
  await page.keyboard.press('j');
  await log(page).getByText('First').waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('Hello Ada');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('Hello Ada').waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('e');
  await log(page).getByText('Second').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await row(page, 'Ada').waitFor();
  await page.keyboard.press('s');
  await page.getByRole('menuitem', { name: 'Tomorrow morning' }).click();
  await page.getByRole('status').getByText('Snoozed until').waitFor();
  await page.getByRole('link', { name: 'Snoozed' }).click();
  await row(page, 'Bob').waitFor();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).waitFor();
});

it('takes keys that come quicker than a page is drawn for the conversation that they lead to', async () => {
  const { page, visit, rest } = await startInbox();
  const ada = await visit('Ada', 'First');
  const bob = await visit('Bob', 'Second');
  await row(page, 'Bob').waitFor();
  await row(page, 'Ada').click();
  await log(page).getByText('First').waitFor();
  await page.evaluate(() => {
    for (const key of ['j', 'r', 'e']) {
      document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
    }
  });
  await log(page).getByText('Second').waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('answer');
  await page.keyboard.type('Hello Bob');
  expect(await page.getByLabel('Answer', { exact: true }).inputValue()).toBe('Hello Bob');
  for (const { uuid } of [ada, bob]) {
    expect((await rest('GET', `/api/v1/conversations/${uuid}/`)).json.status).toBe('open');
  }
});

it('gives conversations to colleagues, and tags them', async () => {
  const { page, visit, join } = await startInbox();
  await join('grace', 'operator', 'Grace');
  await page.reload();
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await page.getByRole('button', { name: 'Assign' }).click();
  await page.getByRole('menuitemradio', { name: 'Grace' }).click();
  await page.getByRole('status').getByText('Given to Grace.').waitFor();
  await page.getByRole('button', { name: 'Tags' }).click();
  await page.getByLabel('Add a tag').fill('delivery');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: /^delivery/ }).click();
  await row(page, 'Ada').getByText('Grace').waitFor();
});

it('says what is new, and has a bot answer or a person', async () => {
  const { page, visit, rest } = await startInbox({ viewport: { width: 1_440, height: 900 } });
  const ada = await visit('Ada', 'Hello');
  await rest('POST', '/api/v1/messages/', { body: 'Hi', is_support_sender: true, room: { uuid: ada.uuid } });
  await ada.say('One more thing');
  await row(page, 'Ada').getByText('One more thing').waitFor();
  await row(page, 'Ada').click();
  const lines = log(page).getByRole('listitem');
  await expect
    .poll(async () => (await lines.allInnerTexts()).map((text) => text.split('\n').at(-1)))
    .toContain('New');
  const texts = await lines.allInnerTexts();
  expect(texts.indexOf('New')).toBe(texts.findIndex((text) => text.endsWith('One more thing')) - 1);
  const bot = page.getByRole('switch', { name: 'A bot answers' });
  const isBot = async () => (await rest('GET', `/api/v1/conversations/${ada.uuid}/`)).json.is_bot_use;
  await bot.check();
  await page.getByText('A bot answers here.').waitFor();
  await expect.poll(isBot).toBe(true);
  await bot.uncheck();
  await expect.poll(isBot).toBe(false);
});

it('notes what colleagues are to know, and says what was done', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Do you deliver?');
  await row(page, 'Ada').click();
  await log(page).getByText('Do you deliver?').waitFor();
  await page.keyboard.press('n');
  await page.keyboard.type('Is it in stock?');
  expect(await page.getByLabel('Note', { exact: true }).inputValue()).toBe('Is it in stock?');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('Note · You').waitFor();
  await page.getByRole('button', { name: 'Answer', exact: true }).click();
  await page.keyboard.type('We do');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('We do').waitFor();
  await expect.poll(ada.heard).toEqual(['We do', 'Do you deliver?']);
  await page.getByRole('button', { name: 'Done' }).click();
  await log(page).getByText('You: done').waitFor();
});

it('tells who else looks and writes, and keeps what was begun', async () => {
  const { page, visit, join, open, signIn } = await startInbox();
  await join('grace', 'operator', 'Grace');
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  const hers = await open(`inbox/all/${ada.uuid}`);
  await signIn(hers, 'grace');
  await page.getByText('Grace is looking at this, too.').waitFor();
  await hers.getByLabel('Answer', { exact: true }).fill('Dear Ada');
  await page.getByText('Grace is writing an answer.').waitFor();
  const kept = hers.waitForResponse(
    (answer) => answer.url().endsWith('/draft/') && answer.request().method() === 'PUT',
  );
  await hers.getByLabel('Answer', { exact: true }).fill('Dear Ada, we');
  await kept;
  const elsewhere = await open(`inbox/all/${ada.uuid}`);
  await signIn(elsewhere, 'grace');
  await expect.poll(() => elsewhere.getByLabel('Answer', { exact: true }).inputValue()).toMatch(/^Dear Ada/);
});

it('keeps an answer that could not be sent, and sends it once', async () => {
  const { page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  let isLost = true;
  await page.route('**/api/v1/messages/', async (route) => {
    if (!isLost) return route.continue();
    // It arrives, and the answer to it does not.
    await route.fetch();
    return route.abort();
  });
  await page.getByLabel('Answer', { exact: true }).fill('Once');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').getByText('Not sent.').waitFor();
  isLost = false;
  await page.getByRole('alert').getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  expect((await ada.heard()).filter((body) => body === 'Once')).toHaveLength(1);
  // While the second try is under way it stands beside what the channel has told.
  await expect.poll(() => log(page).getByText('Once').count()).toBe(1);
});

it('shows an answer once, whether the channel or the request tells of it first', async () => {
  const { page, visit } = await startInbox();
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/v1/messages/', async (route) => {
    const response = await route.fetch();
    await held;
    await route.fulfill({ response });
  });
  await page.getByLabel('Answer', { exact: true }).fill('We deliver');
  await page.keyboard.press('Control+Enter');
  await log(page).getByText('We deliver').waitFor();
  const answers = log(page).getByText('We deliver');
  await log(page).getByText('Sending').waitFor({ state: 'detached' });
  expect(await answers.count()).toBe(1);
  answer();
  await row(page, 'Ada').getByText('We deliver').waitFor();
  expect(await answers.count()).toBe(1);
});

it('leads to the lead, and to what the same address has said elsewhere', async () => {
  const { page, visit, rest, url } = await startInbox({ viewport: { width: 1_440, height: 900 } });
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;
  const leave = async (email: string, body: string) => {
    const opened = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, { method: 'POST' });
    const { token, room } = (await opened.json()) as { token: string; room: { uuid: string } };
    const headers = { Authorization: `Visitor ${token}`, 'Content-Type': 'application/json' };
    const post = (path: string, sent: object) =>
      fetch(`${url}/api/v1/${path}/`, { method: 'POST', headers, body: JSON.stringify(sent) });
    const said = await post('messages', { body, room: { uuid: room.uuid } });
    const left = await post('leads', { nickname: 'Ada', email });
    expect([said.status, left.status]).toEqual([201, 201]);
  };
  await leave('Ada@example.com', 'The first time');
  await leave('ada@example.com', 'The second time');
  await leave('ada@example.com.example', 'Somebody else');
  await visit('Bob', 'No address');
  await page.getByRole('link').filter({ hasText: 'The second time' }).first().click();
  const about = page.getByRole('complementary', { name: 'About this visitor' });
  const others = about.getByRole('list').getByRole('link');
  await others.first().waitFor();
  expect(await others.allInnerTexts()).toEqual([expect.stringContaining('The first time')]);
  await about.getByRole('link', { name: 'The lead' }).waitFor();
  await others.first().click();
  await log(page).getByText('The first time').waitFor();
});

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
  await expect
    .poll(
      async () => {
        await log(page).evaluate((element) => element.scrollTo({ top: 0 }));
        return log(page).getByText('The very first').count();
      },
      { timeout: 30_000 },
    )
    .toBe(1);
  const said = await log(page)
    .getByText(/^Answer \d+$/)
    .allInnerTexts();
  expect(new Set(said).size).toBe(440);
  expect(said).toHaveLength(440);
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

it('shows nobody else what a member began to write', async () => {
  const { page, visit, join, signIn } = await startInbox();
  await join('grace', 'operator', 'Grace');
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Between us');
  await page.context().clearCookies();
  await page.reload();
  await signIn(page, 'grace');
  await log(page).getByText('Hello').waitFor();
  expect(await page.getByLabel('Answer', { exact: true }).inputValue()).toBe('');
});

it('shows what visitors write as text, everywhere', async () => {
  const { page, visit } = await startInbox();
  const nasty = '<img src=x onerror=alert(1)>';
  await visit(nasty, `${nasty} javascript:alert(1) https://a.example/"onmouseover="alert(1)`);
  await row(page, nasty).click();
  await log(page).getByText(`${nasty} javascript:alert(1)`).waitFor();
  expect(await page.locator('img').count()).toBe(0);
  for (const href of await log(page)
    .locator('a')
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href))) {
    expect(href).toMatch(/^https:\/\/a\.example\//);
  }
});

it.each([
  ['light', 1_440],
  ['dark', 1_440],
  ['light', 1_024],
  ['light', 360],
  ['dark', 360],
] as const)('breaks no rule of axe in %s at %i px', async (colorScheme, width) => {
  const { page, visit } = await startInbox({ colorScheme, viewport: { width, height: 800 } });
  const ada = await visit('Ada', 'Do you deliver on Sundays?');
  await visit('Bob', 'My lamp came broken, see https://shop.example.com/orders/1815');
  await row(page, 'Bob').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Hello Ada, we do.');
  await page.keyboard.press('Control+Enter');
  await ada.say('Great, thanks');
  await log(page).getByText('Great, thanks').waitFor();
  await page.getByRole('button', { name: 'Snooze' }).click();
  expect(await axeFaults(page)).toEqual([]);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
});
