import type { BSONRegExp, BSONSymbol } from 'bson';
import { typeName } from '../bson/values.ts';
import { badValue, mongoError } from '../errors/mongo-error.ts';
import { translatePattern } from './pcre.ts';
import type { Test } from './predicate.ts';

/** A regular expression as a condition: it matches strings, and regular expressions equal to itself. */
export function compileRegex(value: unknown): Test {
  const { pattern, options } = value as BSONRegExp;
  return regexTest(pattern, options);
}

/** `$regex` with its `$options`, which may also stand in the expression itself, but not in both. */
export function regexOperator(operand: unknown, options: unknown): Test {
  if (options !== undefined && typeof options !== 'string') throw badValue('$options has to be a string');
  if (typeName(operand) === 'regex') {
    const own = (operand as BSONRegExp).options;
    if (options !== undefined && own !== '')
      throw mongoError(51075, 'options set in both $regex and $options');
    return regexTest((operand as BSONRegExp).pattern, options ?? own);
  }
  if (typeof operand !== 'string') throw badValue('$regex has to be a string');
  return regexTest(operand, options ?? '');
}

function regexTest(pattern: string, options: string): Test {
  if (pattern.includes('\0')) throw badValue('Regular expression cannot contain an embedded null byte');
  for (const option of options) {
    if (!'imsxu'.includes(option)) throw mongoError(51108, ` invalid flag in regex options: ${option}`);
  }
  const matches = translatePattern(pattern, options);
  return (value) => {
    if (typeof value === 'string') return matches(value);
    const type = typeName(value);
    if (type === 'symbol') return matches((value as BSONSymbol).value);
    if (type !== 'regex') return false;
    return (value as BSONRegExp).pattern === pattern && (value as BSONRegExp).options === options;
  };
}
