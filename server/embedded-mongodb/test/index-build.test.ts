/** Indexes of many documents are built in parts: what happens between two of them. */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { deserialize } from 'bson';
import { afterAll, afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { type Doc, encode } from '../src/bson/document.ts';
import { drop, renameCollection } from '../src/command/collections.ts';
import type { Command, CommandCall } from '../src/command/command.ts';
import { deleteCommand } from '../src/command/delete.ts';
import { explain } from '../src/command/explain.ts';
import { find } from '../src/command/find.ts';
import { readIndexRequest } from '../src/command/index-request.ts';
import { createIndexes, dropIndexes, listIndexes } from '../src/command/indexes.ts';
import { insert } from '../src/command/insert.ts';
import { collStats } from '../src/command/stats.ts';
import { update } from '../src/command/update.ts';
import { Engine } from '../src/query/engine.ts';
import { beginBuild, finishBuild } from '../src/query/index-build.ts';
import type { Collection } from '../src/storage/collection.ts';
import { validateCollection } from '../src/storage/validate.ts';
import { temporaryFolder } from './bin-process.ts';
import { failingTransactions } from './failing-transactions.ts';

/** So many are some five parts. */
const MANY = 2_500;

const folder = temporaryFolder();
const engine = new Engine(join(folder.path, 'data'));
afterAll(async () => {
  await engine.close();
  folder.remove();
});

const collection = (): Collection => engine.catalog.get('test.a') as Collection;

const run = async (command: Command, name: string, body: Doc, db = 'test'): Promise<Doc> => {
  const call = { engine, name, db, body: { [name]: 'a', ...body }, sequences: new Map(), connection: {} };
  const answer = await command.run({ deadline: Number.POSITIVE_INFINITY, ...call } as unknown as CommandCall);
  return answer instanceof Uint8Array ? deserialize(answer) : answer;
};

const create = (...indexes: Doc[]): Promise<Doc> => run(createIndexes, 'createIndexes', { indexes });
const insertOne = (one: Doc) => run(insert, 'insert', { documents: [encode(one)] });
const removeOne = (q: Doc) => run(deleteCommand, 'delete', { deletes: [{ q, limit: 1 }] });

const names = async (): Promise<unknown[]> => {
  const { cursor } = await run(listIndexes, 'listIndexes', {});
  return (cursor as { firstBatch: Doc[] }).firstBatch.map(({ name }) => name);
};

/** Many documents, and nothing else. */
const fill = async (documents = MANY): Promise<void> => {
  await engine.environment.write(() => {
    const { catalog, writer } = engine;
    const old = catalog.get('test.a');
    if (old) catalog.drop(old);
    const made = catalog.ensure('test', 'a');
    for (let _id = 0; _id < documents; _id++) {
      const doc = { _id, n: _id, tags: [_id % 7, 'all'] };
      writer.insert(made, doc, encode(doc));
    }
  });
};

/** Has a build come past its first part. Fails where it is through. */
const isUnderWay = async (): Promise<void> => {
  await nextTurn();
  expect(engine.catalog.builds.of(collection())).toHaveLength(1);
};

const BY_N = { key: { n: 1 }, name: 'n' };
const UNIQUE = { ...BY_N, unique: true };

/** No index has an entry too few or too many, nor is anything left of one that there is not. */
afterEach(async () => {
  while (await engine.environment.write(() => engine.catalog.garbage.sweep(10_000)));
  expect(engine.catalog.garbage.isEmpty).toBe(true);
  const entries = engine.catalog.list().map((one) => {
    const result = validateCollection(engine.environment, one);
    expect(result.errors).toEqual([]);
    return Object.entries(result.entries).reduce(
      (sum, [name, count]) => sum + (name === '_id_' ? 0 : count),
      0,
    );
  });
  const all = entries.reduce((sum, count) => sum + count, 0);
  expect(engine.environment.entries.getKeysCount({})).toBe(all);
});

test('others have their turn, and what they write is in the index', async () => {
  await fill();
  let isDone = false;
  const built = create(BY_N, { key: { tags: 1, n: -1 }, name: 'tags' }).finally(() => {
    isDone = true;
  });
  let turns = 0;
  for (let made = MANY; !isDone; turns++) {
    const _id = randomInt(made);
    await Promise.all([
      nextTurn(),
      insertOne({ _id: made++, n: randomInt(MANY), tags: ['new'] }),
      insertOne({ _id: -made, n: [1, made], tags: 'low' }),
      run(update, 'update', { updates: [{ q: { _id }, u: { $set: { n: -1, tags: ['changed', _id] } } }] }),
      removeOne({ _id: randomInt(made) }),
    ]);
  }
  expect(turns).toBeGreaterThan(1);
  expect(await built).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 3 });
  expect(await names()).toEqual(['_id_', 'n', 'tags']);
  const { entries, documents } = validateCollection(engine.environment, collection());
  expect(entries.n).toBeGreaterThan(documents);
});

