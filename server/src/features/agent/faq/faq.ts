import type { FaqEntry } from '@parlor/shared';
import type { CpuBudget } from '../../../platform/cpu-budget.ts';
import { fold } from '../../../platform/folding.ts';
import { type Language, languageOf } from './languages.ts';
import { saysLittle, termsOf, wordsOf } from './words.ts';

/*
 * The figures below were found on one half of server/test/agent-faq.txt and checked on the other half; faq.test.ts
 * holds what they reach.
 */

/** What a term counts by where it stands, as BM25F weighs fields: another question of the entry, its answer. */
const IN_ANOTHER_QUESTION = 0.9;
const IN_THE_ANSWER = 0.5;

/** What a word that says little counts beside others as rare. */
const LITTLE = 0.15;

/** The weight of a question whose own words were not asked for at all. */
const FLOOR = 0.1;

/** Puts the middle of the scale where right answers part from wrong ones. 0.5 would be the geometric mean. */
const SCALE = 0.435;

/**
 * Terms that share at least SAME_START first letters, and differ by at most OTHER_END last ones, are forms of
 * one word.
 */
const SAME_START = 5;
const OTHER_END = 3;

/** How many of the terms that begin alike are looked at as forms of one word: a language has far fewer. */
const MAX_ALIKE = 64;

/** How many words tell the language. */
const WORDS_OF_LANGUAGE = 2_000;

/** What one without entries, a question, and a term of one take besides their characters: measured of 36 000, and rounded up. */
const OWN_BYTES = 1_024;
const QUESTION_BYTES = 600;
const TERM_BYTES = 60;

/** One question of an entry. */
interface Document {
  terms: ReadonlySet<string>;
  /** The weight of all of its terms. */
  weight: number;
}

interface Entry {
  answer: string;
  documents: Document[];
  ofQuestions: ReadonlySet<string>;
  ofAnswer: ReadonlySet<string>;
}

/** A term of a question, its known forms, and what it weighs. */
interface Asked {
  forms: readonly string[];
  weight: number;
}

/**
 * Frequently asked questions, ranked by BM25's rarity of terms over word stems, with fields as in BM25F
 * (Robertson and Zaragoza, 2009). Two parts make the score, 0..1: how much of what was asked stands in an entry,
 * and how much of the entry's question was asked; so one threshold fits entries of any number and length.
 */
export class Faq {
  readonly #language: Language;
  readonly #entries: Entry[] = [];
  /** In which entries' questions a term stands. */
  readonly #entriesWith = new Map<string, Entry[]>();
  readonly #termsByStart = new Map<string, string[]>();
  readonly #exact = new Map<string, string>();
  #bytes = OWN_BYTES;

  private constructor(language: Language) {
    this.#language = language;
  }

  /** What they take in memory, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Makes entries ready to be asked. */
  static async from(entries: readonly FaqEntry[], budget: CpuBudget): Promise<Faq> {
    const words: string[] = [];
    for (const question of entries.flatMap(({ questions }) => questions)) {
      if (words.length >= WORDS_OF_LANGUAGE) break;
      words.push(...wordsOf(question).map(fold));
      await budget.checkpoint();
    }
    const faq = new Faq(languageOf(words));
    for (const entry of entries) await faq.#add(entry, budget);
    for (const { documents } of faq.#entries) {
      for (const document of documents) document.weight = faq.#sum(document.terms);
      await budget.checkpoint();
    }
    return faq;
  }

  /** The answer to a question; undefined when none is sure enough. */
  async answer(question: string, threshold: number, budget: CpuBudget): Promise<string | undefined> {
    const exact = this.#exact.get(fold(question));
    if (exact !== undefined) return exact;
    const best = await this.best(question, budget);
    return best && best.score >= threshold ? best.answer : undefined;
  }

