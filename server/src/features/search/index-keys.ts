import { WITHOUT_SPACES_CLASS } from '../../platform/folding.ts';
import type { Term } from './search-query.ts';
import { PICTURE } from './words.ts';

/** How much of a word's beginning is in the index, in UTF-16 code units. */
const LENGTHS = [3, 5, 8] as const;

/** What is in the index as a whole: a pair of neighbours where words are not spaced, and a picture. */
const WHOLE = new RegExp(`^(?:${WITHOUT_SPACES_CLASS}.|${PICTURE})$`, 'su');
const isWhole = (word: string): boolean => word.length <= 4 && WHOLE.test(word);

/** A segment with more different keys than this has ANY instead: its index entries would hold up other writes. */
const MAX_KEYS = 6_000;

/** Stands for every key. */
export const ANY = 0;

/** A whole number of 32 bits, and never ANY (FNV-1a). */
const hash = (text: string): number => {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value | 0 || 1;
};

/** The keys of words. */
export const keysOf = (words: Iterable<string>): number[] => {
  const keys = new Set<number>();
  for (const word of words) {
    if (isWhole(word)) keys.add(hash(word));
    else for (const length of LENGTHS) if (word.length >= length) keys.add(hash(word.slice(0, length)));
    if (keys.size > MAX_KEYS) return [ANY];
  }
  return [...keys];
};

/** What the index is asked for: the segments with a word that begins with a text. */
export interface IndexKey {
  key: number;
  text: string;
}

/** What every segment with such a word has in the index; undefined for one that is too short to be there. */
export const keyOf = ({ text }: Term): IndexKey | undefined => {
  if (isWhole(text)) return { key: hash(text), text };
  const length = LENGTHS.findLast((known) => known <= text.length);
  if (length === undefined) return undefined;
  const beginning = text.slice(0, length);
  return { key: hash(beginning), text: beginning };
};
