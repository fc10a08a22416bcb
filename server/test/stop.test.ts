import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { hangs, says, startLlmServer } from './agent-llm-server.ts';
import { spawnCommand } from './command-line.ts';
import { startSlowServer } from './fault-points.ts';
import { startWithHangingModel } from './hanging-model.ts';
import { caller, owner } from './rest.ts';
import { serverSettings, startServerProcess } from './server-process.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A GET on a connection that is kept, as proxies and programs send them. */
const get = (agent: Agent, url: string, headers: Record<string, string>) =>
  new Promise<{ status: number | undefined; connection: string | undefined; isWhole: boolean }>(
    (resolve, reject) => {
      request(url, { agent, headers }, (response) => {
        response.resume().once('close', () =>
          resolve({
            status: response.statusCode,
            connection: response.headers.connection,
            isWhole: response.complete,
          }),
        );
      })
        .once('error', reject)
        .end();
    },
  );

const errorsIn = (log: string) => log.split('\n').filter((line) => /"level":[56]0/.test(line));

it.skipIf(process.platform === 'win32')('is stopped as well by a terminal that closes', async () => {
  const server = await startServerProcess(await serverSettings());
  expect(await server.end('SIGHUP')).toEqual({ code: 0, signal: null });
});

it('ends connections that are always busy, each after a response that says so', async () => {
  const server = await startServerProcess({ ...(await serverSettings()), RATE_LIMIT: 'off' });
  const { token } = await owner(server.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => agent.destroy());
  const answers: Awaited<ReturnType<typeof get>>[] = [];
  const failures = new Set<string>();
  let isGone = false;
  const busy = Array.from({ length: 8 }, async () => {
    while (!isGone) {
      await get(agent, `${server.url}/api/v1/rooms/`, { authorization: `Token ${token}` }).then(
        (answer) => answers.push(answer),
        ({ code }) => {
          failures.add(code);
          isGone = code === 'ECONNREFUSED';
        },
      );
    }
  });
  await expect.poll(() => answers.length).toBeGreaterThan(100);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  await Promise.all(busy);
  // None was sent on a connection that ended without a word.
  expect([...failures]).toEqual(['ECONNREFUSED']);
  expect(new Set(answers.map(({ status, isWhole }) => `${status} ${isWhole}`))).toEqual(
    new Set(['200 true']),
  );
  expect(answers.some(({ connection }) => connection === 'close')).toBe(true);
  expect(errorsIn(server.stderr())).toEqual([]);
});

it('refuses what takes too long, and answers it', { timeout: 60_000 }, async () => {
  const { llm, server, ask } = await startWithHangingModel();
  const slow = ask();
  // Another caller goes away, and its message is worked on all the same.
  const leaving = new AbortController();
  const left = ask({ signal: leaving.signal });
  await expect.poll(() => llm.asked.length).toBe(2);
  leaving.abort();
  await expect(left).rejects.toThrow();
  const ended = server.end('SIGTERM');
  const answer = await slow;
  expect([answer.status, await answer.json()]).toEqual([
    503,
    { error: 'The server is stopping. Try again.' },
  ]);
  expect(answer.headers.get('connection')).toBe('close');
  // A page's script is to read it, too.
  expect(answer.headers.get('access-control-allow-origin')).toBe('*');
  expect(answer.headers.get('retry-after')).toBe('1');
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);
});

it('waits for nobody who is silent, and answers whose body does not come', { timeout: 60_000 }, async () => {
  const server = await startServerProcess(await serverSettings());
  const { token, rest } = await owner(server.url);
  const { hostname, port } = new URL(server.url);
  /** A connection on which that is sent, and nothing more. @returns what came, and when it was closed (ms) */
  const open = async (text: string) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    if (text !== '') socket.write(text);
    let came = '';
    socket.on('data', (chunk) => (came += chunk)).on('error', () => undefined);
    await once(socket, 'close');
    return { came, at: performance.now() };
  };
  const head = ['POST /api/v1/rooms/ HTTP/1.1', 'Host: x', `Authorization: Token ${token}`];
  head.push('Content-Type: application/json', 'Content-Length: 1000', '', '{"name":');
  const [silent, stalled] = [open(''), open(head.join('\r\n'))];
  // What comes later on another connection has been answered: both are with the server.
  expect((await rest('GET', '/api/v1/rooms/')).status).toBe(200);
  const ended = server.end('SIGTERM');
  const { came, at } = await stalled;
  expect(came).toMatch(/^HTTP\/1.1 503 /);
  expect(came).toMatch(/\r\nRetry-After: 1\r\n/i);
  // It keeps nothing from stopping; what has begun may take 10 s.
  expect((await silent).at).toBeLessThan(at - 5_000);
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);
});

