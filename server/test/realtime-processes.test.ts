import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { REALTIME_PATH, ServerFrame } from '@parlor/shared';
import { beforeAll, expect, inject, it } from 'vitest';
import { WebSocket } from 'ws';
import { connect, type RealtimeClient } from './realtime-client.ts';
import { seeded } from './realtime-seeded.ts';
import { type AtEnd, type ServerProcess, serverSettings, startServerProcess } from './server-process.ts';
import { afterThem, oneOwner } from './shared-server.ts';

/** How many random schedules; more of them by the environment. */
const SCHEDULES = Number(process.env.REALTIME_SCHEDULES ?? 5);
const FIRST_SEED = Number(process.env.REALTIME_SEED ?? 1);
/** How many of them run at a time, each in a conversation of its own; a kill meets them all. */
const SIDE_BY_SIDE = 4;
/** In one schedule of this many a server process is killed and started anew. */
const KILL_IN = 6;

type Random = () => number;
const pick = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

/** Server processes on one database: three on a MongoDB; the embedded database is one process's own. */
const startCluster = async (atEnd: AtEnd) => {
  const settings = { ...(await serverSettings(atEnd)), RATE_LIMIT: 'off' };
  const start = () => startServerProcess(settings, undefined, atEnd);
  const processes: ServerProcess[] = [await start()];
  if (inject('isRealMongodb')) processes.push(await start(), await start());
  const killOne = async (random: Random) => {
    const index = Math.floor(random() * processes.length);
    await processes[index]?.end('SIGKILL');
    processes[index] = await start();
  };
  let killing = Promise.resolve();
  return {
    processes,
    kill: (random: Random) => {
      killing = killing.then(() => killOne(random));
      return killing;
    },
  };
};
type Cluster = Awaited<ReturnType<typeof startCluster>>;

let cluster: Cluster;
const atEnd = afterThem();
beforeAll(async () => {
  cluster = await startCluster(atEnd);
});

/** A client that comes and goes, on one process or another, and keeps what it was told. */
class Wanderer {
  readonly messages: string[] = [];
  readonly ids = new Set<string>();
  after: string | undefined;
  resyncs = 0;
  #socket: WebSocket | undefined;
  readonly #credential: object;

  constructor(credential: object) {
    this.#credential = credential;
  }

  get isConnected(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN || this.#socket?.readyState === WebSocket.CONNECTING;
  }

  connect(url: string): void {
    if (this.isConnected) return;
    const socket = new WebSocket(url.replace('http', 'ws') + REALTIME_PATH);
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'auth', ...this.#credential, after: this.after }));
    });
    socket.on('message', (data) => {
      if (this.#socket !== socket) return;
      const frame = ServerFrame.parse(JSON.parse(data.toString()));
      if (frame.type === 'ready') this.after ??= frame.after;
      if (frame.type === 'resync') this.resyncs++;
      if (!('id' in frame)) return;
      expect(this.ids.has(frame.id), `${frame.id} came twice`).toBe(false);
      this.ids.add(frame.id);
      this.after = frame.id;
      if (frame.type === 'message.added') this.messages.push(frame.data.uuid);
    });
  }

  drop(): void {
    this.#socket?.terminate();
    this.#socket = undefined;
  }
}

/** Posts until it is acknowledged, as the widget does: with one key, on whichever process answers. */
const post = async (
  cluster: Cluster,
  random: Random,
  authorization: string,
  room: string,
): Promise<string> => {
  const key = randomUUID();
  for (;;) {
    try {
      const answer = await fetch(`${pick(random, cluster.processes).url}/api/v1/messages/`, {
        method: 'POST',
        headers: {
          'Content-Type': 'application/json',
          Authorization: authorization,
          'Idempotency-Key': key,
        },
        body: JSON.stringify({ body: key, room: { uuid: room } }),
        signal: AbortSignal.timeout(35_000),
      });
      if (answer.status === 201) return ((await answer.json()) as { uuid: string }).uuid;
      if (answer.status < 409) throw new Error(`${answer.status} ${await answer.text()}`);
    } catch (error) {
      if (!['TypeError', 'TimeoutError'].includes((error as Error).name)) throw error;
    }
    await sleep(50);
  }
};

const waitFor = async (isSo: () => boolean, what: () => string, patience = 60_000): Promise<void> => {
  for (const deadline = Date.now() + patience; !isSo(); await sleep(20)) {
    if (Date.now() > deadline) throw new Error(what());
  }
};

/** Opens a visitor's session, however often the process that is asked is killed meanwhile. */
const openSession = async (
  anyUrl: () => string,
  widget: string,
): Promise<{ token: string; room: { uuid: string } }> => {
  for (;;) {
    const path = `${anyUrl()}/api/v1/widgets/${widget}/sessions/`;
    const answer = await fetch(path, { method: 'POST' }).catch(() => undefined);
    if (answer?.status === 201) return (await answer.json()) as Awaited<ReturnType<typeof openSession>>;
    await sleep(50);
  }
};

