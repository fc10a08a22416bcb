import type { NodeOf } from '@parlor/shared';
import { LRUCache } from 'lru-cache';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { FairTurns, type TurnLimits } from '../../platform/fair-turns.ts';
import { partOfHeap } from '../../platform/heap.ts';
import { loadLaterBy } from '../../platform/load-later.ts';
import type { Faq } from './faq/faq.ts';

/** With the stems and stop words of 20 languages. */
const loadFaq = loadLaterBy(() => import('./faq/faq.ts'));

/** The part of V8's heap that entries which are ready to be asked are kept in (docs/limits.md). */
const KEPT_PART = 1 / 16;

/** Those of one node take up to 30 MB, a second of the processor to be made ready, and as much to be asked. */
const USES: TurnLimits = { running: 4, runningOfOne: 1, waitingOfOne: 2_000 };

/** The entries of all workflows' faq nodes, made ready when they are first asked, and kept as there is room. */
export class Faqs {
  readonly #kept: LRUCache<string, Faq>;
  readonly #uses = new FairTurns(USES);

  constructor(maxBytes = partOfHeap(KEPT_PART)) {
    this.#kept = new LRUCache({ maxSize: maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * Uses the entries of a node; those of an account one after the other, and few at a time.
   * @param key tells the node for ever; undefined: it is used this once
   */
  use<T>(
    { entries }: NodeOf<'faq'>,
    key: string | undefined,
    account: string,
    use: (faq: Faq) => Promise<T>,
  ): Promise<T> {
    return this.#uses.run(account, async () => use(await this.#ready(entries, key, account)));
  }

  async #ready(entries: NodeOf<'faq'>['entries'], key: string | undefined, account: string): Promise<Faq> {
    const kept = key === undefined ? undefined : this.#kept.get(key);
    if (kept) return kept;
    const { Faq } = await loadFaq();
    const made = await Faq.from(entries, new CpuBudget(account));
    if (key !== undefined) this.#kept.set(key, made);
    return made;
  }
}
