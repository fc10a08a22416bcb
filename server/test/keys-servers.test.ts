import { expect, it } from 'vitest';
import { openDatabase } from '../src/database/connect.ts';
import { loadConfig } from '../src/platform/config.ts';
import { keyFingerprint } from '../src/platform/secrets.ts';
import { spawnCommand, startCommand } from './command-line.ts';
import { dumped } from './dumped.ts';
import { caller, owner } from './rest.ts';
import { sharedSettings, startServerProcess } from './server-process.ts';

const NEXT = 'the secret key that comes next, 40 long!';

/** Two servers on one database, of which one has the next key already. */
const rollingServers = async () => {
  const settings: Record<string, string> = { ...(await sharedSettings()), RATE_LIMIT: 'off' };
  const both = { ...settings, SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: String(settings.SECRET_KEY) };
  const before = await startServerProcess(settings);
  return { settings, both, before, after: await startServerProcess(both) };
};

/** An account with what is sealed and signed, made at one server, and how another one takes it. */
const madeAt = async (url: string, username: string) => {
  const { token, rest, widget } = await owner(url, username);
  const made = { event: 'lead.added', target: `${url}/hook` };
  const { uuid } = (await rest('POST', '/api/v1/webhooks/', made)).json;
  const { json: session } = await caller(url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
  const { json: secret } = await rest('GET', `/api/v1/webhooks/${uuid}/secret/`);
  const said = { body: 'Hi', room: { uuid: session.room.uuid } };
  const ask = async (another: string) => [
    (await caller(another, `Token ${token}`)('GET', '/api/v1/rooms/')).status,
    (await caller(another, `Token ${token}`)('GET', `/api/v1/webhooks/${uuid}/secret/`)).json,
    (await caller(another, `Visitor ${session.token}`)('POST', '/api/v1/messages/', said)).status,
    (
      await caller(another)('POST', '/api/v1/auth/api-token', {
        username,
        password: 'a long enough secret',
      })
    ).status,
  ];
  return async (...servers: string[]) => {
    for (const another of servers) expect(await ask(another)).toEqual([200, secret, 201, 200]);
  };
};

/** The database's own documents, for what no server shows. */
const database = async (settings: Record<string, string>) => {
  const { connection, close } = await openDatabase(loadConfig(settings), { forCopy: true });
  const record = connection.collection<{ _id: string; fingerprints: string[]; rotating_to?: string }>(
    'secretkeys',
  );
  return { record, senders: connection.collection('webhooksenders'), close };
};

it('servers change keys one after the other, and what each seals opens at all of them', async () => {
  const { settings, both, before, after } = await rollingServers();
  await (await madeAt(after.url, 'ada'))(before.url, after.url);
  await (await madeAt(before.url, 'bob'))(before.url, after.url);
  await before.end('SIGTERM');
  const second = await startServerProcess(both);
  const read = await madeAt(second.url, 'eve');
  await read(after.url, second.url);
  expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({ code: 0, err: '' });
  await read(after.url, second.url);
  const late = await madeAt(after.url, 'kim');
  for (const server of [after, second]) await server.end('SIGTERM');
  const last = await startServerProcess({ ...settings, SECRET_KEY: NEXT });
  await late(last.url);
}, 120_000);

it('keys rotate and keys show refuse while a server lacks the key, and wait for one that is dead', async () => {
  const { settings, both, before, after } = await rollingServers();
  const made = await madeAt(before.url, 'ada');
  const lacks = new RegExp(
    `^a running server has other keys: SECRET_KEY ${keyFingerprint(String(settings.SECRET_KEY))} alone, ` +
      `and here SECRET_KEY ${keyFingerprint(NEXT)} is set\\. Restart it with this first\n$`,
  );
  for (const command of ['rotate', 'show']) {
    expect(await spawnCommand(both, ['keys', command]).result).toEqual({
      code: 1,
      out: '',
      err: expect.stringMatching(lacks),
    });
  }
  await made(before.url, after.url);
  await before.end('SIGKILL');
  expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({ code: 0, err: '' });
  await made(after.url);
}, 120_000);

it('keys rotate refuses while a server has the key, but seals with the other one', async () => {
  const settings = await sharedSettings();
  const own = String(settings.SECRET_KEY);
  await startServerProcess({ ...settings, SECRET_KEY_PREVIOUS: NEXT });
  const both = { ...settings, SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: own };
  expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({
    code: 1,
    err: expect.stringContaining(
      `has other keys: SECRET_KEY ${keyFingerprint(own)} and SECRET_KEY_PREVIOUS ${keyFingerprint(NEXT)}, and here`,
    ),
  });
}, 120_000);

/** `account create` that waits for its password, and what gives that. */
const waitingCommand = async (settings: Record<string, string>, username: string) => {
  const { child, result } = startCommand(settings, [
    ...['account', 'create', username, `${username}@example.com`, '--password-stdin'],
  ]);
  const { senders, close } = await database(settings);
  await expect.poll(() => senders.countDocuments({ command: 'account create' }), { timeout: 30_000 }).toBe(1);
  return {
    given: async () => {
      child.stdin.end('a long enough secret');
      const { code, out } = await result;
      expect(code).toBe(0);
      await close();
      return /^token (\S+)$/m.exec(out)?.[1];
    },
  };
};

it('keys rotate refuses while a command seals with another key, and not once that has ended', async () => {
  const settings = await sharedSettings();
  const own = String(settings.SECRET_KEY);
  const both = { ...settings, SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: own };
  const first = ['account', 'create', 'ada', 'ada@example.com'];
  expect(await spawnCommand(settings, first).result).toMatchObject({ code: 0 });
  const command = await waitingCommand(settings, 'bob');
  expect(await spawnCommand(both, ['keys', 'rotate']).result).toEqual({
    code: 1,
    out: '',
    err:
      `the command "account create", which runs, has other keys: SECRET_KEY ${keyFingerprint(own)} alone, ` +
      `and here SECRET_KEY ${keyFingerprint(NEXT)} is set. Give this again when it has ended\n`,
  });
  const token = await command.given();
  expect(await spawnCommand(both, ['keys', 'rotate']).result).toMatchObject({ code: 0, err: '' });
  const changed = { ...settings, SECRET_KEY: NEXT };
  expect(await spawnCommand(changed, ['account', 'token', 'bob']).result).toMatchObject({
    code: 0,
    out: `${token}\n`,
  });
}, 120_000);

it('a command that would seal with another key than keys rotate does refuses, and leaves nothing', async () => {
  const settings = await sharedSettings();
  const own = String(settings.SECRET_KEY);
  const create = (keys: object, name: string) =>
    spawnCommand({ ...settings, ...keys }, ['account', 'create', name, `${name}@example.com`]).result;
  expect(await create({}, 'ada')).toMatchObject({ code: 0 });
  const both = { SECRET_KEY: NEXT, SECRET_KEY_PREVIOUS: own };
  const show = spawnCommand({ ...settings, ...both }, ['keys', 'show']);
  expect(await show.result).toMatchObject({ code: 0 });
  const { record, senders, close } = await database(settings);
  await record.updateOne({ _id: 'secret-key' }, { $set: { rotating_to: keyFingerprint(NEXT) } });
  expect(await create({}, 'eve')).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^"keys rotate" seals .* give this again when that has ended/),
  });
  expect(await create(both, 'eve')).toMatchObject({ code: 0 });
  expect(await senders.countDocuments({})).toBe(0);
  await close();
}, 120_000);

