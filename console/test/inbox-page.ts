import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ServerProcess } from '../../server/test/server-process.ts';
import type { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

type Console = Awaited<ReturnType<typeof startConsole>>;

/** Visitors of the account's first widget. */
export const startVisits = async ({ rest, url }: Pick<Console, 'rest' | 'url'>) => {
  const [{ token: widget }] = (await rest('GET', '/api/v1/widgets/')).json;

  /** A visitor who has begun a conversation. */
  const visit = async (name: string, body: string) => {
    const opened = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ page: { url: 'https://shop.example.com/lamps', title: 'Lamps' }, locale: 'de' }),
    });
    const { token, room } = (await opened.json()) as { token: string; room: { uuid: string } };
    const say = async (text: string) => {
      const answer = await fetch(`${url}/api/v1/messages/`, {
        method: 'POST',
        headers: { Authorization: `Visitor ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ body: text, nickname: name, room: { uuid: room.uuid } }),
      });
      expect(answer.status).toBe(201);
    };
    const heard = async (): Promise<string[]> => {
      const { json } = await rest('GET', `/api/v1/messages/?room=${room.uuid}`);
      return json.map(({ body }: { body: string }) => body);
    };
    await say(body);
    return { uuid: room.uuid as string, say, heard };
  };
  return visit;
};

/** An owner in the inbox, and visitors who write. */
export const startInbox = async (
  openBrowser: ReturnType<typeof useBrowser>,
  options: BrowserContextOptions = {},
  server?: ServerProcess,
) => {
  const console = await startConsole(openBrowser, {}, server);
  const visit = await startVisits(console);
  const page = await console.open('', options);
  await console.signIn(page);
  await page.getByRole('heading', { level: 1, name: 'All' }).waitFor();
  return { ...console, page, visit };
};

/** The row of a visitor in the list. */
export const row = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByText(name, { exact: true }) })
    .getByRole('link');
/** What is said in the conversation that is open. */
export const log = (page: Page) => page.getByRole('log');
