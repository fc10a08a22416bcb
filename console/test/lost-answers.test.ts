import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** What is made where the answer was lost, and whoever waits tries again as the page says. */

const openBrowser = useBrowser();
const server = useServer();

const start = async (path: string) => {
  const console = await startConsole(openBrowser, {}, server());
  const page = await console.open(path);
  await console.signIn(page);
  const dialog = page.getByRole('dialog');
  return { ...console, page, dialog, send: dialog.locator('button[type=submit]') };
};

/** Loses the answer to the next POST, which the server has answered. */
const loseAnswer = async (page: Page, address: string): Promise<void> => {
  let isFirst = true;
  await page.route(address, async (route) => {
    if (!isFirst || route.request().method() !== 'POST') return route.fallback();
    isFirst = false;
    expect((await route.fetch()).ok()).toBe(true);
    await route.abort();
  });
};

const KEPT = 'Your input is kept';

it('makes a widget once', async () => {
  const { page, dialog, send, rest } = await start('widgets');
  await loseAnswer(page, '**/api/v1/widgets/');
  await page.getByRole('button', { name: 'Add a widget' }).click();
  await dialog.getByLabel('Name').fill('Shop two');
  await send.click();
  await dialog.getByText(KEPT).waitFor();
  await send.click();
  await page.waitForURL(/\/widgets\/[\da-f-]{36}/);
  const { json } = await rest('GET', '/api/v1/widgets/');
  expect(json.filter(({ name }: { name: string }) => name === 'Shop two')).toHaveLength(1);
});

it('shows the token of a program that was made, and makes no second one', async () => {
  const { page, dialog, send } = await start('settings/tokens');
  await loseAnswer(page, '**/api/v1/tokens/');
  await page.getByRole('button', { name: 'New token' }).click();
  await dialog.getByLabel('Name').fill('backup');
  await dialog.getByRole('radio', { name: 'Read', exact: true }).first().check();
  await send.click();
  await dialog.getByText(KEPT).waitFor();
  await send.click();
  await send.waitFor({ state: 'detached' });
  const names = () =>
    page.evaluate(async () =>
      (await (await fetch('/api/v1/tokens/')).json()).map((one: { name: string }) => one.name),
    );
  expect(await names()).toEqual(['backup']);
});

it('goes on with a webhook, a saved reply, an invitation and a keyword that are there already', async () => {
  const { page, dialog, send, rest, url, emailOf } = await start('webhooks');
  await loseAnswer(page, '**/api/v1/webhooks/');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await dialog.getByLabel('Address').fill('https://example.com/hook');
  await dialog.getByRole('checkbox').first().check();
  await send.click();
  await dialog.getByText(KEPT).waitFor();
  await send.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rest('GET', '/api/v1/webhooks/')).json).toHaveLength(1);

  await page.goto(`${url}/console/settings/replies`);
  await loseAnswer(page, '**/api/v1/replies/');
  await page.getByRole('button', { name: 'New reply' }).click();
  await dialog.getByLabel('Name').fill('Hours');
  await dialog.getByLabel('Shortcut').fill('hours');
  await dialog.getByLabel('Text').fill('We open at 9.');
  await send.click();
  await dialog.getByText(KEPT).waitFor();
  await send.click();
  await dialog.waitFor({ state: 'detached' });
  expect((await rest('GET', '/api/v1/replies/')).json).toHaveLength(1);

  await page.goto(`${url}/console/settings/team`);
  await loseAnswer(page, '**/api/v1/members/');
  await page.getByRole('button', { name: 'Invite' }).click();
  await dialog.getByLabel('E-mail').fill(emailOf('carol'));
  await send.click();
  await dialog.getByText(KEPT).waitFor();
  const invited = async () =>
    (await rest('GET', '/api/v1/members/')).json.find(
      ({ email }: { email: string }) => email === emailOf('carol'),
    );
  const { uuid } = await invited();
  await send.click();
  await send.waitFor({ state: 'detached' });
  expect((await invited()).uuid).toBe(uuid);

  await page.goto(`${url}/console/keywords`);
  await loseAnswer(page, '**/api/v1/keywords/');
  const keyword = page.getByLabel('New keyword');
  await keyword.fill('refund');
  await keyword.press('Enter');
  await page.getByText(KEPT).waitFor();
  await keyword.press('Enter');
  await page.getByRole('button', { name: /refund/ }).waitFor();
  expect(await page.getByText(KEPT).count()).toBe(0);
});

/** What a page asks for by a POST of its own, by the files of the console: `workflows/{}/test/`. */
const posts = (): [file: string, path: string][] => {
  const folder = new URL('../src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) =>
    /\.tsx?$/.test(one),
  );
  return files.flatMap((file) =>
    Array.from(
      readFileSync(new URL(file, folder), 'utf8').matchAll(/\bask\w*(?:<[^(]*>)?\(\s*'POST',\s*([^,)]+)/g),
      ([, path = '']): [string, string] => [
        file,
        path.replace(/\$\{[^}]*\}/g, '{}').replace(/^['"`]|['"`]$/g, ''),
      ],
    ),
  );
};

it('makes whatever it makes under a key', async () => {
  const { paths } = (await (await fetch(`${server().url}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, { post?: { responses: object; parameters?: { name?: string }[] } }>;
  };
  const made = Object.entries(paths).flatMap(([path, { post }]) =>
    post && '201' in post.responses && JSON.stringify(post.parameters ?? []).includes('Idempotency')
      ? [path.replace('/api/v1/', '').replace(/\{[^}]*\}/g, '{}')]
      : [],
  );
  expect(made).toContain('widgets/');
  // Both have a way of their own, by which what was sent goes on after a reload.
  const ways = ['api/create.ts', 'inbox/outbox.ts'];
  const others = posts().filter(([file]) => !ways.includes(file));
  expect(others.length).toBeGreaterThan(3);
  expect(others.filter(([, path]) => made.includes(path) || !path.includes('/'))).toEqual([]);
});
