import { fold, PART_OF_WORD_CLASS, WITHOUT_SPACES_CLASS } from '../../platform/folding.ts';

/** A longer word counts as its first characters (UTF-16 code units); no query is as long. */
export const MAX_WORD = 201;

/** A word where it stands in a folded text. */
export interface Word {
  text: string;
  /** In UTF-16 code units of the folded text. */
  start: number;
  end: number;
  /** Of a script without spaces: two neighbours, or the last character of a run. */
  isUnspaced: boolean;
  /** One of the characters that are a word each, by themselves. */
  isWhole: boolean;
}

const UNSPACED = `(?=${PART_OF_WORD_CLASS})${WITHOUT_SPACES_CLASS}`;
const SPACED = `(?!${WITHOUT_SPACES_CLASS})${PART_OF_WORD_CLASS}`;
/** An emoji, as a part of a regular expression: of regional indicators two are a flag, and one alone stands for a letter. */
export const PICTURE = String.raw`(?:\p{Extended_Pictographic}|\p{Regional_Indicator}{1,2})`;
const RUN = new RegExp(`((?:${UNSPACED})+)|((?:${SPACED})+)|${PICTURE}`, 'gu');

/**
 * The words of a folded text, in order. Where words are not spaced, each pair of neighbours is one, and so is a run's last
 * character, so that every single character begins a word.
 */
export function* wordsIn(folded: string): Generator<Word, void, void> {
  for (const { 0: run, 1: unspaced, 2: spaced, index } of folded.matchAll(RUN)) {
    if (unspaced === undefined) {
      yield {
        text: cut(run),
        start: index,
        end: index + run.length,
        isUnspaced: false,
        isWhole: spaced === undefined,
      };
      continue;
    }
    for (let at = 0; at < run.length; ) {
      const next = at + lengthAt(run, at);
      const end = next < run.length ? next + lengthAt(run, next) : next;
      const text = run.slice(at, end);
      yield { text, start: index + at, end: index + end, isUnspaced: true, isWhole: false };
      at = next;
    }
  }
}

/** Not in the middle of a character, which no database keeps. */
const cut = (run: string): string => run.slice(0, MAX_WORD).replace(/[\ud800-\udbff]$/, '');

/** The length of the character at a place, in UTF-16 code units. */
const lengthAt = (text: string, at: number): number => ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);

/** The words of a text, each once. */
export const wordsOf = (text: string): Set<string> => {
  const words = new Set<string>();
  for (const word of wordsIn(fold(text))) words.add(word.text);
  return words;
};
