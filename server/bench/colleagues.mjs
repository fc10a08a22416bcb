import { setTimeout as sleep } from 'node:timers/promises';
import { post, register } from './account.mjs';
import { median, p99 } from './ratio.mjs';
import { drop, forEach, open } from './realtime-clients.mjs';

/** As many as an account has, each with the inbox open in so many tabs. */
const MEMBERS = 100;
const TABS = 2;
const ROOMS = 200;
const MESSAGES_A_SECOND = 50;
const CHANGES_A_SECOND = 4;
const SECONDS = Number(process.env.BENCH_SECONDS ?? 30);
const PASSWORD = 'a long enough secret';

/**
 * How soon everybody's inbox knows what one member has done with a conversation, while visitors write: from before the
 * request until the frame has come to a socket, each change on each socket.
 * @param {{ url: string }} servers
 */
export const colleagues = async ({ url }) => {
  const { credentials, headers } = await register(url);
  /** A member who has accepted an invitation. @param {number} n @returns the sockets' credentials */
  const join = async (n) => {
    const username = `${credentials.username}-${n}`;
    const who = { username, password: PASSWORD };
    const invitation = { email: `${username}@example.com`, role: 'operator', name: `Member ${n}` };
    const { invite_url } = await post(`${url}/api/v1/members/`, invitation, headers);
    const token = invite_url.split('#token=')[1];
    await post(`${url}/api/v1/auth/accept-invitation`, { ...who, password2: PASSWORD, token });
    return (await post(`${url}/api/v1/auth/api-token`, who)).token;
  };
  /** @type {string[]} */
  const tokens = [];
  await forEach(
    Array.from({ length: MEMBERS }, (_, n) => n),
    async (n) => void tokens.push(await join(n)),
    4,
  );
  /** @type {string[]} */
  const rooms = [];
  for (let n = 0; n < ROOMS; n++) {
    const { uuid } = await post(`${url}/api/v1/rooms/`, {}, headers);
    await post(`${url}/api/v1/messages/`, { body: 'Hello', nickname: 'Ada', room: { uuid } }, headers);
    rooms.push(uuid);
  }
  await sleep(2_000);

  /** @type {number[]} */
  const times = [];
  /** @type {Map<string, number>} */
  const begun = new Map();
  let frames = 0;
  const clients = Array.from({ length: MEMBERS * TABS }, (_, n) => ({
    session: { scheme: 'Token', token: tokens[n % MEMBERS] ?? '', counts: true, room: { uuid: '' } },
    onFrame: (/** @type {any} */ { type, data }) => {
      frames++;
      if (type !== 'conversation.updated' || !data.changed.includes('tags')) return;
      const at = begun.get(data.tags[0]);
      if (at !== undefined) times.push(performance.now() - at);
    },
  }));
  await forEach(clients, (client) => open(url, client), 10);

  let isOver = false;
  /** @param {number} rate a second @param {(n: number) => Promise<unknown>} act */
  const keepOn = async (rate, act) => {
    const running = [];
    const start = performance.now();
    for (let n = 0; !isOver; n++) {
      await sleep(Math.max(0, start + (n * 1_000) / rate - performance.now()));
      running.push(act(n));
    }
    await Promise.all(running);
  };
  const change = async (/** @type {number} */ n) => {
    const path = `${url}/api/v1/conversations/${rooms[(n * 7) % ROOMS]}/`;
    const tag = `change ${n}`;
    begun.set(tag, performance.now());
    const response = await fetch(path, { method: 'PATCH', headers, body: JSON.stringify({ tags: [tag] }) });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const say = (/** @type {number} */ n) => {
    const message = { body: `Message ${n}`, nickname: 'Ada', room: { uuid: rooms[n % ROOMS] } };
    return post(`${url}/api/v1/messages/`, message, headers);
  };
  const busy = [keepOn(MESSAGES_A_SECOND, say), keepOn(CHANGES_A_SECOND, change)];
  await sleep(SECONDS * 1_000);
  isOver = true;
  await Promise.all(busy);
  for (let n = 0; n < 100 && times.length < begun.size * clients.length; n++) await sleep(50);
  await drop(clients);
  if (times.length !== begun.size * clients.length)
    throw new Error(`${begun.size} changes, ${times.length} frames on ${clients.length} sockets`);
  const sockets = `${clients.length} sockets of ${MEMBERS} members, ${MESSAGES_A_SECOND} messages and ${(frames / SECONDS).toFixed(0)} frames a second`;
  console.log(
    `${'a change to a colleague'.padEnd(36)} median ${median(times).toFixed(0)} ms, p99 ${p99(times).toFixed(0)} ms   goal p99 at most 150   (${sockets})`,
  );
};
