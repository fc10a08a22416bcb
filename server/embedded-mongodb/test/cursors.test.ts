/** Cursors: what each answer holds, when they end, and whose they are. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Collection, Long } from 'mongodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Doc, encode } from '../src/bson/document.ts';
import { Engine } from '../src/query/engine.ts';
import { writeInBatches } from '../src/query/multi-write.ts';
import { queryFor } from '../src/query/query.ts';
import { Connection } from '../src/wire/connection.ts';
import { useDatabase } from './open-database.ts';

const opened = useDatabase({ maxPoolSize: 50 });

const things = (name: string) =>
  opened.client.db('commands').collection<{ _id: number; [field: string]: unknown }>(name);

type Numbered = { _id: number; n: number; text: string };

const numbered = (count: number): Numbered[] =>
  Array.from({ length: count }, (_, _id) => ({ _id, n: _id % 10, text: 'x'.repeat(50) }));

test('cursors: batches, a change in between, killing, foreign and unknown ones', async () => {
  const collection = things('cursors');
  await collection.insertMany(numbered(1000));
  const cursor = collection.find({}, { batchSize: 10 }).sort({ _id: 1 });
  const seen: number[] = [];
  for await (const { _id } of cursor) {
    seen.push(_id);
    // What lies behind the cursor is no longer its business, and what lies before it is.
    if (_id === 100) await collection.deleteMany({ _id: { $gte: 50, $lt: 150 } });
  }
  expect(seen.slice(0, 101)).toEqual(Array.from({ length: 101 }, (_, i) => i));
  expect(seen.filter((id) => id >= 150)).toHaveLength(850);
  const db = opened.client.db('commands');
  // A number of a cursor may be so small, once in a thousand times, that the driver makes a double of it.
  const exact = { promoteLongs: false };
  const open = async () => (await db.command({ find: 'cursors', batchSize: 1 }, exact)).cursor.id as Long;
  const id = await open();
  const kill = { killCursors: 'cursors', cursors: [id] };
  expect(await db.command(kill, exact)).toMatchObject({ cursorsKilled: [id] });
  await expect(db.command({ getMore: id, collection: 'cursors' })).rejects.toMatchObject({ code: 43 });
  const other = await open();
  await expect(db.command({ getMore: other, collection: 'else' })).rejects.toMatchObject({ code: 13 });
  await expect(db.command({ getMore: Long.fromNumber(1), collection: 'cursors' })).rejects.toMatchObject({
    code: 43,
  });
});

/** What MongoDB 9.0 answers. */
const KILLED: [string, Doc, (collection: Collection<Numbered>) => Promise<unknown>, string | undefined][] = [
  ['by _id', {}, (a) => a.drop(), 'collection dropped. UUID '],
  ['by _id', {}, (a) => a.rename('renamed'), "collection renamed from 'killed.a' to 'killed.renamed'. UUID "],
  ['by an index', { n: { $gte: 0 } }, (a) => a.drop(), 'collection dropped. UUID '],
  ['by an index', { n: { $gte: 0 } }, (a) => a.dropIndex('n_1'), "query plan killed :: index 'n_1' dropped"],
  [
    'by two',
    { $or: [{ n: { $gte: 5 } }, { text: { $gte: 'x' } }] },
    (a) => a.dropIndex('text_1'),
    "query plan killed :: index 'text_1' dropped",
  ],
  ['by an index', { n: { $gte: 0 } }, (a) => a.dropIndex('text_1'), undefined],
  ['by _id', {}, (a) => a.dropIndexes(), undefined],
];

test.each(KILLED)('a cursor over what is read %s, %j, after %s', async (_how, filter, change, message) => {
  const db = opened.client.db('killed');
  await db.dropDatabase();
  const collection = db.collection<Numbered>('a');
  await collection.insertMany(numbered(100));
  await collection.createIndexes([{ key: { n: 1 } }, { key: { text: 1 } }]);
  const cursor = collection.find(filter, { batchSize: 10 });
  await cursor.next();
  const sorted = collection.find(filter, { batchSize: 10, sort: { other: 1 } });
  await sorted.next();
  await change(collection);
  for (const rest of [cursor.toArray(), sorted.toArray()]) {
    if (message === undefined) expect(await rest).toHaveLength(99);
    else await expect(rest).rejects.toMatchObject({ code: 175, message: expect.stringContaining(message) });
  }
});

