import { expect, it } from 'vitest';
import { plainArguments, takeArguments, takeFlag, takeOption } from './arguments.ts';

it('what begins with "-" is an option before "--", and a name behind it', () => {
  const args = ['--yes', '--', '--yes'];
  expect(takeFlag(args, '--yes')).toBe(true);
  expect(takeArguments(args, 'USERNAME')).toEqual(['--yes']);
  const without = ['--', '--yes', 'file'];
  expect(takeFlag(without, '--yes')).toBe(false);
  expect(takeOption(without, '--yes')).toBeUndefined();
  expect(takeArguments(without, 'USERNAME', 'FILE')).toEqual(['--yes', 'file']);
  expect(takeArguments(['ada', '--', '--'], 'USERNAME', 'FILE')).toEqual(['ada', '--']);
  expect(plainArguments(['ada', '--', '-b', '--'])).toEqual(['ada', '-b', '--']);
  expect(() => takeArguments(['-bob'], 'USERNAME')).toThrow(
    'unknown option -bob (a name that begins with "-" goes behind "--")',
  );
  expect(() => takeArguments(['--'], 'USERNAME')).toThrow('USERNAME is missing');
  expect(() => takeFlag(['--yes', '--yes', '--', 'a'], '--yes')).toThrow('--yes is given twice');
  expect(() => takeOption(['--to', '--', 'a'], '--to')).toThrow('--to needs a value');
});
