/**
 * A query that goes on after others had their turn ends when its collection was dropped or renamed meanwhile, or an index
 * that it reads by was dropped, as in MongoDB: what it finds then is part of nothing.
 */
import { MongoError } from '../errors/mongo-error.ts';
import type { Plan } from '../planner/plan.ts';
import type { Catalog } from '../storage/catalog.ts';

export class PlanWatch {
  readonly #catalog: Catalog;
  readonly #plan: Plan;
  readonly #ns: string;
  #removals: number;

  /** @throws MongoError 175 when the collection is gone already */
  constructor(catalog: Catalog, plan: Plan) {
    this.#catalog = catalog;
    this.#plan = plan;
    this.#ns = plan.collection.ns;
    this.#removals = catalog.removals;
    this.#check();
  }

  /** @throws MongoError 175 when the plan leads nowhere any more */
  check(): void {
    if (this.#catalog.removals === this.#removals) return;
    this.#check();
    this.#removals = this.#catalog.removals;
  }

  #check(): void {
    const { id, uuid } = this.#plan.collection;
    const collection = this.#catalog.get(this.#ns);
    if (collection?.id !== id) {
      const renamed = this.#catalog.list().find((other) => other.id === id);
      const what = renamed ? `renamed from '${this.#ns}' to '${renamed.ns}'` : 'dropped';
      throw killed(`collection ${what}. UUID ${uuidText(uuid)}`);
    }
    for (const { index } of this.#plan.accesses) {
      const isThere = collection.indexes.some((other) => other.id === index.id);
      if (!isThere) throw killed(`query plan killed :: index '${index.name}' dropped`);
    }
  }
}

const killed = (text: string): MongoError => new MongoError(175, 'QueryPlanKilled', text);

const uuidText = (uuid: Uint8Array): string =>
  Buffer.from(uuid)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
