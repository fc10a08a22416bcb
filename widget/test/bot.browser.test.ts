import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();

/** A bot that asks without an end. */
const NODES = [
  { id: 's', type: 'start', greeting: 'I am a bot.', next: 'a' },
  { id: 'a', type: 'question', text: 'What is it about?', save_as: 'about', next: 'b' },
  { id: 'b', type: 'question', text: 'Anything else?', save_as: 'more', next: 'a' },
];

/** The chat of a visitor on a widget whose conversations a bot answers, and the button that asks for a person. */
const visitBot = async (nodes: object[], env: Record<string, string> = { BOT_WAIT_MS: '0' }) => {
  const server = await startServerProcess({ ...(await serverSettings()), ...env });
  const { rest, widget } = await owner(server.url);
  await rest('POST', '/api/v1/workflows/', { name: 'Greeter', is_published: true, nodes });
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_bot_use: true });
  const tab = await visit(await openBrowser(), await customerPage(server.url, widget));
  return { ...tab, rest, widget, chip: tab.dialog.getByRole('button', { name: 'Talk to a person' }) };
};

it('tells bot and person apart, and hands the conversation over when the visitor asks for a person', async () => {
  const { page, launcher, field, say, message, rest, chip } = await visitBot(NODES);
  await launcher.click();
  await say('hello');
  await message('What is it about?').getByText('Assistant').first().waitFor();
  await chip.waitFor();
  await say('a lamp');
  await message('Anything else?').waitFor();

  // Asked for offline: it goes out with the message, in order, as everything does.
  await page.context().setOffline(true);
  await chip.click();
  await message('I would like to talk to a person.').getByText('Sending').waitFor();
  expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
  expect(await chip.count()).toBe(0);
  await page.context().setOffline(false);
  await message('I would like to talk to a person.').getByText('Sent').waitFor();
  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  expect(rooms[0].is_bot_use).toBe(false);

  await say('is somebody there?');
  await message('is somebody there?').getByText('Sent').waitFor();
  await rest('POST', '/api/v1/messages/', {
    room: { uuid: rooms[0].uuid },
    body: 'I am Ada.',
    nickname: 'Ada',
    is_support_sender: true,
  });
  await message('I am Ada.').waitFor();
  expect(await message('I am Ada.').getByText('Assistant').count()).toBe(0);
  const { json: messages } = await rest('GET', '/api/v1/messages/');
  expect(messages.map(({ body }: { body: string }) => body).reverse()).toEqual([
    'I am a bot.',
    'hello',
    'What is it about?',
    'a lamp',
    'Anything else?',
    'I would like to talk to a person.',
    'is somebody there?',
    'I am Ada.',
  ]);

  await page.reload();
  await message('I am Ada.').waitFor();
  await message('What is it about?').getByText('Assistant').first().waitFor();
  await expect.poll(() => chip.count(), PATIENT).toBe(0);
});

it('stops offering a person when the workflow has handed over by itself', async () => {
  const nodes = [
    { id: 's', type: 'start', greeting: 'I am a bot.', next: 'q' },
    { id: 'q', type: 'question', text: 'What is it about?', save_as: 'about', next: 'h' },
    { id: 'h', type: 'handoff', text: 'A colleague comes.' },
  ];
  const { page, launcher, say, message, chip } = await visitBot(nodes, {});
  await launcher.click();
  await say('hello');
  await chip.waitFor();
  await say('a lamp');
  await message('A colleague comes.').waitFor();
  await chip.waitFor({ state: 'detached' });
  await page.reload();
  await message('A colleague comes.').waitFor();
  await page.waitForTimeout(500);
  expect(await chip.count()).toBe(0);
});

it('gets a person for who asks, whatever has become of the conversation', async () => {
  const { page, launcher, dialog, say, message, rest, widget, chip } = await visitBot(NODES);
  await launcher.click();
  await say('hello');
  await message('What is it about?').waitFor();
  const [room] = (await rest('GET', '/api/v1/rooms/')).json;
  await rest('DELETE', `/api/v1/rooms/${room.label}/`);
  await chip.click();
  await message('I would like to talk to a person.').getByText('Sent').waitFor();
  const [{ is_bot_use, messages }] = (await rest('GET', '/api/v1/rooms/')).json;
  expect([is_bot_use, messages.map(({ body }: { body: string }) => body)]).toEqual([
    false,
    ['I would like to talk to a person.'],
  ]);

  // A conversation that is begun anew is the bot's again, and has stars of its own.
  const menu = dialog.getByRole('button', { name: 'Menu' });
  const rated = dialog.locator('.stars button[aria-pressed=true]');
  await menu.click();
  await dialog.getByRole('button', { name: 'Rate this conversation' }).click();
  await dialog.getByRole('button', { name: 'Stars: 4' }).click();
  await rated.waitFor();
  await menu.click();
  await rest('DELETE', `/api/v1/rooms/${room.label}/`);
  await say('again');
  await message('again').getByText('Sent').waitFor();
  await chip.waitFor();
  await chip.click();
  await message('I would like to talk to a person.').nth(1).getByText('Sent').waitFor();
  await chip.waitFor({ state: 'detached' });

  // So is that of a visitor whose session has run out meanwhile.
  await page.evaluate((key) => localStorage.removeItem(key), `parlor.${widget}.session`);
  await page.reload();
  await say('on another day');
  await message('What is it about?').waitFor();
  await chip.waitFor();
  await menu.click();
  await dialog.getByRole('button', { name: 'Rate this conversation' }).click();
  await dialog.getByRole('button', { name: 'Stars: 4' }).waitFor();
  expect(await rated.count()).toBe(0);
});
