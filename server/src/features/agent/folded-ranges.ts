/** A character of a class: a code point by its number, an escaped character, or itself. */
const CHARACTER = String.raw`\\x\{[\da-fA-F]{1,8}\}|\\x[\da-fA-F]{2}|\\[0-7]{1,3}|\\[^]|[^]`;

/** A range; its end is looked at again as the beginning of the next one. */
const RANGE = new RegExp(`(${CHARACTER})-(?=(${CHARACTER}))`, 'gu');

/** A group whose flags may hold `i`: case is disregarded. */
const DISREGARDS_CASE = /\(\?[^):]*i/;

/** The last code point that has another case (Unicode's CaseFolding.txt): what is beyond it takes no time. */
const LAST_CASED = 0x1e943;

const codePointOf = (character: string): number => {
  const [, braced, two, octal] = /^\\(?:x\{([^}]+)\}|x([\da-f]{2})|([0-7]+))$/i.exec(character) ?? [];
  const hexadecimal = braced ?? two;
  if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
  if (octal !== undefined) return Number.parseInt(octal, 8);
  return character.replace(/^\\/u, '').codePointAt(0) ?? 0;
};

/**
 * How many code points RE2 looks up, one by one, for the ranges of a pattern that disregards case. It may count what is
 * no range, such as a hyphen outside of brackets, but leaves none out.
 */
export const workToFold = (pattern: string): number => {
  if (!DISREGARDS_CASE.test(pattern)) return 0;
  let count = 0;
  for (const [, from = '', to = ''] of pattern.matchAll(RANGE)) {
    count += Math.max(0, Math.min(codePointOf(to), LAST_CASED) - codePointOf(from));
  }
  return count;
};
