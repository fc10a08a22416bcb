import { expect, test } from 'vitest';
import { translatePattern } from './pcre.ts';

test.each([
  // What the two spell alike and mean differently.
  ['a$', '', 'a\n', true],
  ['a$', '', 'a\n\n', false],
  ['.', '', '\r', true],
  ['.', '', '\n', false],
  ['.', 's', '\n', true],
  ['^b', 'm', 'a\nb', true],
  ['\\s', '', '\u00a0', false],
  ['\\w', '', 'é', false],
  ['\\d', '', '٣', false],
  // Letter case by Unicode, over ranges too.
  ['straße', 'i', 'STRAßE', true],
  ['k', 'i', '\u212a', true],
  ['[a-c]', 'i', 'B', true],
  ['[^a-c]', 'i', 'B', false],
  // Comments and white space of the extended form.
  ['a b # c', 'x', 'ab', true],
  // One character outside of the basic plane is one character.
  ['^.$', '', '😀', true],
  ['[😀-😂]', '', '😁', true],
] as const)('%s with %s on %j: %s', (pattern, options, text, expected) => {
  expect(translatePattern(pattern, options)(text)).toBe(expected);
});

test.each(['a++', '(?<=a)b', '(a*)*', '[[:alpha:]]', '(*ACCEPT)'])('refuses %s by name', (pattern) => {
  expect(() => translatePattern(pattern, '')).toThrow(expect.objectContaining({ code: 238 }));
});

test.each(['a)', '(a', '[a', '*a', '[b-a]', 'a\\'])('%s is an error as in MongoDB', (pattern) => {
  expect(() => translatePattern(pattern, '')).toThrow(expect.objectContaining({ code: 51091 }));
});
