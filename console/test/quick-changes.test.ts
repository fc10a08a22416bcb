import type { Page, Request, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { holdAnswer } from './hold-answer.ts';
import { log, row, startInbox as start } from './inbox-page.ts';

/** What is done to a conversation before the server has answered what was done before. */

const openBrowser = useBrowser();
const server = useServer();

/** Holds back changes of conversations, or of what is begun to be written in them, on their way to the server. */
const holdChanges = async (page: Page, path = /\/api\/v1\/conversations\/[^/]+\/$/) => {
  const held: Route[] = [];
  const asked: Request[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH' || request.url().endsWith('/bulk/')) asked.push(request);
  });
  await page.route(path, async (route) => {
    if (route.request().method() === 'GET') return route.continue();
    held.push(route);
  });
  /** Lets the last one that is held go first. */
  const release = async () => {
    for (const route of held.splice(0).reverse()) {
      await route.continue();
      await (await route.request().response())?.finished();
    }
  };
  /** And what is asked for then. */
  const releaseAll = async () => {
    await expect.poll(() => held.length).toBeGreaterThan(0);
    while (held.length > 0) {
      await release();
      await page.waitForTimeout(200);
    }
  };
  return { asked, held, release, releaseAll };
};

it('has the conversation in the end as it was set last', async () => {
  const { page, visit, rest } = await start(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const changes = await holdChanges(page);
  const status = async () => (await rest('GET', `/api/v1/conversations/${uuid}/`)).json.status;
  await page.getByRole('button', { name: 'Done', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Open again' }).press('Enter');
  await page.getByRole('button', { name: 'Done', exact: true }).waitFor();
  await changes.releaseAll();
  await expect.poll(() => changes.asked.length).toBe(2);
  await expect.poll(status).toBe('open');
  await row(page, 'Ada').waitFor();

  // Among many, and then by itself.
  await page.getByRole('button', { name: 'Select several' }).press('Enter');
  await page.getByRole('checkbox', { name: 'Select Ada' }).check();
  await page.getByRole('toolbar').getByRole('button', { name: 'Done' }).press('Enter');
  await page.getByRole('button', { name: 'Open again' }).press('Enter');
  await page.getByRole('button', { name: 'Done', exact: true }).waitFor();
  await changes.releaseAll();
  await expect.poll(() => changes.asked.length).toBe(4);
  await expect.poll(status).toBe('open');
  await row(page, 'Ada').waitFor();
});

it('has it as a colleague has set it since, where the answer to one’s own change comes late', async () => {
  const { page, visit, rest } = await start(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const path = `/api/v1/conversations/${uuid}/`;
  const finishing = await holdAnswer(page, `**${path}`, 'PATCH');
  await page.getByRole('button', { name: 'Done', exact: true }).press('Enter');
  await finishing.given;
  await rest('PATCH', path, { status: 'open' });
  await rest('PATCH', path, { tags: ['urgent'] });
  // The conversation shows it as it is told.
  await page.getByText('urgent').first().waitFor();
  await finishing.release();
  await row(page, 'Ada').waitFor();
  await page.getByRole('button', { name: 'Done', exact: true }).waitFor();
});

it('keeps no draft of what was sent before the draft had arrived', async () => {
  const { page, visit } = await start(openBrowser, {}, server());
  const { uuid, heard } = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const changes = await holdChanges(page, /\/draft\/$/);
  await page.getByLabel('Answer', { exact: true }).fill('Good day');
  await expect.poll(() => changes.held.length).toBe(1);
  await page.keyboard.press('Control+Enter');
  await expect.poll(heard).toContain('Good day');
  await changes.releaseAll();
  // Her own, as another of her browsers is given it.
  const draft = () =>
    page.evaluate(
      async (path) => (await (await fetch(path)).json()).body,
      `/api/v1/conversations/${uuid}/draft/`,
    );
  await expect.poll(draft).toBe('');
});

it('sends what waits when the page is left', async () => {
  const { page, visit, rest } = await start(openBrowser, {}, server());
  const { uuid } = await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const changes = await holdChanges(page);
  await page.getByRole('button', { name: 'Assign' }).first().press('Enter');
  await page.getByRole('menuitemradio').first().press('Enter');
  await page.getByRole('button', { name: 'Done', exact: true }).press('Enter');
  await page.getByRole('button', { name: 'Open again' }).waitFor();
  await expect.poll(() => changes.held.length).toBe(1);
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pagehide')));
  await expect.poll(() => changes.held.length).toBe(2);
  await changes.release();
  const shown = async () => (await rest('GET', `/api/v1/conversations/${uuid}/`)).json;
  await expect.poll(shown).toMatchObject({ status: 'done', assignee: expect.any(String) });
});

it('keeps what was typed last when the page is hidden, whatever is on its way', async () => {
  const { page, visit } = await start(openBrowser, {}, server());
  await visit('Ada', 'Hello');
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const changes = await holdChanges(page, /\/draft\/$/);
  const answer = page.getByLabel('Answer', { exact: true });
  await answer.fill('Good');
  await expect.poll(() => changes.held.length).toBe(1);
  await answer.fill('Good day');
  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden' });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  // Not when the one before has been given up.
  await expect.poll(() => changes.held.length, { timeout: 10_000 }).toBe(2);
  expect(changes.held[1]?.request().postData()).toContain('Good day');
});
