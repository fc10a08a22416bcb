import { expect, it } from 'vitest';
import { testApp } from '../test/app.ts';
import { allCollections, documentsWith } from '../test/everything.ts';
import { makeFixtures } from '../test/fixtures.ts';
import { DATA_MAP, OTHER_COLLECTIONS } from './data-map.ts';
import type { CollectionData } from './database/collection-data.ts';

const app = testApp({ RATE_LIMIT: 'on' });

const names = Object.keys(DATA_MAP) as (keyof typeof DATA_MAP)[];
const dataOf = (name: keyof typeof DATA_MAP) => DATA_MAP[name] as CollectionData<Record<string, unknown>>;
const declared = (name: keyof typeof DATA_MAP) => Object.values(dataOf(name).fields).flat();

/** The fields at the top of a document, of which a schema may know more than one path. */
const storedIn = (name: keyof typeof DATA_MAP): string[] => [
  ...new Set(Object.keys(app.services.models[name].schema.paths).map((path) => path.split('.')[0] ?? '')),
];

it('has every model', () => {
  expect(names.sort()).toEqual(Object.keys(app.services.models).sort());
});

it.each(names)('declares each stored field of %s once, and no other', (name) => {
  expect([...declared(name)].sort()).toEqual(storedIn(name).sort());
});

it.each(names)('says of %s how long a document is kept, as its TTL index does', (name) => {
  const { kept } = dataOf(name);
  const expiring = app.services.models[name].schema
    .indexes()
    .filter(([, options]) => options.expireAfterSeconds !== undefined)
    .map(([keys, options]) => ({ after: Object.keys(keys)[0], seconds: options.expireAfterSeconds }));
  expect(expiring).toEqual(typeof kept === 'object' ? [kept] : []);
});

it.each(names)('erases from %s what it holds of visitors, by an index', (name) => {
  const { fields, erased } = dataOf(name);
  expect(erased !== undefined || !fields.visitor).toBe(true);
  if (!erased) return;
  const indexed = app.services.models[name].schema.indexes().map(([keys]) => Object.keys(keys)[0]);
  expect(['_id', ...indexed]).toContain(erased.by);
});

it.each(names)('knows what opens by SECRET_KEY in %s', (name) => {
  const { sealed = [], keyed = [] } = dataOf(name).fields;
  const stored = storedIn(name);
  expect([...sealed].sort()).toEqual(stored.filter((field) => field.endsWith('_sealed')).sort());
  expect([...keyed].sort()).toEqual(stored.filter((field) => field.endsWith('_fingerprint')).sort());
});

it('knows every collection that the server makes', async () => {
  await makeFixtures(app);
  const known = names.map((name) => app.services.models[name].collection.collectionName);
  const made = (await allCollections(app.services)).map(({ collectionName }) => collectionName);
  expect(made.filter((name) => ![...known, ...OTHER_COLLECTIONS].includes(name))).toEqual([]);
});

it('keeps no secret in the clear: a copy of the database alone opens nothing', async () => {
  const { token, agentKey, ids, visitor } = await makeFixtures(app);
  const { json } = await app.request('GET', `/api/v1/webhooks/${ids.webhooks}/secret/`, { token });
  expect(json.secret).toMatch(/^whsec_/);
  const literally = (text: string) => new RegExp(text.replace(/[+.]/g, '\\$&'));
  for (const secret of [token, agentKey, json.secret, visitor.token]) {
    expect(await documentsWith(app.services, literally(secret))).toEqual([]);
  }
  expect(await documentsWith(app.services, literally(ids.webhooks ?? ''))).not.toEqual([]);
});
