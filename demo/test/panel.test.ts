import type { BrowserContextOptions } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PATIENT } from '../../widget/test/customer-page.ts';
import { SETTINGS } from './panel-settings.ts';

const openBrowser = useBrowser();

/** Opens the panel of a first start; everything that the browser is sent is kept, and what it complains about. */
const openPanel = async (options?: BrowserContextOptions) => {
  const server = await startServerProcess(await serverSettings());
  const browser = await openBrowser({
    reducedMotion: 'reduce',
    viewport: { width: 1280, height: 800 },
    ...options,
  });
  const page = await browser.newPage();
  const complaints: string[] = [];
  const bodies: Promise<string>[] = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('response', (response) => bodies.push(response.text().catch(() => '')));
  await page.goto(/^Settings panel.*: (\S+)$/m.exec(server.stdout())?.[1] ?? '');
  expect(page.url()).toBe(`${server.url}/demo/panel/`);
  const site = page.frameLocator('#preview');
  await page.getByText('The chat is running.').waitFor({ state: 'attached' });
  for (const title of ['Form before the chat', 'Behaviour']) await page.getByText(title).click();
  const set = async (change: () => Promise<unknown>) => {
    const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH' && answer.ok());
    await change();
    await saved.catch(async (error) => {
      const says = [page.locator('#saving'), page.locator('#facts')].map((it) => it.textContent());
      throw new Error(`${error.message}; the panel says: ${(await Promise.all(says)).join(' ')}`);
    });
  };
  // From the same beginning: what is set to what it was is no change.
  await set(() => page.getByRole('button', { name: 'Parlor’s defaults' }).click());
  await page.getByText('Saved', { exact: true }).waitFor();
  return {
    server,
    page,
    site,
    complaints,
    launcher: site.locator('button.launcher'),
    dialog: site.getByRole('dialog'),
    /** All that the browser was sent, as one text. */
    sent: async () => (await Promise.all(bodies)).join('\n'),
    set,
  };
};

