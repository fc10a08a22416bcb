import mongoose from 'mongoose';
import { Secret, TOTP } from 'otpauth';
import { beforeAll, describe, expect, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { PASSWORD } from './members.ts';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { beginConversation, says, startConversation } from './realtime-parts.ts';
import { caller } from './rest.ts';
import { type ServerProcess, sharedSettings, startServerProcess } from './server-process.ts';
import { browserWith, type SessionBrowser, signInBrowser } from './session-browser.ts';
import { afterThem, oneOwner, useServer } from './shared-server.ts';

/** The live channel by the cookie of a member's session. */

const server = useServer();
const begin = () => beginConversation(server());

type Rest = ReturnType<typeof caller>;

let count = 0;
/** A member of the account. */
const join = async (url: string, rest: Rest, more: object = {}) => {
  const username = `member-${++count}`;
  const invited = await rest('POST', '/api/v1/members/', { email: `${username}@example.com`, ...more });
  const token = invited.json.invite_url.split('#token=')[1];
  const accepted = { token, username, password: PASSWORD, password2: PASSWORD };
  const { json } = await caller(url)('POST', '/api/v1/auth/accept-invitation', accepted);
  return { uuid: json.uuid as string, username };
};

const done = async (asked: Promise<{ status: number }>): Promise<void> => {
  expect((await asked).status).toBeLessThan(300);
};

/** Fails where a socket goes on. */
const isRefused = async (clients: readonly RealtimeClient[]): Promise<void> => {
  for (const { code } of await Promise.all(clients.map(({ closed }) => closed))) expect(code).toBe(4401);
};

it('tells a member what happens, by the cookie alone, and what it has missed', async () => {
  const { url, visitor, username } = await begin();
  const browser = await signInBrowser(url, username);
  const client = await browser.connect(url);
  const page = await visitor();
  await page.say('Hello?');
  const { data } = await client.find(says('Hello?'));
  expect(data.room.uuid).toBe(page.room.uuid);
  await client.close();
  await page.say('Anybody?');
  const again = await browser.connect(url, client.after);
  await again.find(says('Anybody?'));
  // The page says who it is, whoever's cookie comes along.
  const visiting = await connect(url, { visitor: page.token }, { origin: 'https://shop.example' });
  expect(visiting.socket.readyState).toBe(visiting.socket.OPEN);
});

it('knows the cookie by its name over https', async () => {
  const origin = 'https://chat.example.com';
  const { url } = await startConversation({ PUBLIC_URL: origin });
  const { cookie } = await signInBrowser(url, 'ada', PASSWORD, origin);
  expect(cookie).toMatch(/^__Host-parlor=/);
  const client = await browserWith(cookie).open(url, { origin });
  await client.find(({ type }) => type === 'ready');
  const unprefixed = browserWith(cookie.replace('__Host-', ''));
  await isRefused([await browserWith(cookie).open(url), await unprefixed.open(url, { origin })]);
});

it('shows whoever is restricted its own widgets alone', async () => {
  const { url, rest, visitor } = await begin();
  const [a] = (await rest('GET', '/api/v1/widgets/')).json;
  const b = (await rest('POST', '/api/v1/widgets/', {})).json;
  const { uuid, username } = await join(url, rest, { role: 'operator', widgets: [a.uuid] });
  const client = await (await signInBrowser(url, username)).connect(url);
  const ofA = await visitor(a.token);
  const ofB = await visitor(b.token);
  await ofB.say('of B');
  await ofA.say('of A');
  await client.find(says('of A'));
  expect(JSON.stringify(client.frames)).not.toContain(ofB.room.uuid);
  expect((await rest('PATCH', `/api/v1/members/${uuid}/`, { widgets: [b.uuid] })).status).toBe(200);
  await client.find(({ type }) => type === 'resync');
  await ofB.say('again of B');
  await client.find(says('again of B'));
});

describe('is refused', () => {
  it('to a page of another site, another port and no page at all', async () => {
    const { url, username } = await begin();
    const browser = await signInBrowser(url, username);
    for (const origin of ['https://shop.example', 'null', 'http://127.0.0.1:1', '']) {
      const client = await browser.open(url, { origin });
      await isRefused([client]);
      expect(client.frames).toEqual([]);
    }
    // It is the page that may not, not the session.
    await browser.connect(url);
  });

  it('to the page of another member', async () => {
    const { url, rest, username } = await begin();
    const other = await join(url, rest);
    const browser = await signInBrowser(url, username);
    await isRefused([await browser.open(url, { member: other.uuid })]);
    const { uuid } = (await browser.ask(url, 'GET', '/api/v1/auth/session')).json;
    const client = await browser.open(url, { member: uuid });
    await client.find(({ type }) => type === 'ready');
  });

  it('without a cookie, by one that nobody has, and by one beside a token', async () => {
    const { url, token } = await begin();
    const browsers = ['', 'parlor=', `parlor=${'x'.repeat(43)}`, `other=${token}`].map(browserWith);
    await isRefused(await Promise.all(browsers.map((one) => one.open(url))));
  });
});

describe('ends on every process', () => {
  /** Two processes on one database, which have an account for each way. */
  let settings: Record<string, string>;
  const processes: ServerProcess[] = [];
  const atEnd = afterThem();
  beforeAll(async () => {
    settings = { ...(await sharedSettings(atEnd)), RATE_LIMIT: 'off' };
    for (let n = 0; n < 2; n++) processes.push(await startServerProcess(settings, undefined, atEnd));
  });

  /** The owner's browser, and that of a member. */
  const start = async () => {
    const { url } = processes[0] as ServerProcess;
    const { rest, username } = await oneOwner(url);
    const member = await join(url, rest, { role: 'admin' });
    const signIn = () => signInBrowser(url, member.username);
    const owners = await signInBrowser(url, username);
    return { url, rest, username, member, signIn, owners, browser: await signIn() };
  };
  type Started = Awaited<ReturnType<typeof start>>;

  const command = async (...args: string[]): Promise<void> => {
    const { code, err } = await spawnCommand(settings, args).result;
    expect([code, err]).toEqual([0, '']);
  };

  /** Writes into the database itself, and tells nobody. */
  const write = async (name: string, filter: object, set: object): Promise<void> => {
    const connection = await mongoose.createConnection(settings.MONGODB_URL ?? '').asPromise();
    await connection.collection(name).updateMany(filter, { $set: set });
    await connection.close();
  };

  const WAYS: Record<string, (started: Started) => Promise<void>> = {
    'when it signs out': ({ browser, url }) => done(browser.ask(url, 'DELETE', '/api/v1/auth/session')),
    'when another browser ends it': async ({ signIn, url }) => {
      const other = await signIn();
      const { json } = await other.ask(url, 'GET', '/api/v1/auth/sessions/');
      const { uuid } = json.find((one: { is_current: boolean }) => !one.is_current);
      return done(other.ask(url, 'DELETE', `/api/v1/auth/sessions/${uuid}/`));
    },
    'when another browser chooses another password': async ({ signIn, url }) => {
      const next = { password: 'quite another secret', password2: 'quite another secret' };
      const other = await signIn();
      const own = await other.connect(url);
      await done(other.ask(url, 'POST', '/api/v1/auth/password', { old_password: PASSWORD, ...next }));
      // The one that chose it goes on.
      own.send({ type: 'ping' });
      await own.find(({ type }) => type === 'pong');
    },
    'when its member is removed': ({ rest, member }) =>
      done(rest('DELETE', `/api/v1/members/${member.uuid}/`)),
    'when the operator signs the member out': ({ member }) => command('member', 'sign-out', member.username),
    'when the operator sets another password': ({ member }) =>
      command('account', 'reset-password', member.username),
    'when its account is deleted': ({ username }) => command('account', 'delete', username, '--yes'),
    'when its time is over': ({ member }) =>
      write('membersessions', { member: member.uuid }, { expires_at: new Date(Date.now() - 1_000) }),
    'when its account asks for a second factor that it has not got': async ({ owners, rest, url }) => {
      const { json } = await owners.ask(url, 'POST', '/api/v1/auth/totp', { password: PASSWORD });
      const code = new TOTP({ secret: Secret.fromBase32(json.secret) }).generate();
      await done(owners.ask(url, 'POST', '/api/v1/auth/totp/confirm', { code }));
      return done(rest('PATCH', '/api/v1/account/', { requires_totp: true }));
    },
    // As where the process that was to tell it has died.
    'when its account asks for one, and no process is told': ({ username }) =>
      write('accounts', { username }, { requires_totp: true }),
  };
  const OF_EVERYBODY = [
    'when its account is deleted',
    'when its account asks for one, and no process is told',
  ];

  it.each(Object.keys(WAYS))('%s', async (way) => {
    const started = await start();
    const { browser, owners } = started;
    const everywhere = (one: SessionBrowser) => Promise.all(processes.map(({ url }) => one.connect(url)));
    const sockets = await everywhere(browser);
    const staying = await everywhere(owners);
    await WAYS[way]?.(started);
    await isRefused(sockets);
    await isRefused(await Promise.all(processes.map(({ url }) => browser.open(url))));
    if (OF_EVERYBODY.includes(way)) return isRefused(staying);
    for (const client of staying) {
      client.send({ type: 'ping' });
      await client.find(({ type }) => type === 'pong');
    }
  });
});

it('lets a member back in at once who signs in again', async () => {
  const { url, username } = await begin();
  for (let round = 0; round < 3; round++) {
    const browser = await signInBrowser(url, username);
    const client = await browser.connect(url);
    await browser.ask(url, 'DELETE', '/api/v1/auth/session');
    await isRefused([client]);
  }
  await (await signInBrowser(url, username)).connect(url);
});
