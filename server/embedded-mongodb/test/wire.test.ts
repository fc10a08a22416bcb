/**
 * Raw messages: what is well-formed is answered, whatever else comes closes its own connection and no other one.
 * WIRE_SEED repeats a run, WIRE_ROUNDS lengthens it.
 */
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { deserialize, serialize } from 'bson';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../src/limits/limits.ts';
import { type BinProcess, startBin, temporaryFolder } from './bin-process.ts';
import { seededRandom } from './random.ts';

const SEED = Number(process.env.WIRE_SEED ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env.WIRE_ROUNDS ?? 300);

const folder = temporaryFolder();
const socketPath = join(folder.path, 'db.sock');
let server: BinProcess;
let bystander: MongoClient;

beforeAll(async () => {
  server = await startBin(join(folder.path, 'data'), socketPath);
  bystander = await MongoClient.connect(server.url);
});

afterAll(async () => {
  await bystander?.close();
  await server?.end('SIGTERM');
  folder.remove();
});

const HELLO = { hello: 1, $db: 'admin' };

function message(sections: Buffer[], flags = 0): Buffer {
  const body = Buffer.concat(sections);
  const hasChecksum = (flags & 1) !== 0;
  const header = Buffer.alloc(20);
  header.writeInt32LE(20 + body.length + (hasChecksum ? 4 : 0), 0);
  header.writeInt32LE(7, 4);
  header.writeInt32LE(2013, 12);
  header.writeUInt32LE(flags, 16);
  const whole = Buffer.concat([header, body]);
  if (!hasChecksum) return whole;
  const sum = Buffer.alloc(4);
  return Buffer.concat([whole, sum]);
}

const body = (doc: object) => Buffer.concat([Buffer.from([0]), serialize(doc)]);

function sequence(name: string, docs: object[]): Buffer {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...docs.map((doc) => serialize(doc))]);
  const size = Buffer.alloc(4);
  size.writeInt32LE(content.length + 4);
  return Buffer.concat([Buffer.from([1]), size, content]);
}

/** Sends bytes on a new connection; gives the answers until `count` came, or the connection is closed. */
function exchange(
  bytes: Buffer,
  count = 1,
): Promise<{ answers: Record<string, unknown>[]; closed: boolean }> {
  return new Promise((resolve) => {
    const socket: Socket = connect(socketPath);
    const answers: Record<string, unknown>[] = [];
    let data = Buffer.alloc(0);
    const end = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ answers, closed });
    };
    const timer = setTimeout(() => end(false), 1500);
    socket.on('error', () => end(true));
    socket.on('close', () => end(true));
    socket.on('data', (chunk) => {
      data = Buffer.concat([data, chunk]);
      while (data.length >= 4 && data.length >= data.readInt32LE(0)) {
        const size = data.readInt32LE(0);
        const from = data.readInt32LE(12) === 1 ? 36 : 21;
        answers.push(deserialize(data.subarray(from, size)));
        data = data.subarray(size);
        if (answers.length === count) end(false);
      }
    });
    socket.write(bytes);
  });
}

const ping = () => bystander.db('x').command({ ping: 1 });

test('a message with a checksum, which is not looked at, is refused', async () => {
  expect(await exchange(message([body(HELLO)], 1))).toEqual({ answers: [], closed: true });
});

test('hello in the old form is answered in the old form; nothing else is', async () => {
  const query = (doc: object) => {
    const head = Buffer.alloc(20);
    const rest = Buffer.concat([
      Buffer.from('admin.$cmd\0'),
      Buffer.from([0, 0, 0, 0, 255, 255, 255, 255]),
      serialize(doc),
    ]);
    head.writeInt32LE(20 + rest.length, 0);
    head.writeInt32LE(2004, 12);
    return Buffer.concat([head, rest]);
  };
  const hello = (await exchange(query({ ismaster: 1 }))).answers[0];
  expect(hello).toMatchObject({ ok: 1, ismaster: true, maxWireVersion: 21 });
  expect(hello).toHaveProperty('logicalSessionTimeoutMinutes', 30);
  expect(hello).not.toHaveProperty('compression');
  expect((await exchange(query({ find: 'x' }))).answers[0]).toMatchObject({ ok: 0, code: 352 });
});

test('moreToCome is done and not answered', async () => {
  const silent = message(
    [body({ insert: 'silent', $db: 'wire' }), sequence('documents', [{ _id: 1 }, { _id: 2 }])],
    2,
  );
  const { answers } = await exchange(Buffer.concat([silent, message([body(HELLO)])]));
  expect(answers).toHaveLength(1);
  expect(answers[0]).toHaveProperty('isWritablePrimary', true);
  expect(await bystander.db('wire').collection('silent').countDocuments()).toBe(2);
});

test('messages may come in any pieces, and several at once', async () => {
  const three = Buffer.concat([
    message([body(HELLO)]),
    message([body({ ping: 1, $db: 'x' })]),
    message([body(HELLO)]),
  ]);
  expect((await exchange(three, 3)).answers).toHaveLength(3);
});