// The panel belongs to the demo account, which a first start makes on the embedded database only.
describe.skipIf(inject('isRealMongodb'))("the demo's settings panel", () => {
  it('shows each setting in the widget at once, and gives the browser no token of the API', {
    timeout: 180_000,
  }, async () => {
    const { server, page, site, launcher, dialog, set, complaints, sent } = await openPanel();
    await launcher.click();
    await dialog.waitFor();
    for (const [name, [change, effect]] of Object.entries(SETTINGS)) {
      await set(() => change(page));
      await effect(site);
      await expect.poll(() => dialog.isVisible(), { ...PATIENT, message: `${name}: still open` }).toBe(true);
    }
    // What only a conversation shows, and what is seen while closed.
    await set(() => page.getByRole('button', { name: 'Parlor’s defaults' }).click());
    // The window that opens anew has the focus for an instant; nobody writes as quickly as this test.
    await site.getByRole('textbox', { name: 'Write a message' }).waitFor();
    await page.waitForTimeout(500);
    await set(() => page.getByLabel('The same, once the conversation runs').fill('Ida is here'));
    await site.getByRole('textbox', { name: 'Write a message' }).click();
    await page.keyboard.type('hello');
    await page.keyboard.press('Enter');
    await dialog.getByText('Ida is here').waitFor();
    await dialog.press('Escape');
    await page.getByRole('button', { name: 'New visitor' }).click();
    await set(() => page.getByLabel('Teaser after (seconds)').fill('1'));
    await site.getByRole('status').getByText('Hello! How can we help you?').waitFor();
    await set(() => page.getByLabel('A bot answers first').check());
    expect(complaints).toEqual([]);

    await set(() => page.getByLabel('Only on this site').fill('https://lamps.example'));
    const { widget } = await (await page.request.get(`${page.url()}settings`)).json();
    const asked = [];
    for (const Origin of ['https://www.lamps.example', 'https://elsewhere.example']) {
      const headers = { Origin };
      const answer = await fetch(`${server.url}/api/v1/widgets/?token=${widget.token}`, { headers });
      asked.push(answer.status);
    }
    expect(asked).toEqual([200, 403]);

    const token = /API token +(\w+)/.exec(server.stdout())?.[1] ?? 'no token was shown';
    expect(await sent()).not.toContain(token);
  });

  it('says what is wrong with a setting beside it, and keeps the rest', async () => {
    const { page, launcher, set } = await openPanel();
    const field = page.getByLabel('Colour', { exact: true });
    await field.fill('#12');
    await page.getByText('Enter a valid CSS hex colour.').waitFor();
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    await set(() => field.fill('#123456'));
    await expect.poll(() => field.getAttribute('aria-invalid'), PATIENT).toBe('false');
    await expect
      .poll(() => launcher.evaluate((it) => getComputedStyle(it).backgroundColor), PATIENT)
      .toBe('rgb(18, 52, 86)');
  });

  it('shows the site with a hostile style sheet and with nothing allowed but the chat', async () => {
    const { page, site, launcher, dialog, complaints } = await openPanel();
    const look = async () => {
      await launcher.click();
      await dialog.waitFor();
      await page.mouse.move(600, 5);
      // Inside its round corners, where the page behind does not show.
      const { x, y, width, height } = (await dialog.boundingBox()) ?? expect.fail('no window');
      const clip = { x: x + 6, y: y + 6, width: width - 12, height: height - 12 };
      const picture = await page.screenshot({ clip });
      await launcher.click();
      await dialog.waitFor({ state: 'hidden' });
      return picture;
    };
    const usual = await look();
    for (const name of ['Hostile style sheet', 'Strictest policy']) {
      await page.getByLabel('Site', { exact: true }).selectOption(name);
      await expect
        .poll(() => site.locator('html').evaluate(() => `${location}`), PATIENT)
        .toMatch(/\/demo\/(hostile|strict)\/$/);
      await page.getByText('The chat is running. Reports of the page’s policy: 0.').waitFor();
      expect((await look()).equals(usual), name).toBe(true);
    }
    const answer = await page.request.get(page.url().replace('panel', 'strict'));
    const origin = new URL(page.url()).origin;
    expect(answer.headers()['content-security-policy']).toBe(
      `default-src 'none'; script-src ${origin}; connect-src ${origin} ${origin.replace('http', 'ws')}; img-src ${origin} data:`,
    );
    // Its links stay in the case, and the widget comes along.
    await site.getByRole('link', { name: 'Repairs', exact: true }).click();
    await expect
      .poll(() => site.locator('html').evaluate(() => location.pathname), PATIENT)
      .toBe('/demo/strict/repairs.html');
    await launcher.waitFor();
    expect(complaints).toEqual([]);
  });

  it('switches page, language with its direction, colours and width of the screen', async () => {
    const { page, site, launcher, dialog } = await openPanel();
    await launcher.click();
    await dialog.waitFor();
    await page.getByLabel('Language').selectOption('العربية');
    await dialog.getByRole('button', { name: 'إغلاق' }).first().waitFor();
    expect(await site.locator('html').getAttribute('dir')).toBe('rtl');
    expect(await dialog.evaluate((it) => getComputedStyle(it).direction)).toBe('rtl');
    const ground = () => dialog.evaluate((it) => getComputedStyle(it).backgroundColor);
    const light = await ground();
    await page.getByLabel('Colours').selectOption('Dark');
    expect(await ground()).not.toBe(light);
    await page.getByLabel('Page').selectOption('Visit us');
    await site.getByRole('heading', { name: 'Delivery' }).waitFor();
    await dialog.waitFor();
    expect(await ground()).not.toBe(light);
    expect(await site.locator('html').getAttribute('dir')).toBe('rtl');
    await page.getByLabel('Screen').selectOption('Phone, 360');
    await expect.poll(() => site.locator('html').evaluate(() => innerWidth), PATIENT).toBe(360);
  });

  it('leaves the focus to whoever is writing while the chat starts again and again', async () => {
    const { page, launcher, dialog } = await openPanel();
    await launcher.click();
    await dialog.waitFor();
    const title = page.getByLabel('Title', { exact: true });
    await title.fill('');
    // Slower than what is written is saved.
    await title.pressSequentially('Lamps and more', { delay: 450 });
    expect(await title.inputValue()).toBe('Lamps and more');
    await page.getByText('Saved', { exact: true }).waitFor();
    await dialog.getByText('Lamps and more').waitFor();
    expect(await title.evaluate((it) => it === document.activeElement)).toBe(true);
    // Into the chat one gets by a click all the same.
    await dialog.getByRole('textbox').click();
    await page.keyboard.type('hello');
    expect(await dialog.getByRole('textbox').inputValue()).toBe('hello');
  });

  it('never takes the focus, for no moment, while the chat starts again', async () => {
    const { page, site, launcher, dialog, set } = await openPanel();
    await launcher.click();
    await dialog.waitFor();
    const title = page.getByLabel('Title', { exact: true });
    await title.click();
    await page.evaluate(() => {
      const left: string[] = [];
      Object.assign(globalThis, { left });
      addEventListener('blur', () => left.push(document.activeElement?.id ?? ''));
    });
    await set(() => page.keyboard.type('s'));
    const value = await title.inputValue();
    await dialog.getByText(value, { exact: true }).waitFor();
    await site.getByRole('textbox', { name: 'Write a message' }).waitFor();
    await page.evaluate(() => new Promise(requestAnimationFrame));
    expect(await page.evaluate(() => (globalThis as unknown as { left: string[] }).left)).toEqual([]);
    expect(await title.evaluate((it) => it === document.activeElement)).toBe(true);
  });

  it('keeps what is chosen while what was chosen before is being saved', async () => {
    const { page } = await openPanel();
    let saved = 0;
    await page.route('**/demo/panel/settings', async (route) => {
      const answer = await route.fetch();
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.fulfill({ response: answer });
      saved++;
    });
    const saving = () => page.waitForRequest((request) => request.method() === 'PATCH');
    const switches = ['Ask for the name', 'Ask for the e-mail address'].map((name) => page.getByLabel(name));
    const first = saving();
    for (const one of switches)
      await one.evaluate((it: HTMLInputElement) => it.closest('details')?.setAttribute('open', ''));
    const wanted = await Promise.all(switches.map(async (one) => !(await one.isChecked())));
    await switches[0]?.click();
    await first;
    await switches[1]?.click();
    // Whoever looks at it sees no moment of what it was before.
    const seen = new Set<boolean>();
    while (saved < 2) seen.add((await switches[1]?.isChecked()) as boolean);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect([...seen]).toEqual([wanted[1]]);
    expect(await Promise.all(switches.map((one) => one.isChecked()))).toEqual(wanted);
  });

  it('is used by keyboard alone', async () => {
    const { page, launcher } = await openPanel();
    await page.getByLabel('bottom right').focus();
    for (const key of ['ArrowUp', 'ArrowUp', 'ArrowUp']) await page.keyboard.press(key);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await page.getByLabel('middle right').isChecked()).toBe(true);
    await page.keyboard.press('Tab');
    await page.keyboard.type('https://x');
    expect(await page.getByLabel('Logo').inputValue()).toBe('https://x');
    await page.getByLabel('Launcher with text').focus();
    await page.keyboard.press('Space');
    await launcher.getByText('Start the chat').waitFor();
  });

  it.each([
    ['light', 1280, 'ltr'],
    ['dark', 360, 'rtl'],
  ] as const)('axe finds nothing in it (%s, %i px, %s)', async (colorScheme, width, direction) => {
    const { page } = await openPanel({ colorScheme, viewport: { width, height: 740 }, bypassCSP: true });
    await page.evaluate((to) => {
      document.dir = to;
    }, direction);
    await page.getByLabel('Colour', { exact: true }).fill('#12');
    await page.getByText('Enter a valid CSS hex colour.').waitFor();
    const faults = () => axeFaults(page, ['iframe']);
    expect(await faults()).toEqual([]);
    if (width === 360) await page.getByRole('button', { name: 'Website' }).click();
    expect(await faults()).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(overflow).toBeLessThanOrEqual(0);
  });
});