it('answers after the next start what its bots could not answer before', { timeout: 60_000 }, async () => {
  const llm = await startLlmServer();
  onTestFinished(() => llm.close());
  llm.behave(hangs, hangs);
  const settings = {
    ...(await serverSettings()),
    LLM_URL: llm.url,
    LLM_MODEL: 'small',
    LLM_TIMEOUT: '30s',
    BOT_WAIT_MS: '0',
  };
  const server = await startServerProcess(settings);
  const { rest, token, widget } = await owner(server.url);
  const nodes = [
    { id: 's', type: 'start', greeting: 'Hi', next: 'l' },
    { id: 'l', type: 'llm', on_error: 'h' },
    { id: 'h', type: 'handoff', text: 'Somebody will help you.' },
  ];
  const bot = { name: 'Slow', is_published: true, is_room_bot: true, nodes };
  expect((await rest('POST', '/api/v1/workflows/', bot)).status).toBe(201);
  await rest('PATCH', `/api/v1/widgets/${widget}/`, { is_bot_use: true });
  const { json: session } = await caller(server.url)('POST', `/api/v1/widgets/${widget}/sessions/`, {});
  const message = { body: 'Do you deliver?', room: { uuid: session.room.uuid } };
  const said = await caller(server.url, `Visitor ${session.token}`)('POST', '/api/v1/messages/', message);
  expect(said.status).toBe(201);
  await expect.poll(() => llm.asked.length).toBe(1);
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(errorsIn(server.stderr())).toEqual([]);

  llm.behave(says('We do.'));
  const next = await startServerProcess(settings);
  const bodies = async () => {
    const { json } = await caller(next.url, `Token ${token}`)('GET', `/api/v1/rooms/${session.room.label}/`);
    return json.messages.map(({ body }: { body: string }) => body);
  };
  await expect.poll(bodies, { timeout: 30_000 }).toEqual(['Hi', 'Do you deliver?', 'We do.']);
});

/** Waits for a process that another one starts with a module, and keeps it from going on. */
const stopChild = async (parent: number, module: string): Promise<void> => {
  for (;;) {
    const children = await readFile(`/proc/${parent}/task/${parent}/children`, 'utf8');
    for (const child of children.split(' ').filter(Boolean)) {
      const line = await readFile(`/proc/${child}/cmdline`, 'utf8').catch(() => '');
      if (!line.includes(module)) continue;
      process.kill(Number(child), 'SIGSTOP');
      return;
    }
  }
};

/** A backup beside a server, whose process that runs a module does not go on. */
const startHeldBackup = async (module: string) => {
  const settings = await serverSettings();
  const server = await startServerProcess(settings);
  const folder = await temporaryFolder();
  const backUp = () => spawnCommand(settings, ['backup', join(folder, 'backup')]);
  const isHeld = stopChild(server.pid, module);
  const command = backUp();
  await isHeld;
  return { server, folder, command, backUp };
};

const GIVE_AGAIN = 'the server was stopped before the command had ended: give it again\n';

it.skipIf(inject('isRealMongodb') || process.platform !== 'linux').each(['copy-main', 'check-main'])(
  'ends a backup that takes too long, which leaves nothing (%s)',
  { timeout: 60_000 },
  async (module) => {
    const { server, folder, command, backUp } = await startHeldBackup(module);
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await command.result).toEqual({ code: 1, out: '', err: GIVE_AGAIN });
    expect(await readdir(folder)).toEqual([]);
    expect(await backUp().result).toMatchObject({ code: 0 });
  },
);

it.skipIf(inject('isRealMongodb') || process.platform !== 'linux').each(['copy-main', 'check-main'])(
  'a backup whose command is ended leaves nothing beside the server either (%s)',
  { timeout: 60_000 },
  async (module) => {
    const { server, folder, command, backUp } = await startHeldBackup(module);
    command.child.kill('SIGTERM');
    await command.result;
    await expect.poll(() => readdir(folder), { timeout: 20_000 }).toEqual([]);
    expect(await backUp().result).toMatchObject({ code: 0 });
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  },
);

it.skipIf(inject('isRealMongodb'))(
  'ends a change of keys that takes too long, and the same command goes on',
  { timeout: 90_000 },
  async () => {
    const settings = await serverSettings();
    const server = await startSlowServer(
      { ...settings, LOG_LEVEL: 'info' },
      {
        collection: 'webhooks',
        method: 'findOne',
        ms: 1_000,
      },
    );
    const { rest } = await owner(server.url);
    for (let i = 0; i < 40; i++) {
      const made = await rest('POST', '/api/v1/webhooks/', {
        event: 'message.added',
        target: `https://example.com/${i}`,
      });
      expect(made.status).toBe(201);
    }
    const command = spawnCommand(settings, ['keys', 'rotate']).result;
    await expect.poll(() => server.stderr()).toContain('keys rotate');
    expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(await command).toEqual({ code: 1, out: '', err: GIVE_AGAIN });
    expect(await spawnCommand(settings, ['keys', 'rotate']).result).toMatchObject({ code: 0 });
  },
);