const runSchedule = async (cluster: Cluster, token: string, widget: string, seed: number): Promise<void> => {
  const random = seeded(seed);
  const anyUrl = () => pick(random, cluster.processes).url;
  const session = await openSession(anyUrl, widget);
  const operator = { scheme: 'Token', token, rooms: [session.room.uuid] };
  const visitor = { scheme: 'Visitor', token: session.token };
  const clients = [visitor, visitor, operator, operator].map((credential) => new Wanderer(credential));
  for (const client of clients) client.connect(anyUrl());
  await waitFor(
    () => {
      for (const client of clients) client.connect(anyUrl());
      return clients.every(({ after }) => after !== undefined);
    },
    () => 'no client gets ready',
  );

  // The room is there once the visitor has said something.
  const sent = [await post(cluster, random, `Visitor ${session.token}`, session.room.uuid)];
  const posting: Promise<unknown>[] = [];
  const isDeadly = seed % KILL_IN === 0;
  for (let step = 0; step < 40; step++) {
    const client = pick(random, clients);
    const dice = random();
    if (dice < 0.3) client.drop();
    else if (dice < 0.6) client.connect(anyUrl());
    else if (dice < 0.9) {
      const who = random() < 0.5 ? `Visitor ${session.token}` : `Token ${token}`;
      posting.push(post(cluster, random, who, session.room.uuid).then((uuid) => sent.push(uuid)));
    } else await sleep(random() * 30);
    if (isDeadly && step === 20) posting.push(cluster.kill(random));
  }
  await Promise.all(posting);
  await waitFor(
    () => {
      for (const client of clients) client.connect(anyUrl());
      return clients.every(({ messages }) => messages.length >= sent.length);
    },
    () => `seed ${seed}: ${sent.length} were sent, and seen ${clients.map((c) => c.messages.length)}`,
  );
  const [first, ...others] = clients.map(({ messages }) => messages);
  expect([seed, [...(first ?? [])].sort()]).toEqual([seed, sent.sort()]);
  for (const other of others) expect([seed, other]).toEqual([seed, first]);
  expect(clients.map(({ resyncs }) => resyncs)).toEqual([0, 0, 0, 0]);
  for (const client of clients) client.drop();
};

it(`tells every client the same, in the same order, each once, on any process and through kills (${SCHEDULES} schedules)`, async () => {
  const { token, widget } = await oneOwner(cluster.processes[0]?.url ?? '');
  let next = FIRST_SEED;
  const runSome = async () => {
    while (next < FIRST_SEED + SCHEDULES) await runSchedule(cluster, token, widget, next++);
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, runSome));
}, 3_600_000);

it('reaches clients of another process', async () => {
  const [one, other = one] = cluster.processes;
  const { token, widget } = await oneOwner(one?.url ?? '');
  const opened = await fetch(`${one?.url}/api/v1/widgets/${widget}/sessions/`, { method: 'POST' });
  const session = (await opened.json()) as { token: string; room: { uuid: string } };
  const client = new Wanderer({ scheme: 'Token', token });
  client.connect(other?.url ?? '');
  await waitFor(
    () => client.after !== undefined,
    () => 'not ready',
  );
  for (let round = 0; round < 5; round++) {
    const uuid = await post(
      { ...cluster, processes: [one as ServerProcess] },
      Math.random,
      `Visitor ${session.token}`,
      session.room.uuid,
    );
    await waitFor(
      () => client.messages.includes(uuid),
      () => 'not told',
    );
  }
  client.drop();
  expect(client.messages).toHaveLength(5);
});

it('closes the sockets of an ended credential on every process', async () => {
  const { token, rest, widget, username } = await oneOwner(cluster.processes[0]?.url ?? '');
  const url = cluster.processes[0]?.url ?? '';
  const opened = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, { method: 'POST' });
  const session = (await opened.json()) as { token: string };
  const pages = await Promise.all(
    cluster.processes.map((one) => connect(one.url, { visitor: session.token })),
  );
  const operators = await Promise.all(cluster.processes.map((one) => connect(one.url, { token })));
  const areClosed = async (clients: RealtimeClient[]) => {
    for (const { code } of await Promise.all(clients.map(({ closed }) => closed))) expect(code).toBe(4401);
  };
  const erased = await fetch(`${url}/api/v1/widgets/${widget}/sessions/`, {
    method: 'DELETE',
    headers: { Authorization: `Visitor ${session.token}` },
  });
  expect(erased.status).toBe(204);
  await areClosed(pages);
  const person = { username, password: 'a long enough secret', reset_token: true };
  expect((await rest('POST', '/api/v1/auth/api-token', person)).status).toBe(200);
  await areClosed(operators);
});
