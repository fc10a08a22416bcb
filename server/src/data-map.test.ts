import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

/** The sources of the server, by their paths. */
const SRC = import.meta.dirname;
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test)\.ts$/.test(file))
  .sort()
  .map((file) => ({ file, text: readFileSync(join(SRC, file), 'utf8') }));
const filesThat = (pattern: RegExp): string[] =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file);

/** What stands in the place of a name, once: its text, of a constant too, else the file and the expression. */
const defined = (pattern: RegExp): Set<string> =>
  new Set(
    sources.flatMap(({ file, text }) =>
      [...text.matchAll(pattern)].map(([, given = '']) => {
        const constant = `\\bconst ${given} = ('[^']*')`;
        const isConstant = /^[A-Z][A-Z_]*$/.test(given);
        const by = sources.find((source) => isConstant && new RegExp(constant).test(source.text));
        const value = by ? (new RegExp(constant).exec(by.text)?.[1] ?? '') : given;
        return /^'[^']*'$/.test(value) ? value.slice(1, -1) : `${file}: ${given}`;
      }),
    ),
  );

/** Where the code takes a collection's name from elsewhere, and what it is then. */
const NAMED_ELSEWHERE: Readonly<Record<string, string>> = {
  'database/copy.ts: name': 'those of the database that is copied',
  'events/tombstones.ts: collection': "that of the deleted document's model",
};

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

describe('knows every collection', () => {
  const unknown = (collections: readonly string[]) => {
    const known = names.map((name) => app.services.models[name].collection.collectionName);
    return collections.filter((name) => ![...known, ...OTHER_COLLECTIONS].includes(name));
  };

  it('that the server makes', async () => {
    await makeFixtures(app);
    const made = (await allCollections(app.services)).map(({ collectionName }) => collectionName);
    expect(made.length).toBeGreaterThan(20);
    expect(unknown(made)).toEqual([]);
  });

  it('that a model of the code is for, also one that is made on a rare path', async () => {
    const modelled = names.map((name) => app.services.models[name].modelName).sort();
    expect([...defined(/\bdefineModel(?:<\w+>)?\(\s*([^,]+?),/g)].sort()).toEqual(modelled);
    expect(Object.keys(app.services.connection.models).sort()).toEqual(modelled);
    // Whatever makes one without `defineModel`.
    expect(filesThat(/(?<!\.)\bmongoose\.model\(|\bconnection\.model\(/)).toEqual(['database/model.ts']);
  });

  it('that the code names without a model', () => {
    const named = [...defined(/\.collection(?:<[^()]*>)?\(\s*([^)]*?)\s*[,)]/g)];
    expect(named).toContain('secretkeys');
    expect(unknown(named)).toEqual(Object.keys(NAMED_ELSEWHERE).sort());
    const others = /\b(?:createCollection|renameCollection)\(|\$(?:out|merge)\b|\bcreate: /;
    expect(filesThat(others)).toEqual(['database/copy.ts']);
  });
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
