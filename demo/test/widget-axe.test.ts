import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const openBrowser = useBrowser();

/** What axe finds, all rules on, as lines that say where. */
const faults = async (page: Page): Promise<string[]> => {
  // What is still moving in is half transparent.
  await page.waitForTimeout(500);
  await page.evaluate(AXE);
  return page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(document);
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target }) => `${id}: ${target.flat().join(' ')}`),
    );
  });
};

it.each(['light', 'dark'] as const)('axe finds nothing in any state (%s)', async (colorScheme) => {
  const server = await startServerProcess(await serverSettings());
  const { rest, widget } = await owner(server.url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, {
    is_ask_name: true,
    is_ask_email: true,
    popup_timeout: 1,
  });
  const browser = await openBrowser({ colorScheme, bypassCSP: true, reducedMotion: 'reduce' });
  const { page, launcher, dialog, say, message } = await visit(
    browser,
    await customerPage(server.url, widget),
  );
  const found: Record<string, string[]> = {};
  const look = async (state: string) => {
    found[state] = await faults(page);
  };

  await launcher.waitFor();
  await look('closed');
  await page.locator('parlor-widget').getByRole('status').waitFor();
  await look('teaser');
  await launcher.click();
  await dialog.getByRole('textbox', { name: 'Your name' }).waitFor();
  await look('form');
  await dialog.getByRole('button', { name: 'Start the chat' }).click();
  await look('form with faults');
  await dialog.getByRole('textbox', { name: 'Your name' }).fill('Robin');
  await dialog.getByRole('textbox', { name: 'Your e-mail address' }).fill('robin@example.com');
  await dialog.getByRole('button', { name: 'Start the chat' }).click();
  await look('nothing said yet');
  await say('good morning https://example.com/');
  await message('good morning').getByText('Sent').waitFor();
  await look('conversation');
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  const answer = {
    room: { uuid: rooms[0].uuid },
    body: 'an answer',
    nickname: 'Ada',
    is_support_sender: true,
  };
  await rest('POST', '/api/v1/messages/', answer);
  await message('an answer').waitFor();
  await look('answered');
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Rate this conversation' }).waitFor();
  await look('menu');
  await dialog.getByRole('button', { name: 'Rate this conversation' }).click();
  await look('stars');
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Menu' }).click();
  await dialog.getByRole('button', { name: 'Delete my data' }).click();
  await look('erasure');
  await page.keyboard.press('Escape');
  await page.context().setOffline(true);
  await say('written offline');
  await dialog.getByText('You are offline').waitFor();
  await look('offline');
  await page.context().setOffline(false);
  await message('written offline').getByText('Sent').waitFor();
  await page.route('**/api/v1/messages/', (route) =>
    route.fulfill({ status: 400, json: { body: ['Please be kind.'] } }),
  );
  await say('refused');
  await message('refused').getByText('Failed').waitFor();
  await look('refused');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await rest('POST', '/api/v1/messages/', { ...answer, body: 'while closed' });
  await expect.poll(() => page.title(), PATIENT).toBe('(1) A customer');
  await look('unread');

  expect(found).toEqual(Object.fromEntries(Object.keys(found).map((state) => [state, []])));
});