test('what is not understood closes the connection', async () => {
  const header = (size: number, operation: number) => {
    const bytes = Buffer.alloc(16);
    bytes.writeInt32LE(size, 0);
    bytes.writeInt32LE(operation, 12);
    return bytes;
  };
  const malformed: Record<string, Buffer> = {
    'a size below a header': header(3, 2013),
    'a negative size': header(-1, 2013),
    'a size over the limit': header(MAX_MESSAGE_BYTES + 1, 2013),
    'an unknown operation': header(16, 4711),
    OP_COMPRESSED: header(16, 2012),
    'an unknown required flag': message([body(HELLO)], 4),
    'an unknown section': message([Buffer.from([2]), Buffer.from(serialize(HELLO))]),
    'no body': message([sequence('documents', [{}])]),
    'two bodies': message([body(HELLO), body(HELLO)]),
    'a sequence twice': message([body(HELLO), sequence('a', [{}]), sequence('a', [{}])]),
    'a document longer than its message': message([Buffer.from([0, 99, 0, 0, 0, 0])]),
    'a broken document': message([Buffer.from([0, 12, 0, 0, 0, 99, 97, 0, 1, 0, 0, 0, 0])]),
  };
  for (const [name, bytes] of Object.entries(malformed)) {
    expect(await exchange(bytes), name).toEqual({ answers: [], closed: true });
    await ping();
  }
});

test('limits are enforced', async () => {
  const collection = bystander.db('wire').collection<{ _id: number; text?: string }>('limits');
  const tooLarge = { _id: 1, text: 'x'.repeat(16 * 1024 * 1024) };
  const raw = message([body({ insert: 'limits', $db: 'wire' }), sequence('documents', [tooLarge])]);
  expect((await exchange(raw)).answers[0]).toMatchObject({ n: 0, writeErrors: [{ index: 0, code: 10334 }] });
  const many = Array.from({ length: 100_001 }, (_, _id) => ({ _id }));
  const batch = message([body({ insert: 'limits', $db: 'wire' }), sequence('documents', many)]);
  expect((await exchange(batch)).answers[0]).toMatchObject({ ok: 0, code: 16 });
  expect(await collection.countDocuments()).toBe(0);
});

test('an answer that is too large is an error, and ends nobody else', async () => {
  const db = bystander.db('wire');
  await db.collection('large').insertOne({ a: 1 });
  const tooLarge = { code: 10334, codeName: 'BSONObjectTooLarge' };
  // What explain tells of a filter holds it twice.
  const filter = { a: 'x'.repeat(9 * 1024 * 1024) };
  await expect(db.command({ explain: { find: 'large', filter } })).rejects.toMatchObject(tooLarge);
  await db.collection('large').insertOne({ text: 'x'.repeat(9 * 1024 * 1024) });
  const twice = db
    .collection('large')
    .find({ text: { $exists: true } }, { projection: { b: '$text', c: '$text' } });
  await expect(twice.toArray()).rejects.toMatchObject(tooLarge);
  const unknown = await db.command({ ['x'.repeat(15 * 1024 * 1024)]: 1 }).catch((error) => error);
  expect(unknown).toMatchObject({ code: 59 });
  expect(unknown.message.length).toBeLessThan(20_000);
  await ping();
});

test('the errors of a batch are all in its answer, the texts of as many as fit', async () => {
  const collection = bystander.db('wire').collection<{ _id?: number; k: string }>('taken');
  await collection.createIndex({ k: 1 }, { unique: true });
  const k = 'k'.repeat(1_900);
  await collection.insertOne({ k });
  const documents = Array.from({ length: 6_000 }, () => ({ k }));
  const { writeErrors } = await collection.insertMany(documents, { ordered: false }).catch((error) => error);
  expect(writeErrors).toHaveLength(documents.length);
  for (const [index, error] of writeErrors.entries()) expect(error).toMatchObject({ index, code: 11000 });
  expect(writeErrors[0].errmsg).toContain('E11000');
  await ping();
});

test(`random damage closes one connection at most (WIRE_SEED=${SEED})`, { timeout: 120_000 }, async () => {
  const random = seededRandom(SEED);
  const whole = [
    message([body(HELLO)]),
    message([body({ find: 'silent', filter: { a: { $gt: 1 } }, $db: 'wire' })], 1),
    message([
      body({ insert: 'fuzz', $db: 'wire' }),
      sequence('documents', [{ a: 'x'.repeat(50) }, { b: [1, { c: 2 }] }]),
    ]),
    message([
      body({ update: 'fuzz', updates: [{ q: { a: 1 }, u: { $set: { b: 1 } }, upsert: true }], $db: 'wire' }),
    ]),
  ];
  for (let round = 0; round < ROUNDS; round += 10) {
    const batch = Array.from({ length: 10 }, () => {
      const bytes: Uint8Array = Buffer.from(random.pick(whole));
      for (let i = 1 + random.int(4); i > 0; i--) bytes[random.int(bytes.length)] = random.int(256);
      const cut = random.chance(0.2) ? bytes.subarray(0, random.int(bytes.length)) : bytes;
      return new Promise<void>((resolve) => {
        const socket = connect(socketPath);
        socket.on('error', () => {});
        socket.on('close', () => resolve());
        socket.on('data', () => socket.destroy());
        socket.end(cut);
        setTimeout(() => socket.destroy(), 300).unref();
      });
    });
    await Promise.all(batch);
    await ping();
  }
  const { errors } = await bystander.db('wire').command({ validate: 'silent' });
  expect(errors).toEqual([]);
});
