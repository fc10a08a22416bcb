import { cp, mkdir, open, readdir, readFile, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, inject, it } from 'vitest';
import { spawnCommand } from './command-line.ts';
import { MAIN, serverSettings, startServerProcess } from './server-process.ts';
import { MIB, smallDisk } from './small-disk.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** The lines of a log that are no JSON. */
const strange = (log: string): string[] => log.split('\n').filter((line) => line && !/^{.*}$/.test(line));

it.skipIf(inject('isRealMongodb'))(
  'a full disk is told, loses nothing, and is over when there is room',
  { timeout: 120_000 },
  async (context) => {
    const disk = await smallDisk(8 * MIB);
    if (disk === undefined) return context.skip('a small disk can be mounted by root only');
    const dataDir = join(disk, 'data');
    await mkdir(dataDir);
    const settings = { PORT: '0', DATA_DIR: dataDir, RATE_LIMIT: 'off', DISK_RESERVE_MIB: '0' };
    const server = await startServerProcess(settings);
    const token = /API token {3}([0-9a-f]{40})/.exec(server.stdout())?.[1];
    const headers = { Authorization: `Token ${token}`, 'Content-Type': 'application/json' };
    const api = (path: string, init: RequestInit = {}) =>
      fetch(`${server.url}/api/v1${path}`, { headers, ...init });
    const room = (await (await api('/rooms/', { method: 'POST' })).json()) as { uuid: string; label: string };
    const say = () =>
      api('/messages/', {
        method: 'POST',
        body: JSON.stringify({ body: 'x'.repeat(4_000), room: { uuid: room.uuid } }),
      });

    // Somebody else takes most of the room; the server the rest.
    await writeFile(join(disk, 'others'), Buffer.alloc(4 * MIB));
    let acknowledged = 0;
    let refused = await say();
    for (; refused.status === 201; refused = await say()) acknowledged++;
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
    expect(await refused.json()).toEqual({
      detail: 'The disk of the database is full. Deleting makes room.',
    });
    expect((await api('/rooms/')).status).toBe(200);
    // The database's library writes lines of its own then, and the log goes on at the beginning of a line.
    expect(strange(server.stderr()).filter((line) => line.includes('{"level"'))).toEqual([]);

    await rm(join(disk, 'others'));
    await expect.poll(async () => (await say()).status, { timeout: 60_000 }).toBe(201);
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const check = await spawnCommand({ DATA_DIR: dataDir }, ['database', 'check']).result;
    expect([check.code, check.err]).toEqual([0, '']);
    expect(Number(/(\d+) documents/.exec(check.out)?.[1])).toBeGreaterThan(acknowledged);
  },
);

