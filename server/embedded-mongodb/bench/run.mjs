/**
 * `npm run bench -w @parlor/embedded-mongodb`: one table, all in one run. Each figure is operations a second, beside it the
 * ratio to the driver's own ping on the same connection string with as many callers. With MONGODB_URL set, the
 * same on that server. BENCH_DOCUMENTS (1 000 000) and BENCH_SECONDS (3, for each figure) make it shorter.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient, ObjectId } from 'mongodb';
import { openEmbeddedMongodb } from '../dist/index.js';

const DOCUMENTS = Number(process.env.BENCH_DOCUMENTS ?? 1_000_000);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const FAR = Math.floor(DOCUMENTS * 0.9);
const PAGE = 100;
const BATCH = 1000;
const ACCOUNT = 'account-1';
const DB = `bench_${process.pid}`;

/** Rates that are to be compared take turns, so many each: what else the machine does meets them all alike. */
const TURNS = 7;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/**
 * Runs operations in turns, from `callers` callers at once.
 * @returns of each: `rate` (operations a second, the median of its turns), `busy` (the part of the time in which the
 *   calling thread itself was at work), and `ratio` to the first of them, with its lowest and highest
 */
async function compare(callers, ...operations) {
  for (const operation of operations) for (let i = 0; i < 200; i++) await operation(i % callers);
  const turns = operations.map(() => []);
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [i, operation] of operations.entries()) turns[i].push(await measureTurn(callers, operation));
  }
  return turns.map((own) => {
    const ratios = own.map(({ rate }, turn) => rate / turns[0][turn].rate);
    return {
      rate: median(own.map(({ rate }) => rate)),
      busy: median(own.map(({ busy }) => busy)),
      ratio: { median: median(ratios), low: Math.min(...ratios), high: Math.max(...ratios) },
    };
  });
}

async function measureTurn(callers, operation) {
  let done = 0;
  const before = performance.eventLoopUtilization();
  const started = performance.now();
  const end = started + (SECONDS / TURNS) * 1000;
  await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      while (performance.now() < end) {
        await operation(caller);
        done++;
      }
    }),
  );
  const rate = (done / (performance.now() - started)) * 1000;
  return { rate, busy: performance.eventLoopUtilization(before).utilization };
}

const idOf = (i) => ObjectId.createFromHexString(i.toString(16).padStart(24, '0'));
const START = Date.UTC(2026, 0, 1);

async function load(collection) {
  await collection.createIndexes([
    { key: { account: 1, created_at: -1, _id: -1 } },
    { key: { email: 1 }, unique: true },
  ]);
  const started = performance.now();
  for (let from = 0; from < DOCUMENTS; from += BATCH) {
    const documents = Array.from({ length: BATCH }, (_, i) => ({
      _id: idOf(from + i),
      account: ACCOUNT,
      created_at: new Date(START + from + i),
      email: `visitor-${from + i}@example.com`,
      text: 'How long does delivery take, and can I pay by invoice? '.repeat(2),
      n: i,
    }));
    await collection.insertMany(documents, { ordered: false });
  }
  return DOCUMENTS / ((performance.now() - started) / 1000);
}

/** One page of a list, newest first, from the document number `position` on. */
function page(collection, position) {
  const last = DOCUMENTS - position;
  const created = new Date(START + last);
  const filter =
    position === 0
      ? { account: ACCOUNT }
      : {
          account: ACCOUNT,
          $or: [{ created_at: { $lt: created } }, { created_at: created, _id: { $lt: idOf(last) } }],
        };
  return collection.find(filter).sort({ created_at: -1, _id: -1 }).limit(PAGE).batchSize(PAGE).toArray();
}

