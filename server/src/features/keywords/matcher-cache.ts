import { LRUCache } from 'lru-cache';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { fold } from '../../platform/folding.ts';
import type { KeywordModel, StoredKeyword } from './keywords.model.ts';
import { Matcher } from './matcher.ts';

/** Accounts whose keywords are kept in memory. */
const MAX_KEPT = 64;

/** What is kept is read anew after this time in any case. */
const KEPT_FOR_MS = 60_000;

/** The keywords of an account as configured, in the order of their making, those together that are alike, and what finds them. */
interface Kept {
  keywords: readonly (readonly string[])[];
  matcher: Matcher;
  /** Tells whether the account has other keywords now. */
  mark: string;
}

/**
 * One matcher for each account, made anew when its keywords have changed, on whatever process: how many they are
 * and which is the newest, two look-ups in an index, tells whether they have.
 */
export class MatcherCache {
  readonly #keywords: KeywordModel;
  readonly #maxKeywords: number;
  /** Those that are being made, once for all who ask meanwhile. */
  readonly #reading = new Map<string, { mark: string; kept: Promise<Kept> }>();
  readonly #kept = new LRUCache<string, Kept>({ max: MAX_KEPT, ttl: KEPT_FOR_MS });

  constructor(keywords: KeywordModel, maxKeywords: number) {
    this.#keywords = keywords;
    this.#maxKeywords = maxKeywords;
  }

  async of(account: string): Promise<Kept> {
    const mark = await this.#mark(account);
    const known = this.#kept.get(account);
    if (known?.mark === mark) return known;
    const reading = this.#reading.get(account);
    if (reading?.mark === mark) return reading.kept;
    const kept = this.#read(account, mark);
    const begun = { mark, kept };
    this.#reading.set(account, begun);
    try {
      const made = await kept;
      // Unless a later one has been begun, of other keywords.
      if (this.#reading.get(account) === begun) this.#kept.set(account, made);
      return made;
    } finally {
      if (this.#reading.get(account) === begun) this.#reading.delete(account);
    }
  }

  async #mark(account: string): Promise<string> {
    // Past mongoose, as every round of the relay asks this.
    const options = { projection: { _id: 1 }, sort: { created_at: -1, _id: -1 } } as const;
    const newest = await this.#keywords.collection.findOne({ account }, options);
    return newest ? `${await this.#keywords.countDocuments({ account })} ${newest._id}` : '';
  }

  /** @param mark as it was before this was asked for: a change in between is noticed the next time */
  async #read(account: string, mark: string): Promise<Kept> {
    const found = await this.#keywords
      .find({ account }, { keyword: 1 })
      .sort({ created_at: -1, _id: -1 })
      .limit(this.#maxKeywords)
      .lean<StoredKeyword[]>();
    const alike = new Map<string, string[]>();
    for (const { keyword } of found.reverse()) {
      // Folded now, as texts are: what is stored may be of an earlier version, and two of them alike by now.
      const folded = fold(keyword);
      alike.set(folded, [...(alike.get(folded) ?? []), keyword]);
    }
    const matcher = await Matcher.from([...alike.keys()], new CpuBudget(account));
    return { keywords: [...alike.values()], matcher, mark };
  }
}
