import { RE2JS } from 're2js';

/** A pattern longer than this, or one that becomes a larger program, is refused. */
const MAX_LENGTH = 500;
const MAX_PROGRAM = 1_000;

/** Only so much of a text is searched. Time is program times text: together they stay within some 50 ms. */
const MAX_TEXT = 10_000;

/** Whether a text matches, in time that is linear in its length whatever the pattern is (RE2). */
export type Pattern = (text: string) => boolean;

/**
 * Compiles the pattern of `matches`: RE2's syntax, found anywhere in a text.
 * @throws Error that says what is wrong with it.
 */
export const compilePattern = (source: string): Pattern => {
  if (source.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  const pattern = RE2JS.compile(source);
  if (pattern.programSize() > MAX_PROGRAM) throw new Error('too complicated');
  return (text) => pattern.test(text.slice(0, MAX_TEXT));
};

/** What is wrong with a pattern, or undefined. */
export const patternError = (source: string): string | undefined => {
  try {
    compilePattern(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
