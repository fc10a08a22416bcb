import { expect, it, onTestFinished, vi } from 'vitest';
import { confirmationMails, linkOf, PATIENCE } from '../../server/test/mailed-account.ts';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { startSmtpReceiver } from '../../server/test/smtp-receiver.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PATIENT } from '../../widget/test/customer-page.ts';

const openBrowser = useBrowser();

it.each([true, false])(
  'confirms an address by the mailed link and its button (scripts: %s)',
  async (javaScriptEnabled) => {
    const smtp = await startSmtpReceiver();
    onTestFinished(() => smtp.close());
    const server = await startServerProcess({ ...(await serverSettings()), SMTP_URL: smtp.url });
    await owner(server.url);
    await vi.waitFor(
      () => expect(confirmationMails(smtp.mails, 'ada@example.com')).toHaveLength(1),
      PATIENCE,
    );
    const link = linkOf(confirmationMails(smtp.mails, 'ada@example.com')[0]);

    const browser = await openBrowser({ javaScriptEnabled }, { watched: false });
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => {
      // Browsers ask every site for its icon.
      if (request.url() !== link && !request.url().endsWith('/favicon.ico')) complaints.push(request.url());
    });
    await page.goto(link);
    const heading = page.getByRole('heading');
    expect(await heading.innerText()).toBe('Confirm your e-mail address');
    expect(await page.locator('body').evaluate((body) => getComputedStyle(body).maxWidth)).toBe('512px');
    await page.getByRole('button', { name: 'Confirm' }).click();
    await expect.poll(() => heading.innerText(), PATIENT).toBe('Your e-mail address is confirmed');
    await page.goto(link);
    expect(await heading.innerText()).toBe('This link is not good any more');
    expect(complaints.filter((one) => !/404|favicon/.test(one))).toEqual([]);
  },
);
