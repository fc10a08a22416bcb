import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { dumped } from './dumped.ts';
import { connect } from './realtime-client.ts';
import { isType, says, startConversation } from './realtime-parts.ts';
import { caller } from './rest.ts';
import { type ServerProcess, sharedSettings, startServerProcess } from './server-process.ts';

type Settings = Record<string, string>;

/** A way to keep what a server has stored: gives what puts it back, once the server has stopped, and says what to start with. */
interface Way {
  settings(): Promise<Settings>;
  keep(settings: Settings): Promise<() => Promise<Settings>>;
  /** The server has to be stopped while it is kept. */
  isOffline?: boolean;
}

const temporaryFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-restored-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const embedded = async (): Promise<Settings> => {
  const folder = await temporaryFolder();
  return { PORT: '0', DATA_DIR: join(folder, 'data'), TMPDIR: folder, REGISTRATION: 'open' };
};

const backup: Way = {
  settings: embedded,
  keep: async (settings) => {
    const DATA_DIR = join(settings.TMPDIR ?? '', 'backup');
    const { DATA_DIR: source = '' } = settings;
    expect(await spawnCommand({ DATA_DIR: source }, ['backup', DATA_DIR]).result).toMatchObject({ code: 0 });
    return async () => ({ ...settings, DATA_DIR });
  },
};

const copiedFolder: Way = {
  settings: embedded,
  isOffline: true,
  keep: async (settings) => {
    const { DATA_DIR = '', TMPDIR = '' } = settings;
    await cp(DATA_DIR, join(TMPDIR, 'kept'), { recursive: true });
    return async () => {
      await rm(DATA_DIR, { recursive: true });
      await cp(join(TMPDIR, 'kept'), DATA_DIR, { recursive: true });
      return settings;
    };
  },
};

const dump: Way = {
  settings: () => sharedSettings(),
  keep: async (settings) => {
    const putBack = await dumped(settings);
    return async () => {
      await putBack();
      return settings;
    };
  },
};

/** A client comes back to a server that has gone back to what was kept of it, and has told other events at the same places. */
const comesBack = async ({ settings: make, keep, isOffline }: Way): Promise<void> => {
  const settings = { ...(await make()), RATE_LIMIT: 'off' };
  const { server, token, rest } = await startConversation(settings);
  const { json: room } = await rest('POST', '/api/v1/rooms/', {});
  const sayTo = async ({ url }: ServerProcess, body: string) => {
    const message = { body, room: { uuid: room.uuid } };
    expect((await caller(url, `Token ${token}`)('POST', '/api/v1/messages/', message)).status).toBe(201);
  };
  const atFirst = await connect(server.url, { token });
  await sayTo(server, 'before');
  const { id: shared } = await atFirst.find(says('before'));
  let running = server;
  if (isOffline) await running.end('SIGTERM');
  const putBack = await keep(settings);
  if (isOffline) running = await startServerProcess(settings);

  const client = await connect(running.url, { token });
  for (const body of ['lost 1', 'lost 2', 'lost 3']) await sayTo(running, body);
  const { id: lost } = await client.find(says('lost 3'));
  await running.end('SIGTERM');

  const restored = await startServerProcess(await putBack());
  const bodies = Array.from({ length: 8 }, (_, index) => `restored ${index}`);
  const watcher = await connect(restored.url, { token });
  for (const body of bodies) await sayTo(restored, body);
  await watcher.find(says('restored 7'));
  const told = await connect(restored.url, { token }, { after: lost });
  // Its place is another event's now: what it has not seen is not all behind it.
  await told.find(isType('resync'), 10_000);
  await sayTo(restored, 'from now on');
  await told.find(says('from now on'));
  expect(told.events()).toHaveLength(1);
  // Up to where the two are the same, nothing is lost.
  const known = await connect(restored.url, { token }, { after: shared });
  await known.find(says('from now on'));
  expect(known.frames.some(isType('resync'))).toBe(false);
  expect(known.events().flatMap(({ type, data }) => (type === 'message.added' ? data.body : []))).toEqual([
    ...bodies,
    'from now on',
  ]);
  await restored.end('SIGTERM');
};

it.skipIf(inject('isRealMongodb')).each<[string, Way]>([
  ['a backup', backup],
  ['a copied folder', copiedFolder],
])(
  'a client that comes back after the server went back to %s misses nothing untold',
  {
    timeout: 120_000,
  },
  async (_name, way) => comesBack(way),
);

it(
  'a client that comes back after a database was dumped and restored misses nothing untold',
  {
    timeout: 120_000,
  },
  () => comesBack(dump),
);
