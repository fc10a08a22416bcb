import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { startConsole } from './console-page.ts';
import { holdAnswer } from './hold-answer.ts';

/** Answers that come late, of a widget, a workflow and a webhook that two change at once. */

const openBrowser = useBrowser();

/** Somebody comes back to the page. */
const comeBack = (page: Page) =>
  page.evaluate(() => {
    document.dispatchEvent(new Event('visibilitychange'));
  });

it('shows nothing older than what it has shown, and takes nobody’s changes for one’s own', async () => {
  const { rest, open, signIn } = await startConsole(openBrowser);
  const [widget] = (await rest('GET', '/api/v1/widgets/')).json;
  const page = await open(`widgets/${widget.uuid}?section=texts`);
  await signIn(page);
  const field = (name: string) => page.getByLabel(name, { exact: true });
  const save = page.getByRole('button', { name: 'Save' });

  // The widget is saved and then changed by a colleague, before the page has its answer.
  const path = `/api/v1/widgets/${widget.token}/`;
  const saving = await holdAnswer(page, `**${path}`, 'PATCH');
  await field('Title').fill('Mine');
  await save.click();
  await saving.given;
  await field('Line under the title').fill('More of mine');
  await rest('PATCH', path, { greeting_message: 'Theirs' });
  await comeBack(page);
  await page.evaluate(async () => (await fetch('/api/v1/widgets/')).text());
  await saving.release();
  await expect.poll(() => field('Greeting').inputValue(), PATIENCE).toBe('Theirs');
  await page.getByText('Not saved yet').waitFor();
  await rest('PATCH', path, { greeting_message: 'Theirs again' });
  await save.click();
  await page.getByText('Not saved yet').waitFor({ state: 'detached' });
  expect((await rest('GET', path)).json).toMatchObject({
    header_title: 'Mine',
    header_subtitle: 'More of mine',
    greeting_message: 'Theirs again',
  });

  // Of the workflow an answer comes when what it says has been merged and saved long since.
  const nodes = [{ id: 'Start', type: 'start', greeting: 'Hi', next: null }];
  const { uuid } = (await rest('POST', '/api/v1/workflows/', { name: 'Orders', nodes })).json;
  const workflow = `/api/v1/workflows/${uuid}/`;
  await page.goto(page.url().replace(/widgets.*/, `workflows/${uuid}`));
  await field('Greeting').fill('Mine');
  await rest('PATCH', workflow, { name: 'Theirs' });
  const looking = await holdAnswer(page, `**${workflow}`, 'GET');
  await comeBack(page);
  await looking.given;
  await save.click();
  await page.getByRole('button', { name: 'Put both together' }).click();
  await save.click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await looking.release();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  expect(await field('Greeting').inputValue()).toBe('Mine');
  expect((await rest('GET', workflow)).json).toMatchObject({ name: 'Theirs', nodes: [{ greeting: 'Mine' }] });

  // A new key takes no colleague's name for the one that this page was written over.
  await field('Greeting').fill('More of mine');
  await rest('PATCH', workflow, { name: 'Renamed' });
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('button', { name: 'Make another key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Make another key' }).click();
  await page.getByText('This is the new key.').waitFor();
  await save.click();
  await page.getByRole('button', { name: 'Put both together' }).click();
  expect((await rest('GET', workflow)).json.name).toBe('Renamed');

  // Of a webhook the first answer comes when the second one has been changed and saved long since.
  const target = 'https://hooks.example.com/parlor';
  const webhook = (await rest('POST', '/api/v1/webhooks/', { event: 'lead.added', target })).json;
  const ofWebhook = `/api/v1/webhooks/${webhook.uuid}/`;
  await page.route(`**${ofWebhook}`, (route) => route.abort(), { times: 1 });
  await page.goto(page.url().replace(/workflows.*/, `webhooks/${webhook.uuid}`));
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  const reading = await holdAnswer(page, `**${ofWebhook}`, 'GET');
  await again.click();
  await reading.given;
  await again.click();
  await field('Address').fill(`${target}/mine`);
  await save.click();
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor();
  await reading.release();
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await field('Address').fill(`${target}/still-mine`);
  await save.click();
  await expect
    .poll(async () => (await rest('GET', ofWebhook)).json.target, PATIENCE)
    .toBe(`${target}/still-mine`);
});
