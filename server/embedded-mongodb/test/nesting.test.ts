/** How deep things may be nested, from which level on they are refused, and by what: as measured beside a MongoDB. */
import { expect, test } from 'vitest';
import { encode } from '../src/bson/document.ts';
import { checkChangedLevels } from '../src/bson/nesting.ts';
import { useDatabase } from './open-database.ts';

const opened = useDatabase();

const things = () =>
  opened.client.db('nesting').collection<{ _id: string; [field: string]: unknown }>('things');

/** A value with something of this many levels inside. */
const nested = (levels: number, inside: unknown = 1): unknown =>
  levels === 0 ? inside : nested(levels - 1, { a: inside });
const nameless = (levels: number): unknown => (levels === 0 ? 1 : { '': nameless(levels - 1) });
const listed = (levels: number): unknown => (levels === 0 ? 1 : [listed(levels - 1)]);

const newTooDeep = { code: 15, message: 'cannot insert document because it exceeds 180 levels of nesting' };
const changedTooDeep = (command: string) => ({
  code: 15,
  message: `Plan executor error during ${command} :: caused by :: Document exceeds maximum nesting depth of 180`,
});

test.each([
  ['objects', nested(179), nested(180)],
  ['an empty object', nested(179, {}), nested(180, {})],
  ['fields without a name', nameless(179), nameless(180)],
  ['arrays', listed(179), listed(180)],
])('a new document has at most 180 levels: %s', async (name, fits, tooDeep) => {
  await things().insertOne({ _id: name, x: fits });
  await expect(things().insertOne({ _id: `${name} too deep`, x: tooDeep })).rejects.toMatchObject(newTooDeep);
  const others = [{ _id: `${name} 1` }, { _id: `${name} 2`, x: tooDeep }, { _id: `${name} 3` }];
  await expect(things().insertMany(others, { ordered: false })).rejects.toMatchObject({
    code: 15,
    insertedCount: 2,
  });
  expect(await things().countDocuments({ _id: { $in: [name, `${name} 1`, `${name} 3`] } })).toBe(3);
});

const path = (names: number): string => Array(names).fill('a').join('.');

test.each<[string, (levels: number) => Record<string, unknown>]>([
  ['$set', (levels) => ({ $set: { x: nested(levels - 1) } })],
  ['$set by a long path', (levels) => ({ $set: { [path(levels)]: 1 } })],
  ['$set inside of what is there', (levels) => ({ $set: { 'x.b': nested(levels - 2) } })],
  ['$push', (levels) => ({ $push: { l: nested(levels - 2) } })],
  ['$addToSet', (levels) => ({ $addToSet: { l: nested(levels - 2) } })],
])('a changed document has at most 180 levels: %s', async (name, change) => {
  await things().deleteMany({});
  await things().insertOne({ _id: name, x: { c: 1 } });
  const tried = things().updateOne({ _id: name }, change(181) as object);
  await expect(tried).rejects.toMatchObject(changedTooDeep('update'));
  await expect(things().findOneAndUpdate({ _id: name }, change(181) as object)).rejects.toMatchObject({
    ...changedTooDeep('findAndModify'),
    codeName: 'Overflow',
  });
  expect(await things().findOne()).toEqual({ _id: name, x: { c: 1 } });
  expect(await things().updateOne({ _id: name }, change(180) as object)).toMatchObject({ modifiedCount: 1 });
});

test('what is renamed, replaced or upserted is refused from the same level on', async () => {
  await things().deleteMany({});
  await things().insertOne({ _id: 'a', x: nested(177) });
  const refusal = changedTooDeep('update');
  await expect(things().updateOne({}, { $rename: { x: 'b.c.d.e' } })).rejects.toMatchObject(refusal);
  await expect(things().replaceOne({}, { x: nested(180) })).rejects.toMatchObject(refusal);
  const tooDeep = { _id: 'b', x: nested(180) };
  const upserted = things().updateOne(tooDeep, { $set: { y: 1 } }, { upsert: true });
  await expect(upserted).rejects.toMatchObject(refusal);
  expect(await things().updateOne({}, { $rename: { x: 'b.c.d' } })).toMatchObject({ modifiedCount: 1 });
  expect(await things().replaceOne({}, { x: nested(179) })).toMatchObject({ modifiedCount: 1 });
});

test('what an earlier version has taken can be changed', () => {
  const [old, doc] = [{ x: nested(190) }, { x: nested(190), y: 1 }];
  expect(() => checkChangedLevels(doc, encode(doc), old)).not.toThrow();
  expect(() => checkChangedLevels(doc, encode(doc))).toThrow('maximum nesting depth');
});

test('a command has at most 200 documents and arrays in each other, from which on MongoDB closes the connection', async () => {
  const found = (levels: number, inside?: unknown) =>
    things()
      .find({ x: nested(levels, inside) })
      .toArray();
  expect(await found(199)).toEqual([]);
  expect(await found(198, {})).toEqual([]);
  const tooDeep = { code: 15, codeName: 'Overflow', message: 'a command exceeds 200 levels of nesting' };
  await expect(found(200)).rejects.toMatchObject(tooDeep);
  await expect(found(199, {})).rejects.toMatchObject(tooDeep);
});