it.skipIf(inject('isRealMongodb'))(
  'a disk without a free block is told in one line by a start and by commands',
  { timeout: 120_000 },
  async (context) => {
    const disk = await smallDisk(16 * MIB);
    if (disk === undefined) return context.skip('a small disk can be mounted by root only');
    const DATA_DIR = join(disk, 'data');
    const created = await spawnCommand({ DATA_DIR }, ['account', 'create', 'ada', 'ada@example.com']).result;
    expect(created).toMatchObject({ code: 0, err: '' });
    const elsewhere = join(await temporaryFolder(), 'data');
    await cp(DATA_DIR, elsewhere, { recursive: true });
    await rename(join(DATA_DIR, 'database', 'lock.mdb'), join(disk, 'lock'));
    const others = await open(join(disk, 'others'), 'wx');
    await expect(others.appendFile(Buffer.alloc(16 * MIB))).rejects.toThrow('ENOSPC');
    await others.close();

    // LMDB would map what is not there.
    const noLock = /^(?:Parlor can't start: )?DATA_DIR .* can't be used: the disk of .* has no room .*\n$/;
    for (const dataDir of [DATA_DIR, join(disk, 'new')]) {
      const invited = await spawnCommand({ DATA_DIR: dataDir }, ['account', 'invite']).result;
      expect(invited).toEqual({ code: 1, out: '', err: expect.stringMatching(noLock) });
    }
    const started = (more: Record<string, string> = {}) =>
      startServerProcess({ PORT: '0', DATA_DIR, DISK_RESERVE_MIB: '0', LOG_LEVEL: 'fatal', ...more });
    const refused = { code: 1, stdout: '', stderr: expect.stringMatching(noLock) };
    await expect(started()).rejects.toMatchObject(refused);

    await rename(join(disk, 'lock'), join(DATA_DIR, 'database', 'lock.mdb'));
    const isFull =
      /^(?:Parlor can't start: )?the write was not stored, the disk is full: .*: make room .*\n$/;
    // One that has to write something does not start; another one reads, and says what it can't do.
    const SECRET_KEY_PREVIOUS = await readFile(join(DATA_DIR, 'secret-key'), 'utf8');
    const keys = { SECRET_KEY: 'x'.repeat(64), SECRET_KEY_PREVIOUS };
    const full = { code: 1, stderr: expect.stringMatching(isFull) };
    await expect(started(keys)).rejects.toMatchObject(full);
    const server = await started();
    expect((await fetch(`${server.url}/readyz`)).status).toBe(503);
    // What is noted in passing waits to be written when it stops.
    const body = JSON.stringify({ username: 'ada', password: 'not the right one' });
    const headers = { 'Content-Type': 'application/json' };
    const wrong = await fetch(`${server.url}/api/v1/auth/api-token`, { method: 'POST', headers, body });
    expect(wrong.status).toBe(400);
    expect(await server.end('SIGTERM')).toMatchObject({ code: 0 });
    expect(server.stderr()).not.toContain('Parlor');
    for (const args of [
      ['account', 'create', 'bob', 'bob@example.com'],
      ['account', 'token', 'ada', '--reset'],
      ['account', 'delete', 'ada', '--yes'],
      ['export', 'ada', join(DATA_DIR, '..', 'ada.jsonl')],
    ]) {
      const done = await spawnCommand({ DATA_DIR }, args).result;
      expect(done, args.join(' ')).toMatchObject({ code: 1, out: '', err: expect.stringMatching(isFull) });
    }
    const file = join(disk, 'ada.jsonl');
    const exported = await spawnCommand({ DATA_DIR: elsewhere }, ['export', 'ada', file]).result;
    expect(exported).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/written: ENOSPC\nusage: /),
    });
    expect(await readdir(disk)).not.toContain('ada.jsonl.partial');
  },
);

const NEARLY_FULL =
  'The disk of the database is nearly full: reading, signing in and deleting work, storing does not. Deleting makes room.';

