import { RE2JS } from 're2js';

/** A pattern longer than this, or one that becomes a larger program, is refused. */
const MAX_LENGTH = 500;
const MAX_PROGRAM = 1_000;

/** Unicode classes in a pattern: compiling one takes up to a millisecond. */
const MAX_CLASSES = 20;

/**
 * Time is program times text: the part of a text that is searched is bounded so that a search takes some 40 ms
 * at most.
 */
const MAX_STEPS = 500_000;
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
  const size = pattern.programSize();
  if (size > MAX_PROGRAM) throw new Error('too complicated');
  const searched = Math.min(MAX_TEXT, Math.floor(MAX_STEPS / size));
  return (text) => pattern.test(text.slice(0, searched));
};

/** What is wrong with a pattern, or undefined. */
export const patternError = (source: string): string | undefined => {
  try {
    if ((source.match(/\\p/gi)?.length ?? 0) > MAX_CLASSES) throw new Error('too many Unicode classes');
    compilePattern(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};
