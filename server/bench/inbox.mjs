import { setTimeout as sleep } from 'node:timers/promises';
import mongoose from 'mongoose';
import { post, register } from './account.mjs';
import { median, p99 } from './ratio.mjs';

const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000);
const AT_ONCE = 5_000;
const ROUNDS = 300;
/** As many in both accounts, so that what is compared is the number of those that are done. */
const OPEN = 600;
const SNOOZED = 200;
const MEMBERS = 200;
const TAGS = Array.from({ length: 50 }, (_, n) => `tag ${n}`);

/** What the console asks for. */
const VIEWS = {
  'what waits longest': 'conversations/?status=open',
  'my own': 'conversations/?status=open&assignee=me',
  "nobody's": 'conversations/?status=open&assignee=none',
  unread: 'conversations/?is_unread=true',
  'with a tag': 'conversations/?status=open&tag=tag%207',
  'done, changed last': 'conversations/?status=done&order=updated',
  'the numbers': 'conversations/counts/',
};

/**
 * The n-th conversation: the latest ones are open, half of those wait on us, and what came before them is snoozed or done.
 * @param {any} like @param {string} member @param {number} n
 */
const conversation = (like, member, n) => {
  const status = n < OPEN ? 'open' : n < OPEN + SNOOZED ? 'snoozed' : 'done';
  const updated_at = new Date(Date.now() - n * 1_000);
  const isWaiting = status === 'open' && n % 2 === 0;
  return {
    ...like,
    _id: crypto.randomUUID(),
    status,
    waiting_on: status === 'done' ? null : isWaiting ? 'us' : 'visitor',
    assignee: n % 3 === 0 ? member : null,
    tags: [TAGS[n % 49], TAGS[49]],
    unread: n < OPEN && n % 4 === 0 ? [member] : [],
    updated_at,
    rank: isWaiting ? new Date(1e14 - updated_at.getTime()) : updated_at,
  };
};

/**
 * A list and the numbers of the side bar cost the same among a million conversations as among a thousand.
 * @param {{ url: string, databaseUrl: string }} servers
 */
export const inbox = async ({ url, databaseUrl }) => {
  const connection = await mongoose.createConnection(databaseUrl, { dbName: 'parlor' }).asPromise();
  const conversations = /** @type {mongoose.mongo.Collection<any>} */ (
    connection.collection('conversations')
  );
  const rooms = /** @type {mongoose.mongo.Collection<any>} */ (connection.collection('rooms'));

  /** An account with so many conversations, past the API. @param {number} rows */
  const accountOf = async (rows) => {
    const { headers } = await register(url);
    const { uuid } = await post(`${url}/api/v1/rooms/`, {}, headers);
    await post(`${url}/api/v1/messages/`, { body: 'Do you deliver?', room: { uuid } }, headers);
    const member = await (await fetch(`${url}/api/v1/members/me/`, { headers })).json();
    for (let n = 0; n < TAGS.length; n += 20) {
      const body = JSON.stringify({ tags: TAGS.slice(n, n + 20) });
      const path = `${url}/api/v1/conversations/${uuid}/`;
      // It is there milliseconds after its first message.
      while ((await fetch(path, { method: 'PATCH', headers, body })).status === 404) await sleep(20);
    }
    const { _id, events, ...like } = await conversations.findOne({ _id: uuid });
    const { events: _, ...room } = await rooms.findOne({ _id: uuid });
    const started = performance.now();
    for (let n = 1; n < rows; n += AT_ONCE) {
      const some = Array.from({ length: Math.min(AT_ONCE, rows - n) }, (_, i) =>
        conversation(like, member.uuid, n + i),
      );
      const quickly = { ordered: false, writeConcern: { w: 1, j: false } };
      // Without them they would be of rooms that are being deleted.
      const theirs = some.map(({ _id }) => ({ ...room, _id, label: _id }));
      await rooms.insertMany(theirs, quickly);
      await conversations.insertMany(some, quickly);
      if (process.stderr.isTTY) process.stderr.write(`\r${n + AT_ONCE} of ${rows} conversations `);
    }
    const seconds = (performance.now() - started) / 1_000;
    console.log(`${'inbox'.padEnd(36)} ${rows} conversations made in ${seconds.toFixed(0)} s`);
    return headers;
  };

  /** @param {string} path @param {Record<string, string>} headers @returns {Promise<number>} milliseconds */
  const time = async (path, headers) => {
    const started = performance.now();
    const answer = await fetch(`${url}/api/v1/${path}`, { headers });
    await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
    return performance.now() - started;
  };

  const small = await accountOf(SMALL);
  const large = await accountOf(LARGE);
  for (const [name, path] of Object.entries(VIEWS)) {
    /** @type {[number[], number[]]} */
    const times = [[], []];
    for (let n = 0; n < ROUNDS; n++) {
      times[0].push(await time(path, small));
      times[1].push(await time(path, large));
    }
    const [few, many] = [p99(times[0]), p99(times[1])];
    const medians = `median ${median(times[0]).toFixed(1)} and ${median(times[1]).toFixed(1)} ms`;
    const text = `p99 ${few.toFixed(1)} ms of ${SMALL}, ${many.toFixed(1)} ms of ${LARGE}: ${(many / few).toFixed(2)} times that, ${medians}`;
    console.log(`${`inbox: ${name}`.padEnd(36)} ${text}   goal at most 1.5`);
  }
  // What members' screens cost that ask for the numbers, against what any request costs.
  const together = async (/** @type {string} */ path) => {
    const started = performance.now();
    await Promise.all([...Array(MEMBERS)].map(() => time(path, large)));
    return performance.now() - started;
  };
  const bare = [];
  const counted = [];
  for (let n = 0; n < 3; n++) {
    bare.push(await together('members/me/'));
    counted.push(await together('conversations/counts/'));
  }
  const text = `${MEMBERS} ask at once: ${median(counted).toFixed(0)} ms, for who they are ${median(bare).toFixed(0)} ms`;
  console.log(`${'inbox: the numbers'.padEnd(36)} ${text}`);
  await connection.close();
};
