import { expect, it } from 'vitest';
import { fold } from './folding.ts';

const LETTERS = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));

/**
 * The iota under a Greek vowel, U+0345 when it stands alone, which people leave out as they do accents: ᾳ is α. In upper case
 * it is a letter of its own, ΑΙ, and that is αι: of case and diacritics one has to be regarded.
 */
const hasIotaBelow = (letter: string): boolean => letter.normalize('NFD').includes('\u0345');

/** The first letter in upper case, as a word begins with it: ß becomes Ss, and ǆ becomes ǅ by its own upper case. */
const titleOf = (letter: string): string => {
  const [first = '', ...rest] = letter.toUpperCase();
  return first + rest.join('').toLowerCase();
};

const FOLDED = new Map(LETTERS.map((letter) => [letter, fold(letter)]));

/** The characters that become another one when they are folded in another form, with their code points. */
const unlikeIn = (form: (letter: string) => string): string[] =>
  LETTERS.filter((letter) => {
    const other = form(letter);
    return other !== letter && fold(other) !== FOLDED.get(letter);
  }).map((letter) => `U+${letter.codePointAt(0)?.toString(16)} ${letter}`);

it('a text that is folded is folded no further, whatever character it is', () => {
  expect(unlikeIn((letter) => FOLDED.get(letter) ?? '')).toEqual([]);
});

it.each([
  ['lower', (letter: string) => letter.toLowerCase()],
  ['upper', (letter: string) => (hasIotaBelow(letter) ? letter : letter.toUpperCase())],
  ['title', (letter: string) => (hasIotaBelow(letter) ? letter : titleOf(letter))],
])('every character is alike in %s case', (_, form) => {
  expect(unlikeIn(form)).toEqual([]);
});

it('characters that are in title case themselves are alike in the other ones', () => {
  const titles = LETTERS.filter((letter) => /\p{Lt}/u.test(letter));
  expect(titles.length).toBeGreaterThan(30);
  for (const title of titles) expect(fold(title)).toBe(fold(title.toLowerCase()));
});

it('an iota below is left out as a diacritic, and is a letter where it is written as one', () => {
  const below = LETTERS.filter(hasIotaBelow);
  expect(below.length).toBeGreaterThan(60);
  for (const letter of below) {
    expect(fold(letter)).toBe(fold(letter.normalize('NFD').replaceAll('\u0345', '')));
    expect(fold(letter.toUpperCase())).toBe(`${fold(letter)}ι`);
  }
});

it('the capital ẞ is ß, SS and ss', () => {
  expect(['GRÖẞE', 'größe', 'GRÖSSE', 'Größe', 'grosse'].map(fold)).toEqual(Array(5).fill('grosse'));
});
