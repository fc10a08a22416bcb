import { expect, it } from 'vitest';
import { fold } from './folding.ts';

it('meets case, diacritics, ligatures and kinds of white space', () => {
  expect(fold('  ÉCOLE\u00a0Straße ﬁn ')).toBe('ecole strasse fin');
});

it.each([
  ['marks of two classes', '\u0315\u0300'],
  ['kana marks, which NFKD makes such of', '\uff9e\u0300'],
  ['marks that stay', '\u093c\u094d'],
])('takes linear time for a text with a run of %s', (_, pair) => {
  // Sorted by NFKD in one piece, a run of this length takes minutes.
  const folded = fold(`a${pair.repeat(400_000)}b`);
  expect([folded.at(0), folded.at(-1)]).toEqual(['a', 'b']);
});
