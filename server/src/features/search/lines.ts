import type { Term } from './search-query.ts';
import type { StoredSegment } from './segments.model.ts';

/**
 * An object in a segment. Its key is its place among all objects of its kind and account: when it was made, and its uuid, so
 * that keys sort as the objects do.
 */
export interface Line {
  key: string;
  /** Its widget's uuid; empty for none, UNKNOWN_WIDGET where that is not known yet. */
  widget: string;
  subjects: readonly string[];
  /** Its words, each once. */
  words: readonly string[];
}

/** What the words of a line take at most, as UTF-8: more than any object has by the limits of the API. */
export const MAX_WORDS_BYTES = 512 * 1_024;

/** How many characters a line is, about: its words and subjects, with what stands between them. */
export const lengthOf = ({ words, subjects }: Pick<Line, 'words' | 'subjects'>): number =>
  [words, subjects].flat().reduce((sum, text) => sum + text.length + 1, 0);

/** The first of some words, as far as a line has room for them. */
export const fittingWords = (words: Iterable<string>): string[] => {
  const fitting: string[] = [];
  let bytes = 0;
  for (const word of words) {
    bytes += Buffer.byteLength(word) + 1;
    if (bytes > MAX_WORDS_BYTES) break;
    fitting.push(word);
  }
  return fitting;
};

/** Of what was stored before objects knew their widget (access/room-widgets.ts). */
export const UNKNOWN_WIDGET = '?';

const TIME_DIGITS = 12;
const UUID_DIGITS = 32;
const KEY_LENGTH = TIME_DIGITS + UUID_DIGITS;

/** The latest time that fits into a key, of the year 10889. */
const LATEST = 16 ** TIME_DIGITS - 1;

/** The key of an object. Of a time before 1970 it has 1970, and of one that is too late the latest that it can have. */
export const lineKey = (at: Date, uuid: string): string =>
  Math.min(Math.max(at.getTime(), 0), LATEST).toString(16).padStart(TIME_DIGITS, '0') +
  uuid.replaceAll('-', '');

export const isLineKey = (text: string): boolean => text.length === KEY_LENGTH && /^[\da-f]+$/.test(text);

/** The uuid of the object with a key. */
export const uuidOfKey = (key: string): string => {
  const digits = key.slice(TIME_DIGITS);
  return [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
    .map(([from, to]) => digits.slice(from, to))
    .join('-');
};

/** When the object with a key was made. */
export const timeOfKey = (key: string): Date => new Date(Number.parseInt(key.slice(0, TIME_DIGITS), 16));

export const newestFirst = (a: { key: string }, b: { key: string }): number =>
  a.key < b.key ? 1 : a.key > b.key ? -1 : 0;

/** What a segment holds of its lines. */
export type Encoded = Pick<StoredSegment, 'count' | 'subjects' | 'widgets' | 'lines'>;

/** The lines as one text, `<key>:<widget>:<subjects>` with numbers into the lists, a tab, and the words between spaces. */
export const encodeLines = (lines: readonly Line[]): Encoded => {
  const subjects = new Map<string, number>();
  const widgets = new Map<string, number>();
  const numberOf = (known: Map<string, number>, value: string): number => {
    const number = known.get(value) ?? known.size;
    known.set(value, number);
    return number;
  };
  const texts = lines.map(({ key, widget, subjects: own, words }) => {
    const refs = own.map((subject) => numberOf(subjects, subject)).join();
    return `${key}:${numberOf(widgets, widget)}:${refs}\t ${words.join(' ')} \n`;
  });
  return {
    count: lines.length,
    subjects: [...subjects.keys()],
    widgets: [...widgets.keys()],
    lines: texts.join(''),
  };
};

/** The lines of a segment, newest first. */
export const decodeLines = ({ lines, subjects, widgets }: Encoded): Line[] =>
  lines
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [head = '', words = ''] = line.split('\t');
      const [key = '', widget = '', refs = ''] = head.split(':');
      return {
        key,
        widget: widgets[Number(widget)] ?? '',
        subjects: refs === '' ? [] : refs.split(',').map((ref) => subjects[Number(ref)] ?? ''),
        words: words.split(' ').filter((word) => word !== ''),
      };
    });

const patternOf = ({ text, isPrefix }: Term): string => (isPrefix ? ` ${text}` : ` ${text} `);

/** Whether a segment has a word that begins with a text. */
export const hasWord = ({ lines }: Pick<Encoded, 'lines'>, text: string): boolean =>
  lines.includes(` ${text}`);

/** A line that has all words which are looked for. */
export type FoundLine = Pick<Line, 'key' | 'widget'>;

/** A text of its own: what is cut out of another one keeps all of that in memory. */
const copyOf = (ascii: string): string => Buffer.from(ascii, 'latin1').toString('latin1');

/**
 * The lines of a segment with all terms, newest first. They keep nothing of it in memory.
 * @param before only those with smaller keys
 */
export function* findLines(
  { lines, widgets }: Encoded,
  terms: readonly Term[],
  before: string | undefined,
): Generator<FoundLine, void, void> {
  // The longest one is found least often.
  const [anchor = '', ...others] = terms.map(patternOf).sort((a, b) => b.length - a.length);
  for (let at = lines.indexOf(anchor); at !== -1; ) {
    const start = lines.lastIndexOf('\n', at) + 1;
    const end = lines.indexOf('\n', at);
    const key = lines.slice(start, start + KEY_LENGTH);
    if (before === undefined || key < before) {
      const line = lines.slice(start, end);
      if (others.every((pattern) => line.includes(pattern))) {
        const [, widget = ''] = line.slice(0, line.indexOf('\t')).split(':', 2);
        yield { key: copyOf(key), widget: widgets[Number(widget)] ?? '' };
      }
    }
    at = lines.indexOf(anchor, end);
  }
}
