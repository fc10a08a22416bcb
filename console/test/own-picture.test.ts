import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { EXIF_TEXTS, JPEG, png, WEBP } from '../../server/test/pictures.ts';
import { caller } from '../../server/test/rest.ts';
import { useServer } from '../../server/test/shared-server.ts';
import { axeFaults } from '../../widget/test/axe.ts';
import { useBrowser } from '../../widget/test/browser.ts';
import { PASSWORD, startConsole } from './console-page.ts';
import { startVisits } from './inbox-page.ts';

/** A member's own picture: chosen, pasted, dropped, seen, removed; in a real browser on a real server. */

const openBrowser = useBrowser();
const server = useServer();

const start = async (path = 'settings/profile') => {
  const console = await startConsole(openBrowser, {}, server());
  const page = await console.open(path);
  await console.signIn(page);
  return { ...console, page };
};

const ownAvatar = async ({ rest }: Pick<Awaited<ReturnType<typeof start>>, 'rest'>) =>
  (await rest('GET', '/api/v1/members/me/')).json.avatar as string | null;

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const preview = (page: Page) => page.getByRole('img', { name: 'How your picture will look' });
const choose = (page: Page, name: string, mimeType: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });

/** The picture beside one's name, once it has loaded. */
const inShell = (page: Page) => page.locator('#side img');
const isLoaded = (page: Page) =>
  inShell(page).evaluate((image) => (image as HTMLImageElement).decode().then(() => true));