test('what is changed in parts ends as well when its collection is dropped', async () => {
  const engine = new Engine(join(opened.folder, 'dropped'));
  onTestFinished(() => engine.close());
  await engine.environment.write(() => {
    const collection = engine.catalog.ensure('killed', 'parts');
    for (const doc of numbered(1_200)) engine.writer.insert(collection, { ...doc }, encode({ ...doc }));
  });
  const changed = writeInBatches(engine, 'killed.parts', queryFor({}), (collection, matches) => {
    engine.catalog.drop(collection);
    return { n: matches.length, nModified: 0 };
  });
  await expect(changed).rejects.toMatchObject({ code: 175, message: expect.stringContaining('dropped') });
});

test('a cursor is left open where the clock is set meanwhile', async () => {
  const engine = new Engine(join(opened.folder, 'clock'));
  onTestFinished(() => engine.close());
  const id = engine.cursors.keep('clock.a', [Buffer.alloc(0)].values(), undefined, false);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 86_400_000);
  onTestFinished(() => clock.mockRestore());
  expect(engine.cursors.get(id)).toMatchObject({ ns: 'clock.a' });
});

test('a reading ends when nobody takes its answer any more, also in the midst of it', async () => {
  const engine = new Engine(join(opened.folder, 'gone'));
  onTestFinished(() => engine.close());
  let read = 0;
  let isClosed = false;
  const documents = (function* () {
    try {
      for (;;) {
        read++;
        yield undefined;
      }
    } finally {
      isClosed = true;
    }
  })();
  const answer = engine.cursors.take({ documents, held: undefined }, 0, {
    get isGone() {
      return read > 10;
    },
  });
  await expect(answer).rejects.toMatchObject({ code: 279, codeName: 'ClientDisconnect' });
  expect(isClosed).toBe(true);
});

/** A connection whose requests `answer` works on, its peer, and a request of it. */
const connected = async (answer: (connection: Connection) => Promise<Uint8Array>) => {
  const server = createServer();
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void server.close());
  const accepted = once(server, 'connection');
  const peer = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => void peer.destroy());
  const [socket] = (await accepted) as [Socket];
  const connection = new Connection(socket, (_, own) => answer(own));
  const requestOf = (text: string) => {
    const body = encode({ ping: 1, $db: 'admin', comment: text });
    const head = Buffer.alloc(21);
    const values = [head.length + body.length, 1, 0, 2013, 0];
    for (const [at, value] of values.entries()) head.writeInt32LE(value, at * 4);
    return Buffer.concat([head, body]);
  };
  return { connection, socket, peer, requestOf };
};

test('a connection knows while it works on a request that its peer has gone', async () => {
  let answered: (body: Uint8Array) => void = () => undefined;
  const { connection, peer, requestOf } = await connected(
    () =>
      new Promise((resolve) => {
        answered = resolve;
      }),
  );
  peer.write(requestOf(''));
  await vi.waitFor(() => expect(connection.isGone).toBe(false), 20_000);
  peer.destroy();
  await vi.waitFor(() => expect(connection.isGone).toBe(true), 20_000);
  answered(encode({ ok: 1 }));
});

test('a connection reads little more than it has worked on, from a peer that waits for no answer', async () => {
  const MOST = 1_024 * 1_024;
  const reply = encode({ ok: 1 });
  let worked = 0;
  let ahead = 0;
  const { socket, peer, requestOf } = await connected(async () => {
    await new Promise((resolve) => setImmediate(resolve));
    worked++;
    ahead = Math.max(ahead, socket.bytesRead - worked * request.length);
    return reply;
  });
  const request = requestOf('x'.repeat(1_000));
  const count = 10_000;
  peer.resume();
  peer.write(Buffer.concat(Array.from({ length: count }, () => request)));
  await vi.waitFor(() => expect(worked).toBe(count), { timeout: 60_000 });
  expect(ahead).toBeLessThan(MOST);
});
