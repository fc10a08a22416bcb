import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { post, register } from './account.mjs';
import { endProgram, PROBED, probe, startProgram } from './processes.mjs';
import { spread } from './ratio.mjs';
import { comeBack, drop, forEach, open, quantile } from './realtime-clients.mjs';

/** @typedef {import('./realtime-clients.mjs').Client} Client */

/** Idle visitors; each needs a file of this process and one of the server's. */
const VISITORS = Number(process.env.BENCH_VISITORS ?? 10_000);
const ACTIVE = 50;
const RATE = 100;
/** Long enough that one pause of the machine does not decide what the slowest hundredth is. */
const SECONDS = 30;
const STORM = 10_000;

const here = (/** @type {string} */ path) => fileURLToPath(new URL(path, import.meta.url));
const line = (/** @type {string} */ name, /** @type {string} */ text) =>
  console.log(`${name.padEnd(36)} ${text}`);
const ms = (/** @type {number[]} */ times) =>
  `p50 ${quantile(times, 0.5).toFixed(0)} ms   p99 ${quantile(times, 0.99).toFixed(0)} ms`;

/**
 * Posts so many messages a second to the rooms of some clients.
 * @param {string} url @param {Record<string, string>} headers @param {Client[]} clients @param {number} seconds @param {number} rate
 */
const load = async (url, headers, clients, seconds, rate) => {
  /** @type {number[]} */
  const posts = [];
  /** @type {number[]} */
  const frames = [];
  /** @type {Map<string, number>} */
  const begun = new Map();
  for (const client of clients) {
    client.onFrame = ({ type, data }) => {
      const at = type === 'message.added' ? begun.get(data.body) : undefined;
      if (at !== undefined) frames.push(performance.now() - at);
    };
  }
  const running = [];
  const start = performance.now();
  for (let i = 0; i < seconds * rate; i++) {
    await sleep(Math.max(0, start + (i * 1_000) / rate - performance.now()));
    const { session } = /** @type {Client} */ (clients[i % clients.length]);
    const body = `message ${i} of ${start}`;
    const at = performance.now();
    begun.set(body, at);
    const message = { body, room: { uuid: session.room.uuid }, is_support_sender: true };
    running.push(
      post(`${url}/api/v1/messages/`, message, headers).then(() => posts.push(performance.now() - at)),
    );
  }
  await Promise.all(running);
  for (let i = 0; i < 100 && frames.length < posts.length; i++) await sleep(50);
  if (frames.length !== posts.length) throw new Error(`${posts.length} posts, ${frames.length} frames`);
  return { posts, frames };
};

/**
 * The live channel: memory of a connection over a bare ws server with the same sockets, time from the POST to the
 * other side's frame, on one process and across two, and what a storm of reconnections does to those who write.
 * @param {{ dataDir: string, mongodbUrl: string | undefined }} options
 */
