import { expect, it } from 'vitest';
import {
  email,
  MAX_DECOMPOSED_UNITS,
  MAX_MARKS_IN_A_ROW,
  text,
  uuidReference,
  webAddress,
} from './fields.ts';

const issuesOf = (
  schema: { safeParse(value: unknown): { error?: { issues: { message: string }[] } } },
  value: string,
) => (schema.safeParse(value).error?.issues ?? []).map(({ message }) => message);

it('bounds how a character may be written by what Unicode needs', () => {
  let most = 0;
  for (let point = 0; point <= 0x10ffff; point++) {
    if (point >= 0xd800 && point <= 0xdfff) continue;
    const character = String.fromCodePoint(point);
    if (character.normalize('NFC') === character) most = Math.max(most, character.normalize('NFD').length);
  }
  expect(most).toBeLessThanOrEqual(MAX_DECOMPOSED_UNITS);
});

it('counts characters as they are composed', () => {
  const name = text({ max: 4 });
  for (const four of ['\u1ea4\u1ea4\u1ea4\u1ea4', '\u{16126}'.repeat(4), '각각각각', '😀😀😀😀']) {
    expect(name.parse(four.normalize('NFD'))).toBe(four);
    expect(issuesOf(name, `${four}x`.normalize('NFD'))).toEqual([
      'Ensure this field has no more than 4 characters.',
    ]);
  }
});

it('takes as many combining marks in a row as any language writes, and no more', () => {
  const body = text({ max: 1_000 });
  const marks = (count: number) => `a${'\u0315\u0300'.repeat(count / 2)}`;
  expect(body.safeParse(`${marks(MAX_MARKS_IN_A_ROW)} ${marks(MAX_MARKS_IN_A_ROW)}`).success).toBe(true);
  const refused = ['Ensure this field has no more than 30 combining marks in a row.'];
  expect(issuesOf(body, `x${marks(MAX_MARKS_IN_A_ROW + 2)}`)).toEqual(refused);
  expect(issuesOf(body, `x${'\u{1e8d0}'.repeat(31)}`)).toEqual(refused);
});

it.each([
  ['a text', text({ max: 100 })],
  ['an e-mail address', email()],
  ['an address', webAddress(2_000)],
  ['a UUID', uuidReference()],
])('says one thing of %s that is far too long, before anything is done to it', (_, schema) => {
  for (const long of [
    'a\u0315\u0300'.repeat(64_500),
    '\ufdfa'.repeat(80_000),
    ' '.repeat(250_000),
    'a@'.repeat(125_000),
  ])
    expect(issuesOf(schema, long)).toHaveLength(1);
});
