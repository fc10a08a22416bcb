import { describe, expect, inject, it } from 'vitest';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from '../../widget/test/browser.ts';

/** From the start of a trial to an answered visitor, by what the terminal has printed and by clicks alone. */

const openBrowser = useBrowser();

describe.skipIf(inject('isRealMongodb'))('a first start', () => {
  it('leads to a visitor who is answered, by two links and nothing typed but what is said', async () => {
    const server = await startServerProcess(await serverSettings());
    const inbox = /^Inbox, .*: (\S+)$/m.exec(server.stdout())?.[1] ?? '';
    const website = /^ {2}website {5}(\S+)$/m.exec(server.stdout())?.[1] ?? '';

    const owner = await (await openBrowser()).newPage();
    await owner.goto(inbox);
    await owner.getByRole('heading', { level: 1, name: 'All' }).waitFor();
    expect(owner.url()).not.toContain('welcome');

    const visitor = await (await openBrowser()).newPage();
    await visitor.goto(website);
    await visitor.locator('parlor-widget').getByRole('button').first().click();
    const field = visitor.getByRole('textbox', { name: 'Write a message' });
    // The shop asks who it is before one may write.
    const form = visitor.getByRole('textbox', { name: /name/i });
    await field.or(form).first().waitFor();
    if (await form.isVisible()) {
      await form.fill('Ada');
      await visitor.keyboard.press('Enter');
    }
    await field.fill('Do you repair old lamps?');
    await visitor.keyboard.press('Enter');

    await owner.getByRole('link', { name: /Do you repair old lamps\?/ }).click();
    await owner.getByLabel('Answer', { exact: true }).fill('We do, bring it by.');
    await owner.getByRole('button', { name: 'Send' }).click();
    await visitor.getByRole('log').getByText('We do, bring it by.').waitFor();

    const late = await (await openBrowser()).newPage();
    await late.goto(inbox);
    await late.getByText('This link has run out or was used.').waitFor();
  });
});