export const realtime = async ({ dataDir, mongodbUrl }) => {
  const socket = join(dataDir, 'realtime.sock');
  const settings = {
    PORT: '0',
    SECRET_KEY: 'a secret key for the bench only, 40 long',
    LOG_LEVEL: 'error',
    RATE_LIMIT: 'off',
    REGISTRATION: 'open',
    DATA_DIR: join(dataDir, 'realtime'),
  };
  const database = mongodbUrl ?? `mongodb://${encodeURIComponent(socket)}/parlor?directConnection=true`;
  const start = (
    /** @type {string} */ name,
    /** @type {string} */ program,
    /** @type {object} */ more = {},
  ) =>
    startProgram(
      [...PROBED, here(program)],
      { ...settings, PROBE: join(dataDir, `${name}.probe`), ...more },
      /(http:\/\/127\.0\.0\.1:\d+)\/?$/m,
    );
  const memory = (/** @type {string} */ name) => probe(join(dataDir, `${name}.probe`), '/memory');
  const cpu = async () => (await probe(join(dataDir, 'one.probe'), '/cpu')).cpu;
  const bare = await start('bare', './realtime-bare.mjs');
  const listening = mongodbUrl ? {} : { EMBEDDED_MONGODB_LISTEN: socket };
  const url = await start('one', '../dist/bundle/main.js', listening);

  const { headers } = await register(url);
  const listed = await fetch(`${url}/api/v1/widgets/`, { headers });
  const [widget] = /** @type {any} */ (await listed.json());
  /** @type {Client[]} */
  const clients = Array.from({ length: VISITORS }, () => /** @type {any} */ ({}));
  await forEach(
    clients,
    async (client) => {
      client.session = await post(`${url}/api/v1/widgets/${widget.token}/sessions/`, {});
    },
    20,
  );
  const active = clients.slice(0, ACTIVE);
  const thread = new Worker(new URL('./realtime-idle.mjs', import.meta.url), {
    workerData: clients.slice(ACTIVE),
  });
  const idle = async (/** @type {string} */ order, /** @type {string} */ to = '', within = 0) => {
    thread.postMessage({ order, url: to, within });
    const [said] = await once(thread, 'message');
    return said;
  };
  for (const { session } of active) {
    const message = { body: 'Hello', room: { uuid: session.room.uuid } };
    await post(`${url}/api/v1/messages/`, message, { Authorization: `Visitor ${session.token}` });
  }

  /** @param {string} name @param {string} at */
  const cost = async (name, at) => {
    const before = await memory(name);
    await Promise.all([idle('open', at), forEach(active, (client) => open(at, client))]);
    await sleep(1_000);
    const after = await memory(name);
    return { held: (after.held - before.held) / VISITORS, rss: (after.rss - before.rss) / VISITORS };
  };
  const floor = await cost('bare', bare);
  await Promise.all([idle('drop'), drop(active)]);
  for (const client of active) client.after = undefined;
  const own = await cost('one', url);
  const kB = (/** @type {number} */ bytes) => (bytes / 1_000).toFixed(1);
  line(
    `memory of ${VISITORS} connections`,
    `${kB(own.held - floor.held)} kB each over ws (${kB(own.held)} against ${kB(floor.held)}; ` +
      `resident ${kB(own.rss)} against ${kB(floor.rss)})   goal at most 20`,
  );

  const before = await cpu();
  await sleep(10_000);
  line('idle', `${(((await cpu()) - before) / 100).toFixed(1)} % of a core with ${VISITORS} connections`);

  const tail = JSON.parse(
    await startProgram([here('./realtime-tail.mjs'), database], {}, /^done (\[.*\])$/m),
  );
  line('following the log, idle', `${spread(tail, 2)} % of a core   goal under 1`);

  const alone = await load(url, headers, active, SECONDS, RATE);
  line(
    `POST to frame, ${RATE}/s, one process`,
    `${ms(alone.frames)}   (POST ${ms(alone.posts)})   goal p99 50`,
  );

  const second = await start('two', '../dist/bundle/main.js', { MONGODB_URL: database });
  await drop(active);
  await forEach(active, (client) => open(second, client));
  const across = await load(url, headers, active, SECONDS, RATE);
  line(
    `POST to frame, ${RATE}/s, two processes`,
    `${ms(across.frames)}   (POST ${ms(across.posts)})   goal p99 300`,
  );

  /** @param {string} what @param {string} to @param {string} goal */
  const storm = async (what, to, goal) => {
    const back = idle('comeBack', to, STORM);
    await forEach(active, (client) => comeBack(to, client));
    const during = await load(to, headers, active, STORM / 1_000 - 1, 20);
    const { times, took } = await back;
    line(
      what,
      `POST ${ms(during.posts)}   (ready ${ms(times)}, all after ${(took / 1_000).toFixed(0)} s)${goal}`,
    );
    await Promise.all([idle('drop'), drop(active)]);
  };
  await Promise.all([idle('drop'), drop(active)]);
  await storm(`${VISITORS} come back within 10 s`, url, '   goal p99 250');
  await Promise.all([endProgram(second), endProgram(url)]);
  await storm('the same to a new process', await start('again', '../dist/bundle/main.js', listening), '');
  await thread.terminate();
};
