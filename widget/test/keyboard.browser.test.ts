import type { CDPSession } from 'playwright-core';
import { expect, it } from 'vitest';
import { owner } from '../../server/test/rest.ts';
import { serverSettings, startServerProcess } from '../../server/test/server-process.ts';
import { useBrowser } from './browser.ts';
import { customerPage, PATIENT, visit } from './customer-page.ts';

const openBrowser = useBrowser();

/** What a screen reader says of the place where the keyboard is. */
const focused = async (devtools: CDPSession): Promise<string> => {
  const { nodes } = await devtools.send('Accessibility.getFullAXTree');
  const held = nodes.filter(
    ({ role, properties }) =>
      role?.value !== 'RootWebArea' &&
      properties?.some(({ name, value }) => name === 'focused' && value.value === true),
  );
  return held.map(({ role, name }) => `${role?.value} "${name?.value}"`).join();
};

it('is used by keyboard alone, from the first Tab to the stars and the deletion', async () => {
  const server = await startServerProcess(await serverSettings());
  const { rest, widget } = await owner(server.url);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_ask_name: true });
  const browser = await openBrowser({ reducedMotion: 'reduce' });
  const { page, launcher, dialog, message } = await visit(browser, await customerPage(server.url, widget));
  const devtools = await browser.newCDPSession(page);
  const at = (where: string) => expect.poll(() => focused(devtools), PATIENT).toBe(where);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await launcher.waitFor();

  await press('Tab');
  await at('link "a link"');
  await press('Tab');
  await at('button "Start the chat"');
  await press('Enter');
  await at('textbox "Your name"');
  await press('Enter');
  await dialog.getByText('Please fill in this field.').waitFor();
  await at('textbox "Your name"');
  await page.keyboard.type('Robin');
  await press('Tab');
  await at('button "Start the chat"');
  await press('Enter');
  await at('textbox "Write a message"');
  await page.keyboard.type('by keyboard');
  await press('Tab');
  await at('button "Send"');
  await press('Space');
  await at('textbox "Write a message"');
  await message('by keyboard').getByText('Sent').waitFor();

  const { json: rooms } = await rest('GET', '/api/v1/rooms/');
  await rest('POST', '/api/v1/messages/', {
    room: { uuid: rooms[0].uuid },
    body: 'look at https://example.com/',
    nickname: 'Ada',
    is_support_sender: true,
  });
  await message('look at').waitFor();
  // What is in the log is what is read out: who said what, when, and what became of it.
  const tree = (await dialog.getByRole('log').ariaSnapshot()).replace(/\d+:\d\d\s?[AP]M/g, 'TIME');
  expect(tree).toBe(
    [
      '- log "Chat":',
      '  - list:',
      '    - listitem: "Support: Hello! How can we help you?"',
      '    - listitem:',
      '      - paragraph: Today',
      '      - text: "You: by keyboard"',
      '      - time: TIME',
      '      - text: Sent',
      '    - listitem:',
      '      - text: "Ada: look at"',
      '      - link "https://example.com/":',
      '        - /url: https://example.com/',
      '      - time: TIME',
    ].join('\n'),
  );

  await press('Shift+Tab');
  await at('link "https://example.com/"');
  await press('Shift+Tab');
  await at('log "Chat"');
  await press('Shift+Tab');
  await at('button "Close chat"');
  await press('Shift+Tab');
  await at('button "Menu"');
  await press('Enter');
  await at('button "Rate this conversation"');
  await press('Enter');
  await at('button "Stars: 1"');
  await press('Tab', 'Tab', 'Tab', 'Enter');
  await dialog.getByText('Thank you!').waitFor();
  await at('button "Stars: 4"');
  expect((await rest('GET', `/api/v1/rooms/${rooms[0].label}/`)).json.rating).toBe(4);
  await press('Escape');
  await at('button "Menu"');

  await press('Enter');
  await at('button "Rate this conversation"');
  await press('Tab', 'Tab');
  await at('button "Delete my data"');
  await press('Enter');
  await at('button "Cancel"');
  await press('Tab', 'Enter');
  await at('textbox "Your name"');
  expect((await rest('GET', '/api/v1/messages/')).json).toEqual([]);

  await press('Shift+Tab', 'Shift+Tab', 'Enter');
  await at('button "Turn sound off"');
  // Leaving the menu by Tab closes it.
  await press('Tab', 'Tab');
  await at('textbox "Your name"');
  await expect.poll(() => dialog.getByRole('button', { name: 'Turn sound off' }).count(), PATIENT).toBe(0);
  await press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await at('button "Start the chat"');
});
