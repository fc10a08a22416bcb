import { expect, it } from 'vitest';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { log, row, startInbox } from './inbox-page.ts';

/** One member who writes in two tabs. */

const openBrowser = useBrowser();
const server = useServer();

const startTabs = async () => {
  const inbox = await startInbox(openBrowser, {}, server());
  const { page, visit } = inbox;
  const ada = await visit('Ada', 'Hello');
  await visit('Bob', 'Good day');
  await row(page, 'Bob').waitFor();
  await row(page, 'Ada').click();
  await log(page).getByText('Hello').waitFor();
  const field = (tab = page, kind = 'Answer') => tab.getByLabel(kind, { exact: true });
  /** Writes it in the first tab, and opens a second one once the server has it. */
  const begin = async (text: string, kind = 'Answer') => {
    const isKept = page.waitForResponse(
      (answer) => answer.request().method() === 'PUT' && (answer.request().postData() ?? '').includes(text),
    );
    await page.getByRole('button', { name: kind, exact: true }).click();
    await field(page, kind).fill(text);
    await isKept;
    return openTab(text, kind);
  };
  /** Another tab, once it has what was begun. */
  const openTab = async (text: string, kind = 'Answer') => {
    const tab = await page.context().newPage();
    await tab.goto(page.url());
    await expect.poll(() => field(tab, kind).inputValue()).toBe(text);
    return tab;
  };
  return { ...inbox, ada, field, begin, openTab };
};

it.each(['Answer', 'Note'])(
  'empties the field of a tab whose words another one has sent: %s',
  async (kind) => {
    const { page, field, begin, openTab } = await startTabs();
    const tab = await begin('Once only', kind);
    const away = await openTab('Once only', kind);
    // Kept in that tab as it goes on, too.
    await field(away, kind).press('End');
    await field(away, kind).pressSequentially('!');
    await field(away, kind).press('Backspace');
    await row(away, 'Bob').click();
    await log(away).getByText('Good day').waitFor();
    await field(page, kind).press('Control+Enter');
    await log(page).getByText('Once only').waitFor();
    await expect.poll(() => field(tab, kind).inputValue()).toBe('');
    expect(await log(tab).getByText('Once only').count()).toBe(1);
    await row(away, 'Ada').click();
    await log(away).getByText('Once only').waitFor();
    expect(await away.locator('#answer').inputValue()).toBe('');
  },
);

it('leaves what was written on in a tab, and what a tab has begun anew', async () => {
  const { page, field, begin, ada } = await startTabs();
  const tab = await begin('Once only');
  await field(tab).fill('Once only, and more');
  await field(page).press('Control+Enter');
  await field(page).fill('Once only');
  await log(tab).getByText('Once only').waitFor();
  await ada.say('The last one');
  for (const one of [page, tab]) await log(one).getByText('The last one').waitFor();
  expect(await field(tab).inputValue()).toBe('Once only, and more');
  expect(await field(page).inputValue()).toBe('Once only');
});
