/**
 * Which collections and indexes there are. All of it is held in memory and written down in the `meta` key
 * space; counts are written at the end of each transaction that changed them.
 */
import { randomBytes } from 'node:crypto';
import { type Doc, decode, encode } from '../bson/document.ts';
import type { IndexSpec, NewIndex } from '../index-key/index-spec.ts';
import { type Collection, deriveIndex, ID_INDEX, type Index } from './collection.ts';
import type { Environment } from './environment.ts';
import { Garbage } from './garbage.ts';
import { idKey } from './id-key.ts';
import { IndexBuild, IndexBuilds } from './index-builds.ts';

const COLLECTION = 'c';
const COUNT = 'n';
const NEXT_ID = Buffer.from('next-id');

export class Catalog {
  readonly garbage: Garbage;
  readonly builds = new IndexBuilds();
  readonly #environment: Environment;
  #collections = new Map<string, Collection>();
  #nextId = 1;
  readonly #touched = new Set<Collection>();
  #removals = 0;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.garbage = new Garbage(environment, (id) => this.builds.has(id));
    this.#load();
    environment.beforeCommit = () => this.#writeCounts();
    environment.afterAbort = () => this.#load();
  }

  /** How often a collection was dropped or renamed, or an index dropped, up to now. */
  get removals(): number {
    return this.#removals;
  }

  /** The collection of this full name (`db.collection`). */
  get(ns: string): Collection | undefined {
    return this.#collections.get(ns);
  }

  /** The collection of this number, whatever its name is by now. */
  withId(id: number): Collection | undefined {
    return [...this.#collections.values()].find((collection) => collection.id === id);
  }

  /** All collections, or those of one database, by name. */
  list(db?: string): Collection[] {
    const all = [...this.#collections.values()];
    return (db === undefined ? all : all.filter((c) => c.db === db)).sort((a, b) => (a.ns < b.ns ? -1 : 1));
  }

  /** The collection of this name, made when it is not there. Inside a write transaction only. */
  ensure(db: string, name: string, options: Doc = {}): Collection {
    const ns = `${db}.${name}`;
    const existing = this.#collections.get(ns);
    if (existing) return existing;
    const uuid = randomBytes(16);
    uuid[6] = ((uuid[6] as number) & 0x0f) | 0x40;
    uuid[8] = ((uuid[8] as number) & 0x3f) | 0x80;
    const indexes = [deriveIndex({ ...ID_INDEX, multikey: [false] })];
    const collection = { id: this.#takeId(), db, name, ns, uuid, options, indexes, count: 0, bytes: 0 };
    this.#collections.set(ns, collection);
    this.save(collection);
    this.touch(collection);
    return collection;
  }

  /** Removes a collection; its records and entries become garbage. */
  drop(collection: Collection): void {
    this.#removals++;
    this.#collections.delete(collection.ns);
    this.#touched.delete(collection);
    const { meta } = this.#environment;
    meta.removeSync(idKey(COLLECTION, collection.id));
    meta.removeSync(idKey(COUNT, collection.id));
    this.garbage.add(collection.id, 'records');
    for (const { id } of collection.indexes) if (id !== 0) this.garbage.add(id, 'entries');
  }

  /** Gives a collection another full name. */
  rename(collection: Collection, db: string, name: string): void {
    this.#removals++;
    this.#collections.delete(collection.ns);
    collection.db = db;
    collection.name = name;
    collection.ns = `${db}.${name}`;
    this.#collections.set(collection.ns, collection);
    this.save(collection);
  }

  /**
   * Begins to build indexes of a collection, without entries. Until the transaction that calls `endBuild` they are marked as
   * garbage: so they are removed where that never comes, as when the process dies.
   */
  beginBuild(collection: Collection, specs: readonly NewIndex[]): IndexBuild {
    const indexes = specs.map((spec) => {
      const multikey = Object.keys(spec.key).map(() => false);
      return deriveIndex({ ...spec, id: this.#takeId(), isSparseByKey: true, multikey });
    });
    for (const { id } of indexes) this.garbage.add(id, 'entries');
    const build = new IndexBuild(collection.id, indexes);
    this.builds.add(build);
    return build;
  }

  /** Takes into use what was built: it is whole. */
  endBuild(collection: Collection, { indexes }: IndexBuild): void {
    for (const { id } of indexes) this.garbage.takeOut(id);
    collection.indexes.push(...indexes);
    this.save(collection);
  }

  /** Removes an index; its entries become garbage. */
  dropIndex(collection: Collection, index: Index): void {
    this.#removals++;
    collection.indexes = collection.indexes.filter((other) => other !== index);
    this.garbage.add(index.id, 'entries');
    this.save(collection);
  }

  /** Writes a collection's definition down after a change to it. */
  save(collection: Collection): void {
    const { id, db, name, options } = collection;
    const indexes = collection.indexes.map(({ fields: _f, paths: _p, covers: _c, ...spec }) => ({
      ...spec,
      partialFilterExpression: spec.partialFilterExpression ?? null,
      expireAfterSeconds: spec.expireAfterSeconds ?? null,
    }));
    const uuid = Buffer.from(collection.uuid).toString('hex');
    this.#environment.meta.putSync(idKey(COLLECTION, id), encode({ db, name, uuid, options, indexes }));
  }

  /** Has a collection's count and size written down when the transaction ends. */
  touch(collection: Collection): void {
    this.#touched.add(collection);
  }

  #takeId(): number {
    const id = this.#nextId++;
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(this.#nextId);
    this.#environment.meta.putSync(NEXT_ID, bytes);
    return id;
  }

  #writeCounts(): void {
    for (const { id, count, bytes } of this.#touched) {
      const value = Buffer.alloc(16);
      value.writeDoubleBE(count, 0);
      value.writeDoubleBE(bytes, 8);
      this.#environment.meta.putSync(idKey(COUNT, id), value);
    }
    this.#touched.clear();
  }

  #load(): void {
    const { meta } = this.#environment;
    this.builds.forgetUnmarked((id) => this.garbage.has(id));
    this.#touched.clear();
    this.#collections = new Map();
    this.#nextId = meta.getBinary(NEXT_ID)?.readUInt32BE() ?? 1;
    for (const { key, value } of meta.getRange({ start: Buffer.from(COLLECTION), end: Buffer.from('d') })) {
      const id = key.readUInt32BE(1);
      const stored = decode(value) as {
        db: string;
        name: string;
        uuid: string;
        options: Doc;
        indexes: Doc[];
      };
      const counts = meta.getBinary(idKey(COUNT, id));
      const { db, name, options } = stored;
      this.#collections.set(`${db}.${name}`, {
        ...{ id, db, name, ns: `${db}.${name}`, options },
        uuid: Buffer.from(stored.uuid, 'hex'),
        indexes: stored.indexes.map(readIndex),
        count: counts?.readDoubleBE(0) ?? 0,
        bytes: counts?.readDoubleBE(8) ?? 0,
      });
    }
  }
}

function readIndex(stored: Doc): Index {
  return deriveIndex({
    ...(stored as unknown as IndexSpec),
    id: Number(stored.id),
    isSparseByKey: stored.isSparseByKey === true,
    partialFilterExpression: (stored.partialFilterExpression as Doc | null) ?? undefined,
    expireAfterSeconds: stored.expireAfterSeconds ?? undefined,
  });
}
