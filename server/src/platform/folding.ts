import { MAX_MARKS_IN_A_ROW } from '@parlor/shared';

/**
 * Marks that tell a letter from its plain form in Latin, Greek, Cyrillic, Hebrew and Arabic. The vowel signs of
 * other scripts are marks, too, and change the word: they stay.
 */
const DIACRITICS =
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: these are marks by themselves
  /[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]/g;

/** What chooses how the character before it looks, such as an emoji in colours, and where a word may be parted at the end of a line. */
const UNSEEN = /[\p{Variation_Selector}\u00ad]/gu;

/**
 * Combining marks beyond those that any text may have in a row, and the two kana marks that NFKD makes such of: it sorts a run in
 * quadratic time.
 */
const MARKS_TOO_MANY = new RegExp(
  String.raw`([\p{M}\uff9e\uff9f]{${MAX_MARKS_IN_A_ROW}})[\p{M}\uff9e\uff9f]+`,
  'gu',
);

/** Letters whose stroke or ligature Unicode does not take apart. ß is left only of the capital ẞ, which upper case leaves as it is. */
const STROKES: Record<string, string> = {
  ...{ ø: 'o', ł: 'l', đ: 'd', ħ: 'h', ŧ: 't', æ: 'ae', œ: 'oe', ς: 'σ', ß: 'ss' },
};
const STROKE = new RegExp(`[${Object.keys(STROKES).join('')}]`, 'g');

/**
 * The form in which texts are compared: without regard to case, diacritics and kinds of white space. It takes linear time, whatever
 * the text: also one that no route has taken.
 */
export const fold = (text: string): string =>
  text
    .replace(UNSEEN, '')
    .replace(MARKS_TOO_MANY, '$1')
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    // Upper case first, so that ß and ss, ı and i meet.
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKD')
    .replace(DIACRITICS, '')
    .replace(STROKE, (letter) => STROKES[letter] ?? letter)
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .trim();

/** A character of the scripts that are written without spaces between words, as a class of a regular expression. */
export const WITHOUT_SPACES_CLASS = String.raw`[\p{Script_Extensions=Han}\p{Script_Extensions=Hiragana}\p{Script_Extensions=Katakana}\p{Script_Extensions=Thai}\p{Script_Extensions=Lao}\p{Script_Extensions=Khmer}\p{Script_Extensions=Myanmar}\p{Script_Extensions=Tibetan}]`;
const WITHOUT_SPACES = new RegExp(WITHOUT_SPACES_CLASS, 'u');

/** What a word is made of, in the same form. */
export const PART_OF_WORD_CLASS = String.raw`[\p{L}\p{N}\p{M}]`;
const PART_OF_WORD = new RegExp(PART_OF_WORD_CLASS, 'u');

const firstOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 32);

const lastOf = (text: string): string => {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xdc00 && last <= 0xdfff ? text.slice(-2) : text.slice(-1);
};

/** Whether a word may begin or end at a place in a folded text: no word goes on over it. */
export const isBoundary = (text: string, at: number): boolean => {
  if (at === 0 || at === text.length) return true;
  const before = lastOf(text.slice(Math.max(0, at - 2), at));
  const after = firstOf(text.slice(at, at + 2));
  return (
    !PART_OF_WORD.test(after) ||
    !PART_OF_WORD.test(before) ||
    WITHOUT_SPACES.test(after) ||
    WITHOUT_SPACES.test(before)
  );
};