it('is chosen, looked at and saved as a small square without what a camera wrote, and removed', async () => {
  const { page, rest } = await start();
  // By keyboard: the button opens the system's dialog.
  // Asked for before a command that is answered: the browser knows then that there is somebody to choose.
  const asked = page.waitForEvent('filechooser');
  await button(page, 'Choose a picture').focus();
  await page.keyboard.press('Enter');
  await (await asked).setFiles({ name: 'me.jpg', mimeType: 'image/jpeg', buffer: JPEG });
  await preview(page).waitFor();
  expect(await axeFaults(page)).toEqual([]);
  expect(await ownAvatar({ rest })).toBeNull();
  await button(page, 'Save picture').press('Enter');
  await page.getByRole('status').getByText('Your picture is saved.').waitFor();
  expect(await isLoaded(page)).toBe(true);
  const address = (await ownAvatar({ rest })) ?? '';
  const answer = await fetch(address);
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/webp']);
  for (const text of EXIF_TEXTS) expect(bytes.includes(text)).toBe(false);
  // 24 by 16 pixels were sent: the square in their middle.
  expect(await inShell(page).evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(16);
  // What was pressed has gone: whoever uses the keyboard goes on from here.
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Choose another');
  await button(page, 'Remove picture').click();
  await page.getByRole('status').getByText('Your picture is removed.').waitFor();
  expect(await inShell(page).count()).toBe(0);
  expect([await ownAvatar({ rest }), (await fetch(address)).status]).toEqual([null, 404]);
});

it('is turned the right way up, and shrunk', async () => {
  const { page } = await start();
  // Orientation 6 (EXIF 2.32): what is at the left stands at the top when it is shown.
  const at = JPEG.indexOf(Buffer.from([0x12, 0x01, 0x03, 0x00, 0x01, 0x00, 0x00, 0x00]));
  const turned = Buffer.from(JPEG);
  turned.writeUInt16LE(6, at + 8);
  await choose(page, 'turned.jpg', 'image/jpeg', turned);
  await preview(page).waitFor();
  /** How red it is at the middle of each side: the sample is reddest at its right. */
  const [top = 0, bottom = 0, left = 0, right = 0] = await preview(page).evaluate((canvas) => {
    const { data, width } =
      (canvas as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, 16, 16) ?? new ImageData(1, 1);
    return [8, 8 + 15 * width, 8 * width, 15 + 8 * width].map((pixel) => data[4 * pixel] ?? 0);
  });
  expect(bottom).toBeGreaterThan(top + 60);
  expect(Math.abs(right - left)).toBeLessThan(30);
  await choose(page, 'large.png', 'image/png', png(1_200, 700));
  await expect.poll(() => preview(page).evaluate((one) => (one as HTMLCanvasElement).width)).toBe(256);
  await button(page, 'Save picture').click();
  await page.getByText('Your picture is saved.').waitFor();
});

it('is pasted and dropped, too, and says what is none; nothing is sent before it is saved', async () => {
  const { page, rest } = await start();
  const give = (kind: 'paste' | 'drop', type: string, bytes: Buffer) =>
    page.getByText('You can also drop one here').evaluate(
      (target, [event, mime, base64]) => {
        const data = new DataTransfer();
        const content = Uint8Array.from(atob(base64 ?? ''), (one) => one.charCodeAt(0));
        data.items.add(new File([content], 'a', { type: mime ?? '' }));
        const init = { bubbles: true, cancelable: true };
        target.dispatchEvent(
          event === 'drop'
            ? new DragEvent('drop', { ...init, dataTransfer: data })
            : new ClipboardEvent('paste', { ...init, clipboardData: data }),
        );
      },
      [kind, type, bytes.toString('base64')] as const,
    );
  await give('paste', 'image/png', png());
  await preview(page).waitFor();
  await button(page, 'Cancel').click();
  await preview(page).waitFor({ state: 'detached' });
  await give('drop', 'image/png', png());
  await preview(page).waitFor();
  await give('drop', 'application/pdf', Buffer.from('%PDF'));
  await page.getByRole('alert').getByText('finds no picture').waitFor();
  await choose(page, 'broken.png', 'image/png', Buffer.from('no picture'));
  await page.getByRole('alert').getByText('finds no picture').waitFor();
  await choose(page, 'page.svg', 'image/svg+xml', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'));
  await page.getByRole('alert').getByText('finds no picture').waitFor();
  expect(await ownAvatar({ rest })).toBeNull();
});

it('keeps what was chosen while the server is away, and says so', async () => {
  const { page } = await start();
  await choose(page, 'me.png', 'image/png', png());
  await page.route('**/avatar/', (route) => route.abort());
  await button(page, 'Save picture').click();
  await page.getByRole('alert').getByText('can’t be reached').waitFor();
  await page.unroute('**/avatar/');
  await button(page, 'Save picture').click();
  await page.getByText('Your picture is saved.').waitFor();
});

it('stands beside its member’s name in the team and what it wrote; one that is gone leaves its place to initials', async () => {
  const { page, rest, url } = await start('settings/team');
  const put = () =>
    page.evaluate(async (base64) => {
      const body = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      const headers = { 'Content-Type': 'image/png' };
      await fetch('/api/v1/members/me/avatar/', { method: 'PUT', headers, body });
    }, png(64).toString('base64'));
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  await put();
  await page.reload();
  const inTeam = page.locator('main li img');
  await inTeam.waitFor();
  expect(await isLoaded(page)).toBe(true);
  // Gone meanwhile, as it is when a colleague chooses another one.
  await page.route('**/api/v1/avatars/*', (route) => route.fulfill({ status: 404 }));
  await put();
  await page.reload();
  await page.locator('main li svg').first().waitFor();
  expect([await inTeam.count(), await inShell(page).count()]).toEqual([0, 0]);
  await page.unroute('**/api/v1/avatars/*');

  const visit = await startVisits({ rest, url });
  const robin = await visit('Robin', 'Hello?');
  await page.goto(`${url}/console/inbox/all/${robin.uuid}`);
  await page.getByLabel('Answer', { exact: true }).or(page.locator('#answer')).first().fill('Hello!');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('log').locator('img').waitFor();
  await page.reload();
  await page.getByRole('log').locator('img').waitFor();
  // The one who answered takes care of it.
  await page.locator('a[aria-current] img').waitFor();
});

it('is sent as JPEG by a browser that writes no WebP, on white where one could see through it', async () => {
  const { page, rest } = await start();
  await page.evaluate(() => {
    const { toBlob } = HTMLCanvasElement.prototype;
    // As Safari does it.
    HTMLCanvasElement.prototype.toBlob = function (done, type, quality) {
      toBlob.call(this, done, type === 'image/webp' ? 'image/png' : type, quality);
    };
  });
  await choose(page, 'clear.webp', 'image/webp', WEBP);
  await button(page, 'Save picture').click();
  await page.getByText('Your picture is saved.').waitFor();
  const answer = await fetch((await ownAvatar({ rest })) ?? '');
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
});

it('is removed by an owner, who finds it in the team', async () => {
  const { page, url, join, username } = await start('settings/team');
  const uuid = await join('grace', 'operator', 'Grace');
  const suffix = username.replace('ada', '');
  const person = { username: `grace${suffix}`, password: PASSWORD };
  const { token } = (await caller(url)('POST', '/api/v1/auth/api-token', person)).json;
  const headers = { Authorization: `Token ${token}`, 'Content-Type': 'image/png' };
  const put = { method: 'PUT', headers, body: new Uint8Array(png()) };
  expect((await fetch(`${url}/api/v1/members/me/avatar/`, put)).status).toBe(200);
  await page.getByRole('heading', { level: 1, name: 'Team' }).waitFor();
  await page.reload();
  await page.locator('main li img').waitFor();
  await page.getByRole('button', { name: 'Grace' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove picture' }).click();
  await page.locator('main li img').waitFor({ state: 'detached' });
  const asGrace = caller(url, `Token ${token}`);
  expect((await asGrace('GET', `/api/v1/members/${uuid}/`)).json).toMatchObject({ avatar: null });
});