  /** The best entry for a question and its score, 0..1. */
  async best(question: string, budget: CpuBudget): Promise<{ answer: string; score: number } | undefined> {
    const asked: Asked[] = [];
    // Each form once: how many there are, and how many entries they stand in, goes by the entries alone.
    const forms = new Set<string>();
    for (const term of termsOf(question, this.#language)) {
      const understood = this.#understand(term);
      asked.push(understood);
      for (const form of understood.forms) if (!saysLittle(form)) forms.add(form);
      await budget.checkpoint();
    }
    const all = asked.reduce((sum, { weight }) => sum + weight, 0);
    const candidates = new Set<Entry>();
    for (const form of forms) {
      for (const entry of this.#entriesWith.get(form) ?? []) candidates.add(entry);
      await budget.checkpoint();
    }
    let best: { answer: string; score: number } | undefined;
    for (const entry of candidates) {
      for (const document of entry.documents) {
        await budget.checkpoint();
        const score = this.#score(asked, all, entry, document);
        if (score > (best?.score ?? 0)) best = { answer: entry.answer, score };
      }
    }
    return best;
  }

  #score(asked: readonly Asked[], all: number, { ofQuestions, ofAnswer }: Entry, document: Document): number {
    const met = new Set<string>();
    let found = 0;
    for (const { forms, weight } of asked) {
      const here = forms.filter((form) => document.terms.has(form));
      for (const form of here) met.add(form);
      if (here.length > 0) found += weight;
      else if (forms.some((form) => ofQuestions.has(form))) found += weight * IN_ANOTHER_QUESTION;
      else if (forms.some((form) => ofAnswer.has(form))) found += weight * IN_THE_ANSWER;
    }
    const covered = document.weight === 0 ? 0 : this.#sum(met) / document.weight;
    return ((found / all) * (FLOOR + (1 - FLOOR) * covered)) ** SCALE;
  }

  async #add({ questions, answer }: FaqEntry, budget: CpuBudget): Promise<void> {
    const documents: Document[] = [];
    for (const question of questions) {
      documents.push({ terms: termsOf(question, this.#language), weight: 0 });
      const exact = fold(question);
      this.#bytes += QUESTION_BYTES + 2 * exact.length;
      if (!this.#exact.has(exact)) this.#exact.set(exact, answer);
      await budget.checkpoint();
    }
    const ofQuestions = new Set(documents.flatMap(({ terms }) => [...terms]));
    const entry = { answer, documents, ofQuestions, ofAnswer: termsOf(answer, this.#language) };
    this.#entries.push(entry);
    const terms = documents.reduce((sum, document) => sum + document.terms.size, 0);
    this.#bytes += TERM_BYTES * (terms + ofQuestions.size + entry.ofAnswer.size) + 2 * answer.length;
    for (const term of ofQuestions) this.#index(term, entry);
    await budget.checkpoint();
  }

  #index(term: string, entry: Entry): void {
    const known = this.#entriesWith.get(term);
    if (known) {
      known.push(entry);
      return;
    }
    this.#entriesWith.set(term, [entry]);
    const start = term.slice(0, SAME_START);
    const alike = this.#termsByStart.get(start);
    if (!alike) this.#termsByStart.set(start, [term]);
    else if (alike.length < MAX_ALIKE) alike.push(term);
  }

  #understand(term: string): Asked {
    const alike = this.#termsByStart.get(term.slice(0, SAME_START)) ?? [];
    const forms = [term, ...alike.filter((known) => known !== term && isSameWord(known, term))];
    if (forms.length > 1 && !this.#entriesWith.has(term)) forms.shift();
    return { forms, weight: Math.max(...forms.map((form) => this.#weight(form))) };
  }

  /** BM25's inverse document frequency; a term that no entry knows is the rarest. */
  #weight(term: string): number {
    const total = this.#entries.length;
    const count = this.#entriesWith.get(term)?.length ?? 0;
    const rarity = Math.log(1 + (total - count + 0.5) / (count + 0.5));
    return saysLittle(term) ? rarity * LITTLE : rarity;
  }

  #sum(terms: Iterable<string>): number {
    let sum = 0;
    for (const term of terms) sum += this.#weight(term);
    return sum;
  }
}

const isSameWord = (a: string, b: string): boolean => {
  if (saysLittle(a) || saysLittle(b)) return false;
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  return short.length >= SAME_START && long.length - short.length <= OTHER_END && long.startsWith(short);
};
