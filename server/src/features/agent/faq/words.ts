import { stopwords as japanese } from '@orama/stopwords/japanese';
import { stopwords as mandarin } from '@orama/stopwords/mandarin';
import { fold } from '../../../platform/folding.ts';
import type { Language } from './languages.ts';

/** Scripts written without spaces between words. */
const WITHOUT_SPACES =
  /([\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u30fc]+)/u;

/** How much of a text is looked at, in characters. */
const MAX_TEXT = 2_000;

/** The words of a text in lower case. `don't` is one word, `l'adresse` is two. */
export const wordsOf = (text: string): string[] =>
  text
    .slice(0, MAX_TEXT)
    .normalize('NFKC')
    // U+FDFA becomes 18 characters.
    .slice(0, MAX_TEXT)
    .toLowerCase()
    .replace(/['’](s|t|re|ve|ll|d|m)(?![\p{L}\p{N}])/gu, '$1')
    .match(/[\p{L}\p{N}][\p{L}\p{N}\p{M}]*/gu) ?? [];

/** Marks a word that says little; no word begins with a space. */
const LITTLE = ' ';

const STOPS_WITHOUT_SPACES = new Set([...mandarin, ...japanese]);

/** Two neighbours at a time, for what has no spaces between words. */
const bigrams = (run: string): string[] => {
  const letters = Array.from(fold(run));
  const pairs =
    letters.length === 1 ? letters : letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
  const isStop = (pair: string | undefined): boolean =>
    pair !== undefined && /^\p{Script=Han}+$/u.test(pair) && STOPS_WITHOUT_SPACES.has(pair);
  return pairs.map((pair, index) => {
    // Japanese writes its grammar in hiragana; half a stop word and the letter beside it are no word at all.
    const isGrammar =
      /\p{Script=Hiragana}/u.test(pair) ||
      isStop(pair) ||
      isStop(pairs[index - 1]) ||
      isStop(pairs[index + 1]);
    return isGrammar ? LITTLE + pair : pair;
  });
};

/** Whether a term is a word that says little. */
export const saysLittle = (term: string): boolean => term.startsWith(LITTLE);

/** What a text is about: stems of words, words that say little marked as such, and bigrams; each once. */
export const termsOf = (text: string, { stem, stops, fillers }: Language): Set<string> => {
  const termsOfPart = (part: string): string[] => {
    if (part === '') return [];
    if (WITHOUT_SPACES.test(part)) return bigrams(part);
    const plain = fold(part);
    if (fillers.has(plain)) return [];
    if (stops.has(plain)) return [LITTLE + plain];
    // The stem by the rules of the language, which know its accents; then what people leave out is left out.
    return [fold(stem(part))];
  };
  return new Set(wordsOf(text).flatMap((word) => word.split(WITHOUT_SPACES).flatMap(termsOfPart)));
};
