import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { AGENT_CODE, CODE_LANGUAGES, type CodeLanguage } from '../src/workflows/agent-code.ts';
import { field, isSaved, save, startStudio, step, tab, toast } from './workflow-page.ts';

/** A workflow that is there: what colleagues make of it, its versions, its key, and its keys. */

const openBrowser = useBrowser();
const server = useServer();

const HANDOFF = { id: 'Hand over', type: 'handoff', text: 'A colleague will be with you in a moment.' };
const NODES = [
  { id: 'Start', type: 'start', greeting: 'Hello! What can we do for you?', next: 'Hand over' },
  HANDOFF,
];

/** How the code of each language is run. */
const RUNS: Record<CodeLanguage, [command: string, ...before: string[]]> = {
  curl: ['sh', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
  Python: ['python3', '-c'],
};

it('overwrites nothing that a colleague has saved meanwhile, and puts both together', async () => {
  const { rest, page, path, stored } = await startStudio(openBrowser, server(), [
    { id: 'Start', type: 'start', greeting: 'Hi!', next: 'Message' },
    { id: 'Message', type: 'message', text: 'Blue is sold out.', next: null },
  ]);
  await step(page, 'Message').click();
  await field(page, 'Text').fill('Sold out.');
  const theirs = async (greeting: string) => {
    const { nodes } = await stored();
    await rest('PATCH', path, {
      nodes: [{ ...nodes[0], greeting }, ...nodes.slice(1)],
    });
  };
  await theirs('Theirs');
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('region', { name: 'A colleague has saved' });
  await conflict
    .getByRole('row', { name: 'Start as before Greeting: Hi! changed Greeting: Theirs' })
    .waitFor();
  await conflict
    .getByRole('row', { name: 'Message changed Text: Sold out. as before Text: Blue is sold out' })
    .waitFor();
  expect((await stored()).nodes[0].greeting).toBe('Theirs');
  await page.getByRole('button', { name: 'Put both together' }).click();
  await save(page);
  const texts = async () => {
    const { nodes } = await stored();
    return [nodes[0].greeting, nodes.find(({ id }: { id: string }) => id === 'Message').text];
  };
  expect(await texts()).toEqual(['Theirs', 'Sold out.']);
  await step(page, 'Start').click();
  await field(page, 'Greeting').fill('Mine');
  await theirs('Theirs again');
  await page.getByRole('button', { name: 'Save' }).click();
  await conflict.getByText('changed by both').waitFor();
  expect(await page.getByRole('button', { name: 'Put both together' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Take theirs' }).click();
  expect(await field(page, 'Greeting').inputValue()).toBe('Theirs again');
  await page.getByRole('button', { name: 'Undo' }).click();
  await theirs('Once more theirs');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Save mine as it is' }).click();
  await isSaved(page);
  expect(await texts()).toEqual(['Mine', 'Sold out.']);
});

it('brings an earlier version back', async () => {
  const { rest, page, path, stored } = await startStudio(openBrowser, server(), NODES);
  const message = { id: 'Message', type: 'message', text: 'Hi', next: 'Hand over' };
  const [start] = NODES;
  await rest('PATCH', path, { nodes: [{ ...start, next: 'Message' }, message, HANDOFF] });
  await page.reload();
  await step(page, 'Message').waitFor();
  await tab(page, 'Versions').click();
  const versions = page.getByRole('tabpanel', { name: 'Versions' }).getByRole('listitem');
  await expect.poll(() => versions.count(), PATIENCE).toBe(2);
  await versions.last().getByRole('button').click();
  await page.getByText('Differs from yours in').waitFor();
  expect(await page.locator('g[data-node]').count()).toBe(2);
  await page.getByRole('button', { name: 'Bring it back' }).click();
  await toast(page, 'Brought back. Save to keep it.').waitFor();
  await save(page);
  expect((await stored()).nodes).toHaveLength(2);
  await expect.poll(() => versions.first().innerText(), PATIENCE).toContain('Now');
});

it('publishes it with a key that programs use as it is shown, until there is another', async () => {
  const { url, page, stored } = await startStudio(openBrowser, server(), NODES);
  await page.getByRole('button', { name: 'Publish' }).click();
  await toast(page, 'Published. It answers from now on.').waitFor();
  await tab(page, 'Settings').click();
  expect(await page.getByRole('switch', { name: 'Answers in the widget' }).isChecked()).toBe(true);
  const { public_key: key } = await stored();
  for (const language of CODE_LANGUAGES) {
    await field(page, 'Language').selectOption(language);
    const code = AGENT_CODE[language]({ base: url, key });
    const shown = page.getByRole('tabpanel', { name: 'Settings' }).locator('pre').last();
    expect(await shown.textContent()).toBe(code);
    const [command, ...before] = RUNS[language];
    const { stdout } = await promisify(execFile)(command, [...before, code]);
    expect([language, stdout]).toEqual([language, expect.stringContaining('Hello! What can we do for you?')]);
    expect(stdout).toContain('handoff');
  }
  await page.getByRole('button', { name: 'Make another key' }).click();
  await page.getByRole('dialog').getByText('stops working at once').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Make another key' }).click();
  await page.getByText('This is the new key.').waitFor();
  const after = await stored();
  expect(after.public_key).not.toBe(key);
  await page.getByText(after.public_key, { exact: true }).waitFor();
  const start = (with_: string) =>
    fetch(`${url}/api/v1/public/conversations/start`, { method: 'POST', headers: { 'X-API-Key': with_ } });
  expect([(await start(key)).status, (await start(after.public_key)).status]).toEqual([401, 200]);
});

it('goes by keys alone from step to step, into the form, saves, deletes and takes back', async () => {
  const { page, stored } = await startStudio(openBrowser, server(), NODES);
  await step(page, 'Start').focus();
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => step(page, 'Hand over').getAttribute('aria-pressed'), PATIENCE).toBe('true');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.getAttribute('name')), PATIENCE)
    .toBe('id');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('By keys.');
  await page.keyboard.press('Control+s');
  await isSaved(page);
  expect((await stored()).nodes[1].text).toBe('By keys.');
  await tab(page, 'List').click();
  await page.getByRole('button', { name: 'Hand over By keys. Hand over' }).focus();
  await page.keyboard.press('Delete');
  await toast(page, 'Hand over deleted.').waitFor();
  await page.keyboard.press('Control+z');
  await page.getByRole('button', { name: 'Hand over By keys. Hand over' }).waitFor();
  await isSaved(page);

  await page.getByRole('link', { name: 'All workflows' }).click();
  // Until the list is there, a step of the workflow is what is deleted by such a button.
  await page.getByRole('button', { name: /^Delete ?: Orders$/ }).click();
  await toast(page, 'Workflow deleted.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'Orders' }).waitFor();
});