test('it answers nothing and refuses nothing before it is whole, but is listed', async () => {
  await fill();
  const built = create(UNIQUE);
  await isUnderWay();
  expect(await names()).toEqual(['_id_', 'n']);
  expect(await run(collStats, 'collStats', {})).toMatchObject({ indexBuilds: ['n'], nindexes: 1 });
  const filter = { n: MANY - 1 };
  const explained = await run(explain, 'explain', { explain: { find: 'a', filter } });
  expect(JSON.stringify(explained)).toContain('COLLSCAN');
  const found = await run(find, 'find', { filter });
  expect(found).toMatchObject({ cursor: { firstBatch: [{ _id: MANY - 1 }] } });
  await expect(run(find, 'find', { filter, hint: 'n' })).rejects.toMatchObject({ code: 2 });
  await built;
  expect(await run(collStats, 'collStats', {})).toMatchObject({ indexBuilds: [], nindexes: 2 });
  expect(await run(find, 'find', { filter, hint: 'n' })).toMatchObject({
    cursor: { firstBatch: [{ _id: MANY - 1 }] },
  });
  expect(await insertOne({ _id: 'again', n: 1 })).toMatchObject({ n: 0, writeErrors: [{ code: 11000 }] });
});

test('a double at the very end fails all of it, and leaves nothing', async () => {
  await fill();
  await insertOne({ _id: 'last', n: 0 });
  const failed = { code: 11000, extra: { keyValue: { n: { value: 0 } } } };
  await expect(create({ key: { tags: 1 }, name: 'tags' }, UNIQUE)).rejects.toMatchObject(failed);
  expect(await names()).toEqual(['_id_']);
  await removeOne({ _id: 'last' });
  expect(await create(UNIQUE)).toMatchObject({ numIndexesAfter: 2 });
});

test.each([
  ['a double of what is in it', 11000, { _id: 'new', n: 1 }],
  ['a double of what it has not come to', 11000, { _id: -1, n: MANY - 1 }],
  ['what it can not hold', 171, { _id: 'new', n: [1], tags: [2] }],
])('%s is stored meanwhile, and it fails', async (_what, code, document) => {
  await fill();
  const both = { key: { n: 1, tags: 1 }, name: 'both' };
  const built = create(...(code === 171 ? [both] : [UNIQUE]));
  const failed = expect(built).rejects.toMatchObject({ code });
  await isUnderWay();
  expect(await insertOne(document)).toEqual({ n: 1 });
  await failed;
  expect(await names()).toEqual(['_id_']);
  expect(collection().count).toBe(MANY + 1);
});

test('a value that moves from one document to another meanwhile is no double', async () => {
  await fill();
  const built = create(UNIQUE);
  await isUnderWay();
  const move = (_id: number, n: number) => ({ q: { _id }, u: { $set: { n } } });
  await run(update, 'update', { updates: [move(1, -1), move(MANY - 1, 1), move(1, MANY - 1)] });
  await built;
  expect(await names()).toEqual(['_id_', 'n']);
});

test.each<[string, () => Promise<unknown>, unknown[] | undefined]>([
  ['its collection', () => run(drop, 'drop', {}), undefined],
  [
    'its collection, which is made anew',
    () => run(drop, 'drop', {}).then(() => insertOne({ n: 1 })),
    ['_id_'],
  ],
  ['the index by its name', () => run(dropIndexes, 'dropIndexes', { index: 'n' }), ['_id_']],
  ['the index by its key', () => run(dropIndexes, 'dropIndexes', { index: { n: 1 } }), ['_id_']],
  ['all indexes', () => run(dropIndexes, 'dropIndexes', { index: '*' }), ['_id_']],
])('who drops %s ends the build', async (_what, change, left) => {
  await fill();
  const failed = expect(create(BY_N)).rejects.toMatchObject({ code: 276, codeName: 'IndexBuildAborted' });
  await isUnderWay();
  await change();
  await failed;
  if (left) expect(await names()).toEqual(left);
  else expect(engine.catalog.get('test.a')).toBeUndefined();
});

