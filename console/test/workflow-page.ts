import type { Page } from 'playwright-core';
import type { ServerProcess } from '../../server/test/server-process.ts';
import type { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';

/** The studio of workflows, as tests of the console use it. */

/** A node of the graph. */
export const step = (page: Page, name: string) => page.locator(`g[data-node=${JSON.stringify(name)}]`);
export const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
export const field = (page: Page, name: string) => page.getByLabel(name, { exact: true });
export const said = (page: Page, text: string) => page.getByRole('log').getByText(text);
export const toast = (page: Page, text: string) => page.getByRole('status').getByText(text, { exact: true });

/** All that was written is on the server. */
export const isSaved = (page: Page): Promise<void> =>
  page.getByText('Not saved').waitFor({ state: 'hidden' });

export const save = async (page: Page): Promise<void> => {
  await page.getByText('Not saved').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await isSaved(page);
};

/** An owner in the studio of a workflow that was made by the API. */
export const startStudio = async (
  openBrowser: ReturnType<typeof useBrowser>,
  server: ServerProcess,
  nodes: readonly object[],
) => {
  const { rest, url, open, signIn } = await startConsole(openBrowser, {}, server);
  const { uuid } = (await rest('POST', '/api/v1/workflows/', { name: 'Orders', nodes })).json;
  const page = await open(`workflows/${uuid}`, {
    viewport: { width: 1_440, height: 900 },
    reducedMotion: 'reduce',
  });
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
  const path = `/api/v1/workflows/${uuid}/`;
  return { rest, url, page, path, stored: async () => (await rest('GET', path)).json };
};
