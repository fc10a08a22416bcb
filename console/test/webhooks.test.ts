import type { Page } from 'playwright-core';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { PATIENCE } from '../../server/test/mailed-account.ts';
import { startWebhookReceiver } from '../../server/test/webhook-receiver.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { CODE_LANGUAGES, VERIFY_CODE } from '../src/webhooks/verify-code.ts';
import { startConsole } from './console-page.ts';

/** Webhooks in the console. */

const openBrowser = useBrowser();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true });
const log = (page: Page) => page.getByRole('list', { name: 'Deliveries' }).locator(':scope > li');

it('adds, tries, changes and deletes a webhook, shows each attempt, and sends again what failed', async () => {
  const {
    rest,
    open,
    signIn,
    join: invite,
  } = await startConsole(openBrowser, {
    WEBHOOK_RETRY_DELAYS: '200ms',
  });
  const receiver = await startWebhookReceiver();
  const page = await open('webhooks', {
    bypassCSP: true,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await signIn(page);
  await page.getByText('No webhooks yet').waitFor();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByLabel('Address').fill('nowhere');
  await page.keyboard.press('Enter');
  await page.getByText('Choose at least one event.').waitFor();
  await page.getByLabel('A lead was left').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByText('Enter a valid URL.').waitFor();
  expect(await axeFaults(page)).toEqual([]);
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByLabel('A lead was changed').check();
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('link', { name: 'A lead was left' }).click();
  await heading(page, 'A lead was left').waitFor();

  await page.getByRole('button', { name: 'Send an example' }).click();
  await page.getByText(/^Your system took it in/).waitFor();
  await page.getByRole('button', { name: 'Show the secret' }).click();
  const secret = (await page.getByText(/^whsec_/).textContent()) ?? '';
  const [sample] = receiver.received;
  const { received } = receiver;
  for (const language of CODE_LANGUAGES) {
    await page.getByLabel('Language').selectOption(language);
    await page.getByText(VERIFY_CODE[language].slice(0, 30)).waitFor();
  }
  expect(() => new Webhook(secret).verify(sample?.body ?? '', sample?.headers as never)).not.toThrow();
  await page.getByRole('button', { name: 'Make a new secret' }).click();
  await page.getByText('This is the new secret.').waitFor();
  await expect.poll(() => page.getByText(/^whsec_/).textContent(), PATIENCE).not.toBe(secret);

  receiver.answer = 503;
  await rest('POST', '/api/v1/leads/', { nickname: 'Ada' });
  await rest('POST', '/api/v1/leads/', { nickname: 'Grace' });
  const failed = async () => (await rest('GET', '/api/v1/deliveries/?state=failed')).json.length;
  await expect.poll(failed, PATIENCE).toBe(2);
  await page.getByLabel('State').selectOption('Failed');
  await expect.poll(() => log(page).count(), PATIENCE).toBe(2);
  await log(page).first().getByRole('button').click();
  await log(page).first().getByText('Attempt 2').waitFor();
  expect(await log(page).first().getByText('Status 503').count()).toBe(3);
  const shown = log(page).first().locator('pre', { hasText: 'nickname' });
  const sent = received.map(({ body }) => JSON.parse(body));
  expect(sent).toContainEqual(JSON.parse((await shown.textContent()) ?? ''));
  await log(page).first().getByRole('button', { name: 'Copy', exact: true }).click();
  await log(page).first().getByRole('button', { name: 'Copied', exact: true }).waitFor();
  // To the byte, since it is what the signature was made for.
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  expect(received.map(({ body }) => body)).toContain(copied);
  expect(await axeFaults(page)).toEqual([]);
  receiver.answer = 200;
  const before = received.length;
  await log(page).first().getByRole('button', { name: 'Send again' }).click();
  await expect.poll(() => received.length, PATIENCE).toBe(before + 1);
  await expect
    .poll(async () => (await rest('GET', '/api/v1/deliveries/?state=delivered')).json.length, PATIENCE)
    .toBe(1);
  // The one that has arrived meanwhile is not sent once more.
  await page.getByRole('button', { name: 'Send all failed ones again' }).click();
  await page.getByText('Sent again: 1').waitFor();
  await expect.poll(() => received.length, PATIENCE).toBe(before + 2);
  expect(received.slice(-2).map(({ body }) => JSON.parse(body).data.nickname)).toEqual(['Grace', 'Ada']);

  // What a colleague has changed is told before it is replaced.
  const [uuid] = page.url().split('/').slice(-1);
  await rest('PATCH', `/api/v1/webhooks/${uuid}/`, { target: `${receiver.url}/theirs` });
  await page.getByLabel('Address').fill(`${receiver.url}/mine`);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText(`Now it says: lead.added, ${receiver.url}/theirs.`).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  expect((await rest('GET', `/api/v1/webhooks/${uuid}/`)).json.target).toBe(`${receiver.url}/mine`);

  await page.getByRole('button', { name: 'Delete' }).click();
  await heading(page, 'Webhooks').waitFor();
  await page.getByText('Webhook deleted.').waitFor();
  expect(await page.getByRole('link', { name: 'A lead was left' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('link', { name: 'A lead was left' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.goto('about:blank');
  await expect.poll(async () => (await rest('GET', `/api/v1/webhooks/${uuid}/`)).status, PATIENCE).toBe(404);

  // On a phone, in the dark, in German; and for nobody who may not.
  const phone = await open('webhooks', {
    viewport: { width: 320, height: 640 },
    colorScheme: 'dark',
    locale: 'de',
    bypassCSP: true,
    hasTouch: true,
    reducedMotion: 'reduce',
    storageState: await page.context().storageState(),
  });
  await phone.getByRole('link', { name: 'Ein Lead wurde geändert' }).waitFor();
  expect(await axeFaults(phone)).toEqual([]);
  await phone.getByRole('link', { name: 'Ein Lead wurde geändert' }).click();
  await heading(phone, 'Ein Lead wurde geändert').waitFor();
  await phone.getByText('Keine Zustellungen').waitFor();
  expect(await axeFaults(phone)).toEqual([]);
  expect(await phone.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  await invite('hedy', 'operator');
  const hers = await open('webhooks');
  await signIn(hers, 'hedy');
  await hers.getByText('There is nothing at this address.').waitFor();
  expect(await hers.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
});
