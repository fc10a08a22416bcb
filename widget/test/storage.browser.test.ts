import { expect, it } from 'vitest';
import { oneOwner, useServer } from '../../server/test/shared-server.ts';
import { useBrowser } from './browser.ts';
import { customerPage, embedded, visit } from './customer-page.ts';
import { openProfile } from './profile.ts';

const openBrowser = useBrowser();
const server = useServer();

const portal = (address: string) => embedded(address, 'sandbox="allow-scripts"');

it.each([
  ['site data is blocked', () => openProfile({ blocked: 'all' }), async (address: string) => address],
  ['the page stands in a sandbox without an origin', openBrowser, portal],
])('sends and goes on answering where %s', async (_where, open, at) => {
  const { url } = server();
  const { widget, rest } = await oneOwner(url);
  const tab = await visit(await open(), await at(await customerPage(url, widget)));
  await tab.launcher.click();
  for (const text of ['one', 'two']) {
    await tab.say(text);
    await tab.message(text).getByText('Sent').waitFor();
  }
  const [{ uuid }] = (await rest('GET', '/api/v1/rooms/')).json;
  const answer = { body: 'Here I am', is_support_sender: true, room: { uuid } };
  expect((await rest('POST', '/api/v1/messages/', answer)).status).toBe(201);
  await tab.message('Here I am').waitFor();
  expect(await tab.log.getByText('could not be loaded').count()).toBe(0);
  const { json } = await rest('GET', '/api/v1/messages/');
  expect(json.map(({ body }: { body: string }) => body)).toEqual(['Here I am', 'two', 'one']);
  expect((await rest('GET', '/api/v1/rooms/')).json).toHaveLength(1);
  expect(tab.complaints).toEqual([]);
});
