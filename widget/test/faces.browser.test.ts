import { expect, it } from 'vitest';
import { PASSWORD } from '../../server/test/members.ts';
import { png } from '../../server/test/pictures.ts';
import { caller } from '../../server/test/rest.ts';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, policyFor, visit } from './customer-page.ts';

/** The pictures of members beside what they say, on a customer's page. */

const openBrowser = useBrowser();
const server = useServer();
const OWNERS = 'https://pictures.example.com/shop.png';

let people = 0;

/** A member who answers in a room, with a picture or without. */
const joined = async (url: string, rest: ReturnType<typeof caller>) => {
  const username = `grace-${process.pid}-${++people}`;
  const email = `${username}@example.com`;
  const { json } = await rest('POST', '/api/v1/members/', { email, name: 'Grace' });
  const token = json.invite_url.split('#token=')[1];
  const person = { username, password: PASSWORD };
  const call = caller(url);
  await call('POST', '/api/v1/auth/accept-invitation', { ...person, token, password2: PASSWORD });
  const own = `Token ${(await call('POST', '/api/v1/auth/api-token', person)).json.token}`;
  const setPicture = async (): Promise<string> => {
    const headers = { Authorization: own, 'Content-Type': 'image/png' };
    const body = new Uint8Array(png(64));
    const answer = await fetch(`${url}/api/v1/members/me/avatar/`, { method: 'PUT', headers, body });
    return ((await answer.json()) as { avatar: string }).avatar;
  };
  const asMember = caller(url, own);
  const answer = (uuid: string, body: string) =>
    asMember('POST', '/api/v1/messages/', { room: { uuid }, body, is_support_sender: true });
  return { answer, asMember, setPicture };
};

it('stands beside what a member says, live and read again; else the owner’s picture does, as where it is gone', async () => {
  const { url } = server();
  const { rest, widget } = await oneOwner(url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { bot_avatar: OWNERS, greeting_message: ' ' });
  const grace = await joined(url, rest);
  const browser = await openBrowser();
  await browser.route(OWNERS, (route) => route.fulfill({ contentType: 'image/png', body: png(64) }));
  const { page, launcher, dialog, say, message } = await visit(
    browser,
    // What the README promises is enough for members’ pictures.
    await customerPage(url, widget, { policy: `${policyFor(url)} ${new URL(OWNERS).origin}` }),
  );
  await launcher.click();
  await say('good morning');
  await message('good morning').getByText('Sent').waitFor();
  const [room] = (await rest('GET', '/api/v1/rooms/')).json;

  const pictures = () =>
    dialog
      .locator('.row.other')
      .evaluateAll((rows) => rows.map((row) => row.querySelector('img')?.getAttribute('src') ?? ''));
  const shown = async (expected: string[]) => {
    await expect.poll(pictures).toEqual(expected);
    const decoded = (images: (HTMLElement | SVGElement)[]) =>
      Promise.all(images.map((image) => (image as HTMLImageElement).decode())).then(() => true);
    expect(await dialog.locator('.row.other img').evaluateAll(decoded)).toBe(true);
  };
  await grace.answer(room.uuid, 'without a picture');
  await message('without a picture').waitFor();
  await shown([OWNERS]);
  const avatar = await grace.setPicture();
  await grace.answer(room.uuid, 'with a picture');
  await message('with a picture').waitFor();
  await shown([OWNERS, avatar]);
  expect(await dialog.locator('.row.other img').last().getAttribute('alt')).toBe('');
  // The account's own token is nobody.
  await rest('POST', '/api/v1/messages/', {
    room: { uuid: room.uuid },
    body: 'by a program',
    nickname: 'Shop',
    is_support_sender: true,
  });
  await message('by a program').waitFor();
  await shown([OWNERS, avatar, OWNERS]);
  // Read again, all that she wrote has the picture of now; what she says in one go has one.
  await page.reload();
  await message('by a program').waitFor();
  await shown([avatar, '', OWNERS]);
  // What is shown has gone meanwhile.
  await browser.route('**/api/v1/avatars/*', (route) => route.fulfill({ status: 404 }));
  await grace.setPicture();
  await page.reload();
  await message('by a program').waitFor();
  await shown([OWNERS, '', OWNERS]);
});

it('does not stand there where the owner wants no pictures', async () => {
  const { url } = server();
  const { rest, widget } = await oneOwner(url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_show_bot_avatar: false });
  const grace = await joined(url, rest);
  await grace.setPicture();
  const { launcher, dialog, say, message } = await visit(
    await openBrowser(),
    await customerPage(url, widget),
  );
  await launcher.click();
  await say('good morning');
  await message('good morning').getByText('Sent').waitFor();
  const [room] = (await rest('GET', '/api/v1/rooms/')).json;
  await grace.answer(room.uuid, 'an answer');
  await message('an answer').waitFor();
  expect(await dialog.locator('.row.other :is(img, .avatar)').count()).toBe(0);
});
