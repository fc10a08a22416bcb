import mongoose from 'mongoose';
import { post, register } from './account.mjs';
import { latency, median } from './ratio.mjs';

const SMALL = 1_000;
const LARGE = Number(process.env.BENCH_ROWS ?? 1_000_000);
const FAR_PAGE = 9_000;
const PAGE = 100;
const AT_ONCE = 5_000;
const ROUNDS = 5;

/** Fills a room with messages of one second each, past the API: a million posts would take an hour. */
const fill = async (
  /** @type {mongoose.mongo.Collection<any>} */ messages,
  /** @type {any} */ like,
  /** @type {number} */ rows,
) => {
  const first = Date.now() - rows * 1_000;
  for (let n = 0; n < rows; n += AT_ONCE) {
    await messages.insertMany(
      Array.from({ length: Math.min(AT_ONCE, rows - n) }, (_, i) => ({
        ...like,
        _id: crypto.randomUUID(),
        sent_at: new Date(first + (n + i) * 1_000),
      })),
      { ordered: false, writeConcern: { w: 1, j: false } },
    );
    if (process.stderr.isTTY) process.stderr.write(`\r${n + AT_ONCE} of ${rows} messages `);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
};

/** The address of a page: the cursor that the page before it hands out names its last row. */
const pageUrl = async (
  /** @type {string} */ url,
  /** @type {mongoose.mongo.Collection<any>} */ messages,
  /** @type {string} */ room,
  /** @type {number} */ page,
) => {
  const list = `${url}/api/v1/messages/?room=${room}&limit=${PAGE}`;
  if (page === 0) return list;
  const range = { room, sent_at: { $lte: new Date(Date.now() - page * PAGE * 1_000) } };
  const last = await messages.find(range).sort({ sent_at: -1, _id: -1 }).limit(1).next();
  return `${list}&cursor=${Buffer.from(JSON.stringify([last.sent_at.getTime(), last._id])).toString('base64url')}`;
};

/**
 * A page of a long list costs what a page of a short one costs, and the far page what the first one costs.
 * @param {{ url: string, databaseUrl: string }} servers
 */
export const lists = async ({ url, databaseUrl }) => {
  const { headers } = await register(url);
  const connection = await mongoose.createConnection(databaseUrl, { dbName: 'parlor' }).asPromise();
  const messages = connection.collection('messages');
  /** @param {number} rows */
  const roomOf = async (rows) => {
    const room = await post(`${url}/api/v1/rooms/`, {}, headers);
    const body = { nickname: 'Ada', email: 'ada@example.com', body: 'Do you deliver?', room };
    const { uuid } = await post(`${url}/api/v1/messages/`, body, headers);
    const { _id, events, ...like } = /** @type {any} */ (await messages.findOne({ _id: uuid }));
    await fill(/** @type {any} */ (messages), like, rows - 1);
    return room.uuid;
  };
  const small = await roomOf(SMALL);
  const large = await roomOf(LARGE);
  const page = Math.min(FAR_PAGE, LARGE / PAGE - 2);
  const pages = {
    small: await pageUrl(url, /** @type {any} */ (messages), small, 0),
    first: await pageUrl(url, /** @type {any} */ (messages), large, 0),
    far: await pageUrl(url, /** @type {any} */ (messages), large, page),
  };
  const times = { small: [0], first: [0], far: [0] };
  for (const name of /** @type {const} */ (['small', 'first', 'far'])) times[name] = [];
  for (let i = 0; i < ROUNDS; i++) {
    for (const name of /** @type {const} */ (['small', 'first', 'far'])) {
      times[name].push(await latency({ url: pages[name], headers }));
    }
  }
  await connection.close();
  const ratio = (/** @type {'first' | 'far'} */ name) =>
    median(times[name].map((time, i) => time / (times.small[i] ?? Number.NaN))).toFixed(2);
  const text = `p99 ${median(times.small).toFixed(1)} ms of ${SMALL} rows; of ${LARGE}: first page ${ratio('first')}, page ${page} ${ratio('far')} times that`;
  console.log(`${'list of 100 messages'.padEnd(36)} ${text}   goal at most 1.5`);
};
