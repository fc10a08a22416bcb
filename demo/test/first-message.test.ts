import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { caller, owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { startWebhookReceiver, verifySignature } from '../../server/test/webhook-receiver.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { customerPage } from '../../widget/test/customer-page.ts';

const openBrowser = useBrowser();

/** Notes everything that a visitor should never see: errors, warnings of the page, reports of its policy. */
const watch = (page: Page): string[] => {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  return complaints;
};

/** Writes a message as a visitor does, and waits until the widget shows it as sent. */
const write = async (page: Page, text: string): Promise<void> => {
  const field = page.getByRole('textbox', { name: 'Write a message' });
  if (!(await field.isVisible())) await page.locator('parlor-widget').getByRole('button').first().click();
  await field.fill(text);
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('log').getByText(text).waitFor();
  await acknowledged(page, text);
};

const acknowledged = (page: Page, text: string): Promise<void> =>
  page
    .locator('[role=log] li, [role=log] [role=listitem]')
    .filter({ hasText: text })
    .getByText('Sent')
    .waitFor();

it("takes a visitor's first message from the page to the owner and the subscriber", async () => {
  const server = await startServerProcess(await serverSettings());
  const receiver = await startWebhookReceiver();
  const { rest, widget } = await owner(server.url);
  const hook = await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: receiver.url });
  const { json: secret } = await rest('GET', `/api/v1/webhooks/${hook.json.uuid}/secret/`);

  const browser = await openBrowser();
  const page = await browser.newPage();
  const complaints = watch(page);
  await page.goto(await customerPage(server.url, widget));
  await write(page, 'Is the corner table free on Friday?');

  const { json: messages } = await rest('GET', '/api/v1/messages/');
  expect(messages).toMatchObject([{ body: 'Is the corner table free on Friday?', is_support_sender: false }]);
  const delivery = await receiver.find((data) => data.uuid === messages[0].uuid);
  expect(verifySignature(secret.secret, delivery)).toMatchObject({
    data: { body: messages[0].body },
    webhook: hook.json,
  });
  expect(complaints).toEqual([]);
});

it('keeps what the page showed as sent when the server is killed at once', async () => {
  const settings = await serverSettings();
  const first = await startServerProcess(settings);
  const receiver = await startWebhookReceiver();
  const { token, rest, widget } = await owner(first.url);
  await rest('POST', '/api/v1/webhooks/', { event: 'message.added', target: receiver.url });

  const browser = await openBrowser();
  const page = await browser.newPage();
  await page.goto(await customerPage(first.url, widget));
  await write(page, 'Can I bring my dog?');
  await first.end('SIGKILL');

  // On the same port, as after a crash: the open page goes on by itself.
  const second = await startServerProcess({ ...settings, PORT: new URL(first.url).port });
  const { json: messages } = await caller(second.url, `Token ${token}`)('GET', '/api/v1/messages/');
  expect(messages).toMatchObject([{ body: 'Can I bring my dog?' }]);
  await receiver.find((data) => data.uuid === messages[0].uuid);
  await write(page, 'He is very small.');
  await receiver.find((data) => data.body === 'He is very small.');
});
