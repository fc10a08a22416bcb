import { expect, test } from 'vitest';
import { problem } from './problem.ts';

test.each([
  ['name', '', 'needed'],
  ['name', '   ', 'needed'],
  ['name', 'Robin', ''],
  ['email', 'robin@lamps.example', ''],
  ['email', 'robin@', 'badEmail'],
  ['email', 'robin@lamps', 'badEmail'],
  ['email', 'two words@lamps.example', 'badEmail'],
  ['phone', '+44 (20) 7946-0000', ''],
  ['phone', 'call me', 'badPhone'],
  ['phone', '12', 'badPhone'],
] as const)('%s "%s" is %s', (field, value, expected) => {
  expect(problem(field, value)).toBe(expected);
});
