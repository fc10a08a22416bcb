/** What PCRE's classes and assertions are in JavaScript, spelled so that no flag changes them. */
export const START = '^';
export const END = '$';
export const END_OR_LAST_NEWLINE = `(?=\\n?${END})`;
const WORD = 'A-Za-z0-9_';
const SPACE = ' \\t\\n\\v\\f\\r';
const NOT_SPACE = '\\0-\\x08\\x0e-\\x1f\\x21-\\u{10ffff}';
export const CLASSES: Record<string, string> = {
  d: '0-9',
  D: '\\0-\\x2f\\x3a-\\u{10ffff}',
  w: WORD,
  W: '\\0-\\x2f\\x3a-\\x40\\x5b-\\x5e\\x60\\x7b-\\u{10ffff}',
  s: SPACE,
  S: NOT_SPACE,
};
export const ASSERTIONS: Record<string, string> = {
  b: `(?:(?<=[${WORD}])(?![${WORD}])|(?<![${WORD}])(?=[${WORD}]))`,
  B: `(?:(?<=[${WORD}])(?=[${WORD}])|(?<![${WORD}])(?![${WORD}]))`,
  A: START,
  z: END,
  Z: END_OR_LAST_NEWLINE,
};
