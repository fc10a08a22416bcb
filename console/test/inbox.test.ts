import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';
import { log, row, startInbox as start, startVisits } from './inbox-page.ts';

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
  // What was typed comes before a tag that has it in it, and is set.
  for (const typed of ['no refund', 'refund']) {
    await page.keyboard.press('t');
    await page.getByLabel('Add a tag').fill(typed);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: new RegExp(`^${typed}`) }).waitFor();
  }
  await page.keyboard.press('t');
  await page.getByLabel('Add a tag').fill('refund');
  await page.getByRole('menuitemradio', { name: 'no refund' }).waitFor();
  expect(await page.getByRole('menuitemradio').allTextContents()).toEqual(['refund', 'no refund']);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: /^delivery/ }).click();
  await row(page, 'Ada').getByText('Grace').waitFor();
});

it('writes to the address of a visitor, and to nobody whom that names besides', async () => {
  const { page, visit, rest } = await startInbox({ viewport: { width: 1_440, height: 900 } });
  const ada = await visit('Ada', 'Hello');
  const email = 'ada?bcc=eve&body=x@example.com';
  const message = { body: 'And this', nickname: 'Ada', email, room: { uuid: ada.uuid } };
  expect((await rest('POST', '/api/v1/messages/', message)).status).toBe(201);
  await row(page, 'Ada').click();
  const link = page.getByRole('link', { name: email });
  expect(await link.getAttribute('href')).toBe('mailto:ada%3Fbcc%3Deve%26body%3Dx@example.com');
});

it('says what is new to whoever comes by its address, before it counts as read', async () => {
  const { url, page, visit } = await startInbox();
  const ada = await visit('Ada', 'Hello');
  await page.route('**/api/v1/conversations/**', async (route) => {
    if (route.request().method() === 'GET') await sleep(500);
    await route.continue();
  });
  await page.goto(`${url}/console/inbox/all/${ada.uuid}`);
  await log(page).getByText('New', { exact: true }).waitFor();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
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

it('breaks no rule of axe, in both schemes, from 360 to 1440 pixels', async () => {
  const { page, visit } = await startInbox();
  const list = page.url();
  const ada = await visit('Ada', 'Do you deliver on Sundays?');
  await visit('Bob', 'My lamp came broken, see https://shop.example.com/orders/1815');
  await row(page, 'Ada').click();
  await page.getByLabel('Answer', { exact: true }).fill('Hello Ada, we do.');
  await page.keyboard.press('Control+Enter');
  await ada.say('Great, thanks');
  await log(page).getByText('Great, thanks').waitFor();
  for (const [colorScheme, width] of [
    ['light', 1_440],
    ['dark', 1_440],
    ['light', 1_024],
    ['light', 360],
    ['dark', 360],
  ] as const) {
    const where = `${colorScheme}, ${width}`;
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.goto(list);
    await row(page, 'Bob').waitFor();
    expect(await axeFaults(page), `the list, ${where}`).toEqual([]);
    await row(page, 'Ada').click();
    await log(page).getByText('Great, thanks').waitFor();
    await page.getByRole('button', { name: 'Snooze' }).click();
    expect(await axeFaults(page), `a conversation, ${where}`).toEqual([]);
    expect(await page.evaluate(() => document.documentElement.scrollWidth), where).toBeLessThanOrEqual(width);
  }
});

it('has room for a conversation on a small phone, in German, also of one that is put off', async () => {
  const console = await startConsole(openBrowser, {}, server());
  const name = `Grace ${'Hopper'.repeat(12)}`;
  const { uuid } = await (await startVisits(console))(name, 'Liefern Sie sonntags?');
  const phone = { viewport: { width: 320, height: 568 }, locale: 'de', hasTouch: true, isMobile: true };
  const page = await console.open(`inbox/all/${uuid}`, {
    ...phone,
    bypassCSP: true,
    reducedMotion: 'reduce',
  });
  await page.getByLabel('Benutzername').fill(console.username);
  await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await log(page).getByText('Liefern Sie sonntags?').waitFor();
  const check = async () => {
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(320);
    const buttons = await page
      .locator('header button:visible')
      .evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect()).map(({ left, right }) => left >= 0 && right <= 320),
      );
    expect(buttons.length).toBeGreaterThanOrEqual(4);
    expect(new Set(buttons)).toEqual(new Set([true]));
    expect(await axeFaults(page)).toEqual([]);
  };
  await check();
  const until = { snoozed_until: new Date(Date.now() + 86_400_000).toISOString(), status: 'snoozed' };
  expect((await console.rest('PATCH', `/api/v1/conversations/${uuid}/`, until)).status).toBe(200);
  await page.getByRole('button', { name: 'Wieder öffnen' }).waitFor();
  await check();
});
