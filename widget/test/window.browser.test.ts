import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();
const server = useServer();

const setUp = async (settings: Record<string, unknown> = {}) => {
  const { url } = server();
  const made = await oneOwner(url);
  if (Object.keys(settings).length) {
    expect((await made.rest('PATCH', `/api/v1/widgets/${made.widget}/`, settings)).status).toBe(200);
  }
  return { ...made, url };
};

it('is used by keyboard alone: opened, written in, closed, and the focus comes back', async () => {
  const { url, widget } = await setUp();
  const { page, launcher, dialog, field, message } = await visit(
    await openBrowser(),
    await customerPage(url, widget),
  );
  await launcher.waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await launcher.evaluate((element) => element.matches(':focus'))).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(() => field.evaluate((element) => element.matches(':focus')), PATIENT).toBe(true);
  await page.keyboard.type('by keyboard');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('in two lines');
  await page.keyboard.press('Enter');
  await message('in two lines').getByText('Sent').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  expect(await launcher.evaluate((element) => element.matches(':focus'))).toBe(true);
});

it('on a phone it fills the screen, keeps the focus, and leaves the page behind it alone', async () => {
  const { url, widget } = await setUp();
  const browser = await openBrowser({
    viewport: { width: 360, height: 640 },
    isMobile: true,
    hasTouch: true,
  });
  const { page, launcher, dialog } = await visit(browser, await customerPage(url, widget));
  await launcher.tap();
  await dialog.waitFor();
  await page.waitForTimeout(400);
  expect(await dialog.boundingBox()).toEqual({ x: 0, y: 0, width: 360, height: 640 });
  expect(await dialog.evaluate((element) => element.matches(':modal'))).toBe(true);
  for (let presses = 0; presses < 12; presses++) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.localName)).not.toBe('a');
  }
  await dialog.getByRole('button', { name: 'Close chat' }).tap();
  await dialog.waitFor({ state: 'hidden' });
});

it('asks what the owner wants to know, makes a lead of it, and does not ask again', async () => {
  const { url, widget, rest } = await setUp({ is_ask_name: true, is_ask_email: true, is_ask_phone: true });
  const { page, launcher, dialog, field, say, message } = await visit(
    await openBrowser(),
    await customerPage(url, widget),
  );
  await launcher.click();
  const start = dialog.getByRole('button', { name: 'Start the chat' });
  await start.click();
  await dialog.getByText('Please fill in this field.').first().waitFor();
  await dialog.getByRole('textbox', { name: 'Your name' }).fill('Robin');
  await dialog.getByRole('textbox', { name: 'Your e-mail address' }).fill('robin@');
  await dialog.getByRole('textbox', { name: 'Your phone number' }).fill('+44 20 7946 0000');
  await start.click();
  await dialog.getByText('Please enter a valid e-mail address.').waitFor();
  await dialog.getByRole('textbox', { name: 'Your e-mail address' }).fill('robin@example.com');
  await start.click();
  await say('hello');
  await message('hello').getByText('Sent').waitFor();
  const known = { nickname: 'Robin', email: 'robin@example.com', phone_number: '+44 20 7946 0000' };
  const leads = await rest('GET', '/api/v1/leads/');
  expect(leads.json).toMatchObject([{ ...known, from_page_title: 'A customer' }]);
  expect((await rest('GET', '/api/v1/messages/')).json).toMatchObject([{ ...known, body: 'hello' }]);
  await page.reload();
  await field.waitFor();
  await message('hello').getByText('Sent').waitFor();
});

it('speaks the language of the tag, from right to left where that is its way', async () => {
  const { url, widget } = await setUp({ message_placeholder: '', start_button_caption: '' });
  const address = await customerPage(url, widget, { attributes: 'data-locale="ar-EG"', lang: 'de' });
  const browser = await openBrowser({ locale: 'fr-FR' });
  let letTextsCome: () => void = () => undefined;
  const wait = new Promise<void>((resolve) => {
    letTextsCome = resolve;
  });
  await browser.route('**/widget/locale-ar-*', (route) => wait.then(() => route.continue()));
  const { page, launcher, dialog } = await visit(browser, address);
  await launcher.click();
  await dialog.waitFor();
  // On a slow network the window is there before its texts, at its side.
  expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  letTextsCome();
  const field = dialog.getByRole('textbox', { name: 'اكتب رسالة' });
  await field.waitFor();
  expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await page.evaluate(() =>
    (window as unknown as { Parlor: { setLocale(tag: string): void } }).Parlor.setLocale('de'),
  );
  await dialog.getByRole('textbox', { name: 'Nachricht schreiben' }).waitFor();
  expect(await dialog.evaluate((element) => getComputedStyle(element).direction)).toBe('ltr');
});

it.each(
  ['top', 'center', 'bottom'].flatMap((vertical) =>
    ['left', 'center', 'right'].map((horizontal) => [vertical, horizontal]),
  ),
)('stands at %s %s, launcher and window inside the screen', async (vertical, horizontal) => {
  const { url, widget } = await setUp({ vertical_align: vertical, horizontal_align: horizontal });
  const size = { width: 1000, height: 700 };
  const browser = await openBrowser({ viewport: size, reducedMotion: 'reduce' });
  const { launcher, dialog, field } = await visit(browser, await customerPage(url, widget));
  const inside = (box: { x: number; y: number; width: number; height: number } | null) =>
    box && box.x >= 0 && box.y >= 0 && box.x + box.width <= size.width && box.y + box.height <= size.height;
  const box = await launcher.boundingBox();
  expect(inside(box)).toBe(true);
  const third = (at: number, length: number) =>
    ['top left', 'center', 'bottom right'][Math.floor((3 * at) / length)];
  expect(third((box?.y ?? 0) + 30, size.height)).toContain(vertical);
  expect(third((box?.x ?? 0) + 30, size.width)).toContain(horizontal);
  await launcher.click();
  await field.waitFor();
  expect(inside(await dialog.boundingBox())).toBe(true);
});

it('shows what visitors, operators and owners write as text, never as HTML', async () => {
  const evil = '<img src=x onerror="window.hacked=1"><svg onload="window.hacked=1">';
  const texts = ['greeting_message', 'header_title', 'header_subtitle', 'chat_subtitle', 'contact_message'];
  const { url, widget, rest } = await setUp({
    ...Object.fromEntries(texts.map((name) => [name, evil])),
    start_button_caption: evil,
    use_new_button: true,
  });
  const { page, launcher, dialog, say, message } = await visit(
    await openBrowser(),
    await customerPage(url, widget),
  );
  await launcher.click();
  await say(`${evil} javascript:alert(1) https://example.com/"onmouseover="window.hacked=1`);
  await message('onmouseover').getByText('Sent').waitFor();
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  await rest('POST', '/api/v1/messages/', {
    room: { uuid: rooms[0].uuid },
    body: `answer ${evil}`,
    nickname: evil.slice(0, 100),
    is_support_sender: true,
  });
  await message('answer').waitFor();
  expect(await page.evaluate(() => (window as unknown as { hacked?: number }).hacked)).toBeUndefined();
  expect(await dialog.locator('img, svg[onload], [onerror], [onmouseover]').count()).toBe(0);
  const links = await dialog
    .getByRole('link')
    .evaluateAll((found) =>
      found.map((link) => [(link as HTMLAnchorElement).href, (link as HTMLAnchorElement).rel]),
    );
  expect(links).toEqual([['https://example.com/', 'noopener noreferrer nofollow']]);
});