it.skipIf(inject('isRealMongodb'))(
  'of a disk that fills up the last is kept: reading, signing in and deleting work, and deleting makes room',
  { timeout: 300_000 },
  async (context) => {
    const disk = await smallDisk(96 * MIB);
    if (disk === undefined) return context.skip('a small disk can be mounted by root only');
    const fillUpTo = async (name: string, leftBytes: number) => {
      const { bavail, bsize } = await statfs(disk);
      await writeFile(join(disk, name), Buffer.alloc(bavail * bsize - leftBytes));
    };
    const settings = { PORT: '0', DATA_DIR: join(disk, 'data'), RATE_LIMIT: 'off', METRICS_TOKEN: 'm' };
    let server = await startServerProcess({ ...settings, LOG_LEVEL: 'info' });
    const introduction = server.stdout();
    const shown = (name: string) => new RegExp(` ${name} +(\\S+)`).exec(introduction)?.[1] ?? '';
    const widget = /data-token="(\w+)"/.exec(introduction)?.[1];
    const asOwner = { Authorization: `Token ${shown('API token')}` };
    const ask = async (
      method: string,
      path: string,
      body?: unknown,
      headers: Record<string, string> = {},
    ) => {
      const answer = await fetch(server.url + path, {
        method,
        headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    };
    const logged = (text: string) =>
      server
        .stderr()
        .split('\n')
        .filter((line) => line.includes(text))
        .map((line) => JSON.parse(line).msg);

    await fillUpTo('others', 40 * MIB);
    const room = JSON.parse((await ask('POST', '/api/v1/rooms/', undefined, asOwner)).text);
    const message = { body: '🦉'.repeat(10_000), room: { uuid: room.uuid } };
    const say = () => ask('POST', '/api/v1/messages/', message, asOwner);
    const writers = Array.from({ length: 16 }, async () => {
      for (;;) {
        const refused = await say();
        if (refused.status !== 201) return refused;
      }
    });
    for (const refused of await Promise.all(writers)) {
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
      expect(JSON.parse(refused.text)).toEqual({ detail: NEARLY_FULL });
    }

    const metric = async () => (await ask('GET', '/metrics', undefined, { Authorization: 'Bearer m' })).text;
    // What is yet to be announced takes room, too, on a busy machine more than the file below leaves.
    await expect.poll(metric, { timeout: 60_000 }).not.toMatch(/^parlor_outbox_waiting\{.*\} [1-9]/m);
    const left = Number(/^parlor_database_free_bytes (\d+)$/m.exec(await metric())?.[1]);
    expect(left).toBeGreaterThan(4 * MIB);
    expect(left).toBeLessThan(20 * MIB);

    // As full as it gets while there is room for what is small.
    await fillUpTo('more', 4 * MIB);
    const path = `/api/v1/rooms/${room.label}/`;
    expect((await ask('PATCH', path, { name: 'n' }, asOwner)).status).toBe(503);
    const session = await ask(
      'POST',
      `/api/v1/widgets/${widget}/sessions/`,
      {},
      { Origin: 'https://x.test' },
    );
    expect([session.status, session.headers.get('access-control-allow-origin')]).toEqual([
      503,
      'https://x.test',
    ]);
    const agent = await ask('POST', '/api/v1/public/conversations/start', {}, { 'X-API-Key': 'pk' });
    expect([agent.status, JSON.parse(agent.text)]).toEqual([503, { error: NEARLY_FULL }]);
    expect((await ask('GET', path, undefined, asOwner)).status).toBe(200);
    const known = { username: shown('username'), password: shown('password') };
    const signedIn = await ask('POST', '/api/v1/auth/api-token/', known);
    expect((await ask('POST', '/api/v1/auth/session', known)).status).toBe(200);
    expect(JSON.parse(signedIn.text)).toEqual({ token: shown('API token') });
    const ready = await ask('GET', '/readyz');
    expect([ready.status, JSON.parse(ready.text)]).toEqual([503, { detail: NEARLY_FULL }]);
    expect(await metric()).toMatch(/^parlor_disk_reserve_reached 1$/m);

    // Starting needs no more room than that.
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(logged('what stores is refused')).toHaveLength(1);
    expect(logged('room again')).toEqual([]);
    expect(logged('request failed')).toEqual([]);
    expect(strange(server.stderr())).toEqual([]);
    server = await startServerProcess({ ...settings, LOG_LEVEL: 'info' });
    expect((await ask('GET', '/readyz')).status).toBe(503);
    expect((await ask('DELETE', path, undefined, asOwner)).status).toBe(204);
    await expect.poll(async () => (await ask('GET', '/readyz')).status, { timeout: 60_000 }).toBe(200);
    expect((await ask('POST', '/api/v1/rooms/', undefined, asOwner)).status).toBe(201);
    expect(await metric()).toMatch(/^parlor_disk_reserve_reached 0$/m);
    expect([logged('what stores is refused').length, logged('room again').length]).toEqual([1, 1]);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const check = await spawnCommand(settings, ['database', 'check']).result;
    expect([check.code, check.err]).toEqual([0, '']);
  },
);

it.skipIf(process.platform !== 'linux')(
  'what the log has no room for is lost, and nothing else',
  { timeout: 60_000 },
  async () => {
    const onFullDisk = `exec "${process.execPath}" "${MAIN}" 2>/dev/full`;
    const settings = { ...(await serverSettings()), LOG_LEVEL: 'info' };
    const server = await startServerProcess(settings, ['/bin/sh', '-c', onFullDisk]);
    for (let i = 0; i < 20; i++) {
      const response = await fetch(`${server.url}/healthz`, { signal: AbortSignal.timeout(10_000) });
      expect(response.status).toBe(200);
    }
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  },
);