test('it goes on in a collection that is renamed', async () => {
  await fill();
  const built = create(BY_N);
  await isUnderWay();
  await run(renameCollection, 'renameCollection', { renameCollection: 'test.a', to: 'test.b' }, 'admin');
  await built;
  expect(engine.catalog.get('test.b')?.indexes.map(({ name }) => name)).toEqual(['_id_', 'n']);
  await run(drop, 'drop', { drop: 'b' });
});

test('who asks for the same meanwhile waits for it; another one fails, and a third comes after it', async () => {
  await fill();
  const first = create(BY_N);
  await isUnderWay();
  const [same, other, third] = [
    create(BY_N),
    create({ ...BY_N, name: 'm' }),
    create({ key: { m: 1 }, name: 'm' }),
  ];
  await expect(other).rejects.toMatchObject({ code: 85 });
  expect(await first).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 2 });
  expect(await same).toMatchObject({ numIndexesBefore: 2, note: 'all indexes already exist' });
  expect(await third).toMatchObject({ numIndexesBefore: 2, numIndexesAfter: 3 });
  expect(await names()).toEqual(['_id_', 'n', 'm']);
});

test('who asks for what can not be built, after another one, is told so', async () => {
  await fill();
  await insertOne({ _id: 'last', n: 0 });
  const both = [create(UNIQUE), create(UNIQUE)];
  for (const one of both) await expect(one).rejects.toMatchObject({ code: 11000 });
});

test('a database that is closed meanwhile ends it', async () => {
  const closing = new Engine(join(folder.path, 'closing'));
  const { environment, catalog, writer } = closing;
  const unfinished = await environment.write(() => {
    const made = catalog.ensure('test', 'a');
    for (let n = 0; n < 1_500; n++) writer.insert(made, { _id: n, n }, encode({ _id: n, n }));
    return beginBuild(closing, made, [readIndexRequest(UNIQUE)]);
  });
  const failed = expect(
    finishBuild(closing, unfinished as never, Number.POSITIVE_INFINITY),
  ).rejects.toThrow();
  await closing.close();
  await failed;
});

test('it ends at its time limit', async () => {
  await fill();
  const call = { deadline: performance.now() } as object;
  const body = { indexes: [BY_N] };
  const late = createIndexes.run({
    ...{ engine, name: 'createIndexes', db: 'test', sequences: new Map(), ...call },
    body: { createIndexes: 'a', ...body },
  } as unknown as CommandCall);
  await expect(late).rejects.toMatchObject({ code: 50 });
  expect(await names()).toEqual(['_id_']);
});

test('a part whose transaction fails is made again', async () => {
  await fill(2_000);
  const failed = failingTransactions(engine.environment);
  onTestFinished(() => void vi.restoreAllMocks());
  expect(await create(UNIQUE)).toMatchObject({ numIndexesAfter: 2 });
  expect(failed()).toBeGreaterThan(3);
  vi.restoreAllMocks();
  expect(await insertOne({ _id: 'again', n: 1 })).toMatchObject({ writeErrors: [{ code: 11000 }] });
});

test('a collection has at most 64 indexes, and where more are asked for none is made', async () => {
  await fill(1);
  const many = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ key: { [`f${n}`]: 1 }, name: `f${n}` }));
  const tooMany = {
    code: 67,
    codeName: 'CannotCreateIndex',
    message: 'add index fails, too many indexes for test.a key:{ f63: 1.0 }',
  };
  await expect(create(...many(64))).rejects.toMatchObject(tooMany);
  expect(await names()).toEqual(['_id_']);
  expect(await create(...many(63))).toMatchObject({ numIndexesBefore: 1, numIndexesAfter: 64 });
  await expect(create(...many(64))).rejects.toMatchObject(tooMany);
  const note = 'all indexes already exist';
  expect(await create(...many(2))).toMatchObject({ numIndexesAfter: 64, note });
});
