import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';

/**
 * Starts a server in which `code` is run when the answer is called: in the main thread, or in the database's; `atStart` in both
 * before all else.
 * Nothing that a client can send does this; memory that another library leaks, or a defect, would.
 */
const startWith = async (code: string, thread: 'main' | 'database' | 'both', atStart = '') => {
  const folder = await mkdtemp(join(tmpdir(), 'parlor-fatal-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const sign = join(folder, 'now');
  const script = join(folder, 'fatal.mjs');
  await writeFile(
    script,
    `import { existsSync } from 'node:fs';
     import { isMainThread } from 'node:worker_threads';
     ${atStart}
     const look = setInterval(() => {
       if (!existsSync(${JSON.stringify(sign)})) return;
       clearInterval(look);
       ${code}
     }, 50);
     if (${thread !== 'both'} && isMainThread !== ${thread === 'main'}) clearInterval(look);
     look.unref();`,
  );
  const NODE_OPTIONS = `--import=${pathToFileURL(script)}`;
  const server = await startServerProcess({ ...(await serverSettings()), NODE_OPTIONS });
  return { server, happen: () => writeFile(sign, '') };
};

/** The fatal entry of the log. What a process has written last is read after its end. */
const fatalEntry = (server: ServerProcess): Promise<unknown> =>
  vi.waitFor(() => {
    const entries = server
      .stderr()
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'));
    const fatal = entries.map((line) => JSON.parse(line)).find(({ level }) => level === 60);
    expect(fatal, server.stderr()).toBeDefined();
    return fatal;
  }, 60_000);

it.skipIf(inject('isRealMongodb')).each([
  ['runs out of memory', 'const all = []; for (;;) all.push(new Array(100_000).fill(1.5));', /out of memory/],
  ['throws', "throw new Error('a defect');", /a defect/],
  ['exits', 'process.exit(0);', /exit code 0/],
])("a database's thread that %s ends the process, which says so", async (_what, code, reason) => {
  const { server, happen } = await startWith(code, 'database');
  await happen();
  expect(await server.ended).toEqual({ code: 1, signal: null });
  expect(await fatalEntry(server)).toMatchObject({ err: { message: expect.stringMatching(reason) } });
  await expect.poll(() => server.stderr()).toMatch(/^Parlor ends: the embedded database in \S+ ended: .+$/m);
});

it.each([
  ['an error that nobody caught', "throw new Error('a defect');"],
  ['a rejection that nobody handled', "void Promise.reject(new Error('a defect'));"],
])('%s is logged and ends the process', async (_what, code) => {
  const { server, happen } = await startWith(code, 'main');
  await happen();
  expect(await server.ended).toEqual({ code: 1, signal: null });
  expect(await fatalEntry(server)).toMatchObject({
    msg: 'a defect ends the process',
    err: { message: 'a defect' },
  });
});

it.skipIf(inject('isRealMongodb'))(
  "SIGTERM ends the process whose database's thread hangs",
  async () => {
    const { server, happen } = await startWith("process.stderr.write('hanging\\n'); for (;;);", 'database');
    await happen();
    expect(await server.end('SIGTERM')).toMatchObject({ signal: null });
  },
  45_000,
);

/**
 * A thread that the system keeps, as a disk does that never answers: nobody writes to this pipe. It says so by itself: what goes
 * through the main thread may come too late on a busy machine.
 */
const HANG = `const { execFileSync, openSync, writeSync } = { ...process.getBuiltinModule('child_process'), ...process.getBuiltinModule('fs') };
  const pipe = import.meta.dirname + '/pipe';
  execFileSync('mkfifo', [pipe]);
  writeSync(2, 'hanging\\n');
  setTimeout(() => openSync(pipe), 100);`;

describe.runIf(process.platform === 'linux' && !inject('isRealMongodb'))(
  'a process whose database can not be ended',
  () => {
    const startHanging = async () => {
      const { server, happen } = await startWith(HANG, 'database');
      await happen();
      await expect.poll(() => server.stderr()).toContain('hanging');
      await sleep(500);
      return server;
    };

    it('ends when it is told to stop', { timeout: 90_000 }, async () => {
      const server = await startHanging();
      expect(await server.end('SIGTERM')).toEqual({ code: null, signal: 'SIGKILL' });
      expect(server.stderr()).toMatch(
        /^Parlor (ends: stopping took|did not stop as it should: the embedded database in )/m,
      );
    });

    it('ends sooner when it is told so again', { timeout: 60_000 }, async () => {
      const server = await startHanging();
      process.kill(server.pid, 'SIGTERM');
      // One Ctrl-C may be told twice.
      process.kill(server.pid, 'SIGINT');
      await sleep(6_000);
      expect(server.stderr()).not.toContain('Parlor ends');
      expect(await server.end('SIGTERM')).toEqual({ code: null, signal: 'SIGKILL' });
      expect(server.stderr()).toContain('Parlor ends: it was told to stop again before it had stopped\n');
    });

    it('ends by a defect', { timeout: 60_000 }, async () => {
      const { server, happen } = await startWith(
        `if (isMainThread) setTimeout(() => { throw new Error('a defect'); }, 1_000);
       else { ${HANG} }`,
        'both',
      );
      await happen();
      expect(await server.ended).toEqual({ code: null, signal: 'SIGKILL' });
      expect(await fatalEntry(server)).toMatchObject({ msg: 'a defect ends the process' });
    });
  },
);

/** A password of a cost that nothing ends: as when a machine is out of memory, a thread of libuv does not come back. */
const ENDLESS = `const argon2 = process.getBuiltinModule('module').createRequire(process.argv[1])('@node-rs/argon2');
  const { verify } = argon2;
  const hashed = '$argon2id$v=19$m=19456,t=4000000000,p=1$' + 'A'.repeat(22) + '$' + 'A'.repeat(43);
  argon2.verify = (_, password) => {
    process.stderr.write('hanging\\n');
    return verify(hashed, password);
  };`;

it('SIGTERM ends the process whose passwords are looked at without end', { timeout: 120_000 }, async () => {
  const { server } = await startWith('', 'main', ENDLESS);
  const body = JSON.stringify({ username: 'nobody', password: 'Zebra-coffee-91x' });
  const headers = { 'content-type': 'application/json' };
  const asked = fetch(`${server.url}/api/v1/auth/api-token`, { method: 'POST', headers, body });
  asked.catch(() => undefined);
  await expect.poll(() => server.stderr(), { timeout: 30_000 }).toContain('hanging');
  expect(await server.end('SIGTERM')).toEqual({ code: null, signal: 'SIGKILL' });
});