async function measure(url, isKept) {
  // As Parlor writes: MongoDB would otherwise acknowledge before it has flushed, which this database never does.
  const client = new MongoClient(url, { maxPoolSize: 32, writeConcern: { w: 'majority', j: true } });
  const db = client.db(DB);
  const figures = new Map();
  const things = db.collection('things');
  const small = db.collection('small');
  figures.set('insertMany of 1000, documents', { rate: await load(things) });
  const ping = () => db.command({ ping: 1 });
  const row = async (name, callers, operation) => {
    const [floor, figure] = await compare(callers, ping, operation);
    const caller = `ping, ${callers} caller${callers > 1 ? 's' : ''}`;
    if (!figures.has(caller)) figures.set(caller, floor);
    figures.set(name, figure);
  };
  const any = () => Math.floor(Math.random() * DOCUMENTS);
  await row('findOne by _id, 1 caller', 1, () => things.findOne({ _id: idOf(any()) }));
  await row('findOne by _id, 32 callers', 32, () => things.findOne({ _id: idOf(any()) }));
  await row('findOne by secondary index, 32 callers', 32, () =>
    things.findOne({ email: `visitor-${any()}@example.com` }),
  );
  let n = 0;
  const text = 'x'.repeat(200);
  await small.createIndexes([{ key: { room: 1, n: 1 } }]);
  await row('insertOne, 1 writer', 1, () => small.insertOne({ room: 'r', n: n++, text }));
  await row('insertOne, 32 writers', 32, () => small.insertOne({ room: 'r', n: n++, text }));
  await small.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i, room: 'u', list: [] })));
  await row('updateOne by _id, $set and $push, 32 writers', 32, (caller) =>
    small.updateOne({ _id: caller }, { $set: { n: n++ }, $push: { list: { $each: [n], $slice: -20 } } }),
  );
  const leases = db.collection('leases');
  await leases.createIndexes([{ key: { state: 1, lease: 1 } }]);
  await leases.insertMany(Array.from({ length: 5000 }, (_, i) => ({ state: 'open', lease: new Date(i) })));
  await row('findOneAndUpdate lease claim, 32 callers', 32, () =>
    leases.findOneAndUpdate(
      { state: 'open', lease: { $lte: new Date() } },
      { $set: { lease: new Date(), owner: 'me' } },
      { sort: { lease: 1 } },
    ),
  );
  await row(`page of ${PAGE} at 0`, 1, () => page(things, 0));
  await row(`page of ${PAGE} at ${FAR}`, 1, () => page(things, FAR));
  figures.set(
    'far',
    (
      await compare(
        1,
        () => page(things, 0),
        () => page(things, FAR),
      )
    )[1],
  );
  const sample = Math.min(100_000, DOCUMENTS);
  const started = performance.now();
  await things
    .aggregate([
      { $match: { _id: { $lt: idOf(sample) } } },
      { $group: { _id: '$n', count: { $sum: 1 }, newest: { $max: '$created_at' } } },
    ])
    .toArray();
  figures.set(`aggregate $group over ${sample}`, { rate: 1000 / (performance.now() - started) });
  // What is larger than a page needs room that is contiguous.
  const large = () => small.updateOne({ _id: 0 }, { $set: { text: 'x'.repeat(20_000 + 300 * (n++ % 100)) } });
  await row('updateOne of 20 to 50 kB, 1 writer', 1, large);
  await things.deleteMany({ _id: { $lt: idOf(sample) } });
  await row(`the same after ${sample} deletions`, 1, large);
  if (!isKept) await db.dropDatabase();
  await client.close();
  return figures;
}

const show = (value) => (value === undefined ? '' : value.toFixed(value < 10 ? 2 : 0));
const showRatio = (ratio) => (ratio ? `${show(ratio.median)} (${show(ratio.low)}–${show(ratio.high)})` : '');
const showBusy = (busy) => (busy === undefined ? '' : `${(busy * 100).toFixed(0)} %`);

/** The table's columns: title, width, and what stands in it for the figures of both databases. */
const COLUMNS = [
  ['embedded', 10, (own) => show(own.rate)],
  ['of ping', 19, (own) => showRatio(own.ratio)],
  ['caller busy', 13, (own) => showBusy(own.busy)],
  ['MongoDB', 10, (_own, other) => show(other?.rate)],
  ['of ping', 19, (_own, other) => showRatio(other?.ratio)],
  ['caller busy', 13, (_own, other) => showBusy(other?.busy)],
  ['faster', 9, (own, other) => show(other && own.rate / other.rate)],
];

const dataDir = mkdtempSync(join(tmpdir(), 'pem-bench-'));
let embedded = await openEmbeddedMongodb({ dataDir });
try {
  const own = await measure(embedded.url, true);
  const heap = await embedded.heapBytes();
  await embedded.close();
  const started = performance.now();
  embedded = await openEmbeddedMongodb({ dataDir });
  const client = await MongoClient.connect(embedded.url);
  await client
    .db(DB)
    .collection('things')
    .findOne({ _id: idOf(1) });
  const startMs = performance.now() - started;
  await client.close();
  const real = process.env.MONGODB_URL ? await measure(process.env.MONGODB_URL, false) : new Map();
  console.log(
    'operations a second'.padEnd(48) + COLUMNS.map(([title, width]) => title.padStart(width)).join(''),
  );
  for (const [name, figure] of own) {
    if (name === 'far') continue;
    const cells = COLUMNS.map(([, width, cell]) => cell(figure, real.get(name)).padStart(width));
    console.log(name.padEnd(48) + cells.join(''));
  }
  const { low, median: middle, high } = own.get('far').ratio;
  const cost = [middle, high, low].map((ratio) => (1 / ratio).toFixed(2));
  console.log(
    `\npage at ${FAR} costs ${cost[0]} (${cost[1]}–${cost[2]}) times the page at 0 (goal: at most 1.2)`,
  );
  console.log(
    `start with ${DOCUMENTS} documents, to the first answer: ${startMs.toFixed(0)} ms (goal: under 300)`,
  );
  console.log(
    `JavaScript heap of the database's thread at the end: ${(heap / 2 ** 20).toFixed(0)} MB (goal: under 100)`,
  );
  console.log(
    'Goals: reads at least 0.8 of ping, insertOne with 32 writers at least 0.7. Where the caller is busy all the time, the rest of the ratio is what the operation costs the driver, not the database.',
  );
} finally {
  await embedded.close();
  rmSync(dataDir, { recursive: true, force: true });
}