it('a server whose key the database takes no more says so, once, and answers 503', async () => {
  const settings = await sharedSettings();
  const server = await startServerProcess(settings);
  const made = await madeAt(server.url, 'ada');
  const { record, close } = await database(settings);
  const own = keyFingerprint(String(settings.SECRET_KEY));
  const take = (key: string) => record.updateOne({ _id: 'secret-key' }, { $set: { fingerprints: [key] } });
  const call = caller(server.url, 'Token of-nobody');
  const statusOf = async (method: string, path: string, body?: object) =>
    (await call(method, path, body)).status;
  await take(keyFingerprint(NEXT));
  await expect
    .poll(() => call('GET', '/readyz'), { timeout: 60_000 })
    .toEqual({ status: 503, json: { detail: expect.stringContaining('SECRET_KEY') } });
  expect(await statusOf('GET', '/api/v1/rooms/')).toBe(503);
  expect(await statusOf('POST', '/api/v1/auth/api-token', { username: 'ada', password: 'x' })).toBe(503);
  expect(await statusOf('GET', '/healthz')).toBe(200);
  expect(server.stderr().match(/SECRET_KEY/g)).toHaveLength(1);
  await take(own);
  await expect.poll(() => statusOf('GET', '/readyz'), { timeout: 60_000 }).toBe(200);
  await made(server.url);
  await close();
}, 120_000);

it('a server whose database was emptied under it says so, and goes on when it is back', async () => {
  const settings = await sharedSettings();
  const server = await startServerProcess(settings);
  const made = await madeAt(server.url, 'ada');
  const { record, close } = await database(settings);
  const call = caller(server.url);
  const before = await record.findOne({ _id: 'secret-key' });
  await record.deleteOne({ _id: 'secret-key' });
  await expect
    .poll(() => call('GET', '/readyz'), { timeout: 60_000 })
    .toEqual({ status: 503, json: { detail: expect.stringContaining('was emptied') } });
  expect(server.stderr().match(/was emptied/g)).toHaveLength(1);
  await record.insertOne(before as never);
  await expect.poll(async () => (await call('GET', '/readyz')).status, { timeout: 60_000 }).toBe(200);
  await made(server.url);
  await close();
}, 120_000);

it('servers whose database is set back under them say so until they are started again', async () => {
  const settings = await sharedSettings();
  const before = await startServerProcess(settings);
  const made = await madeAt(before.url, 'ada');
  const restore = await dumped(settings);
  const after = await startServerProcess(settings);
  await madeAt(after.url, 'bea');
  await restore();
  for (const { url } of [before, after])
    await expect
      .poll(() => caller(url)('GET', '/readyz'), { timeout: 60_000 })
      .toEqual({ status: 503, json: { detail: expect.stringContaining('set back') } });
  const restarted = await startServerProcess(settings);
  await made(restarted.url);
  for (const { url, stderr } of [before, after]) {
    expect((await caller(url)('GET', '/readyz')).status).toBe(503);
    expect(stderr().match(/set back/g)).toHaveLength(1);
  }
}, 120_000);
