/** Accounts with conversations, and somebody who is signed in there. */
import { WebSocket } from 'ws';

const PASSWORD = 'a long enough secret';

export const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** How long what was said may take to be told, at the most (milliseconds). */
const TOLD_WITHIN_MS = 300_000;

/** Follows what members are told of new messages. @returns `told` resolves when there were so many */
const follow = async (url, token) => {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/realtime`);
  const ids = new Set();
  await new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () => socket.send(JSON.stringify({ type: 'auth', scheme: 'Token', token })));
    socket.on('message', (data) => {
      const { type, id } = JSON.parse(data);
      if (type === 'ready') resolve(undefined);
      if (type === 'message.added') ids.add(id);
    });
  });
  const told = async (count) => {
    for (const end = performance.now() + TOLD_WITHIN_MS; ids.size < count; await pause(100)) {
      if (performance.now() > end) throw new Error(`${ids.size} of ${count} messages were told`);
    }
    socket.close();
  };
  return { told };
};

/** An account with so many conversations, and what a program does there. */
export const account = async (url, username, conversations) => {
  const call = async (method, path, body, token) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Token ${token}` }) };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const who = { username, password: PASSWORD };
  await call('POST', '/api/v1/auth/register', {
    ...who,
    password2: PASSWORD,
    email: `${username}@example.com`,
  });
  const { token } = await call('POST', '/api/v1/auth/api-token', who);
  const rooms = [];
  const { told } = await follow(url, token);
  const say = (uuid, body) =>
    call('POST', '/api/v1/messages/', { body, nickname: `Visitor ${uuid.slice(-4)}`, room: { uuid } }, token);
  while (rooms.length < conversations) {
    const some = Math.min(20, conversations - rooms.length);
    const made = Array.from({ length: some }, () => call('POST', '/api/v1/rooms/', {}, token));
    const uuids = (await Promise.all(made)).map(({ uuid }) => uuid);
    await Promise.all(uuids.map((uuid) => say(uuid, 'Do you deliver on Sundays, and what does it cost?')));
    rooms.push(...uuids);
  }
  // Written in such a hurry they are told later; whoever looks at the inbox then would be told of them, too.
  await told(conversations);
  return { username, rooms, say };
};

export const firstRow = (page) => page.locator('a[href^="/console/inbox/all/"]').first();

/** Signs in at the page that is open, and waits for the list. @param {import('playwright-core').Page} page */
export const signIn = async (page, username) => {
  await page.getByLabel('Username').fill(username);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.keyboard.press('Enter');
  await firstRow(page).waitFor();
};
