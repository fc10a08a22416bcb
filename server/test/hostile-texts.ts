import { seeded } from './realtime-seeded.ts';

/** Choices that are the same for the same seed. */
export const chooser = (seed: number) => {
  const next = seeded(seed);
  const below = (limit: number): number => Math.floor(next() * limit);
  const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;
  return { next, below, pick };
};

/** What texts are slow or long by, when there is much of it. */
export const PIECES: Record<string, string> = {
  letters: 'a',
  words: 'ab ',
  'words that begin alike': 'abcdefg abcdefh ',
  spaces: ' ',
  'spaces of other kinds': '\u00a0\u2003\t\n',
  marks: '\u0315\u0300',
  'letters with marks': `a${'\u0315\u0300'.repeat(15)}`,
  'letters that become 18': '\ufdfa',
  'letters that become 3': '\ufb03\u{1d160}',
  'letters whose case is longer': 'ßİŉ',
  ideographs: '漢字仮名',
  syllables: '각\u1100\u1161\u11a8',
  emoji: '😀👩‍👩‍👧‍👦',
  digits: '1',
  'opening braces': '{{',
  'braces and spaces': '{{ ',
  placeholders: '{{a}}',
  'closing braces': '}}',
  brackets: '[(<',
  closing: '])>',
  slashes: '/',
  backslashes: '\\',
  dots: '.',
  'labels of a domain': 'a.',
  at: 'a@',
  hyphens: '-',
  quotes: '"\'`',
  stars: 'a*',
  plus: 'a+',
  questions: 'a?',
  pipes: 'a|',
  carets: '^$',
  percent: '%',
  ampersands: '&a=',
  commas: ',',
  semicolons: ';q=0.1,',
  colons: ':',
  'line breaks': '\r\n',
  controls: '\u0001\u007f',
  invisible: '\u200d\ufeff\u2028',
  markup: '<a href="',
};

/** Where a piece comes to nothing only at the end, or stands where a field expects something. */
const FRAMES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => `${text}!`,
  (text) => `a${text}`,
  (text) => `{{${text}`,
  (text) => `https://a${text}`,
  (text) => `https://example.com/${text}`,
  (text) => `a@${text}.b`,
];

/** As long as fields may be, beyond that, and as long as a body may be: in bytes. */
const SIZES = [100, 150, 500, 2_000, 4_000, 10_000, 40_000, 200_000];

/** A long text and what it is called. */
export const hostileText = ({ pick }: Pick<ReturnType<typeof chooser>, 'pick'>) => {
  const [name, piece] = pick(Object.entries(PIECES));
  const size = pick(SIZES);
  const text = pick(FRAMES)(piece.repeat(Math.ceil(size / Buffer.byteLength(piece))));
  return { name: `${size} bytes of ${name}`, text };
};

/** Every place in a JSON value where a text stands. */
export const textPaths = (value: unknown, path: readonly (string | number)[] = []): (string | number)[][] => {
  if (typeof value === 'string') return [[...path]];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => textPaths(inner, [...path, name]));
};

/** The value with something else at a path. */
export const replaced = (
  value: unknown,
  [name, ...rest]: readonly (string | number)[],
  by: unknown,
): unknown => {
  if (name === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<
    string | number,
    unknown
  >;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
};
