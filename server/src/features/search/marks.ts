import { fold } from '../../platform/folding.ts';
import type { Term } from './search-query.ts';
import { type Word, wordsIn } from './words.ts';

/** From a UTF-16 code unit of a text up to before another one. */
export type Mark = [start: number, end: number];

/** What of a query a text holds. */
export interface TextMatch {
  /** Which of the terms. */
  found: ReadonlySet<Term>;
  /** Where, in order, without overlaps. */
  marks: Mark[];
}

const PIECE = /\S+/gu;
/** A character with the marks that belong to it. */
const CLUSTER = /\P{M}?\p{M}*/gsu;

/** Looks for terms in a text as it was written, and marks them there. */
export const matchText = (text: string, terms: readonly Term[]): TextMatch => {
  const found = new Set<Term>();
  const marks: Mark[] = [];
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    const folded = fold(piece);
    let places: Places | undefined;
    for (const word of wordsIn(folded)) {
      const own = terms.filter((term) => isMatch(word, term));
      if (own.length === 0) continue;
      places ??= placesIn(piece, folded);
      for (const term of own) {
        found.add(term);
        const [start, end] = places(word.start, term.isPrefix ? word.start + term.text.length : word.end);
        addMark(marks, [index + start, index + end]);
      }
    }
  }
  return { found, marks };
};

const isMatch = (word: Word, { text, isPrefix }: Term): boolean =>
  isPrefix ? word.text.startsWith(text) : word.text === text;

const addMark = (marks: Mark[], [start, end]: Mark): void => {
  const last = marks.at(-1);
  // Words come in order; pairs of neighbours overlap.
  if (last && start <= last[1]) {
    last[0] = Math.min(last[0], start);
    last[1] = Math.max(last[1], end);
  } else marks.push([start, end]);
};

type Places = (start: number, end: number) => Mark;

/** From places in a folded piece to those in the piece itself. */
const placesIn = (piece: string, folded: string): Places => {
  /** For each unit of the folded text: the cluster that it comes from. */
  const from: number[] = [];
  const clusters: Mark[] = [];
  let joined = '';
  for (const { 0: cluster, index } of piece.matchAll(CLUSTER)) {
    if (cluster === '') continue;
    // White space at an end stays where it is not at the end of the piece.
    const plain = fold(`x${cluster}x`).slice(1, -1);
    joined += plain;
    for (let n = 0; n < plain.length; n++) from.push(clusters.length);
    clusters.push([index, index + cluster.length]);
  }
  // Where characters are folded together, such as halves of Hangul, the whole piece is marked.
  if (joined !== folded) return () => [0, piece.length];
  return (start, end) => [
    clusters[from[start] ?? 0]?.[0] ?? 0,
    clusters[from[end - 1] ?? 0]?.[1] ?? piece.length,
  ];
};

/** About how much of a long text is shown, and of that before the first mark, in UTF-16 code units. */
const SHOWN = 300;
const BEFORE = 60;
const MAX_MARKS = 100;

/** A text as a result shows it: all of it, or what is around the first mark, with an ellipsis where it was cut. */
export const excerpt = (text: string, marks: readonly Mark[]): { text: string; marks: Mark[] } => {
  if (text.length <= SHOWN) return { text, marks: marks.slice(0, MAX_MARKS) };
  const first = marks[0]?.[0] ?? 0;
  const from = boundaryAt(text, first + SHOWN - BEFORE > text.length ? text.length - SHOWN : first - BEFORE);
  const to = boundaryAt(text, from + SHOWN);
  const before = from > 0 ? '…' : '';
  const shift = before.length - from;
  const inside = marks
    .filter(([start]) => start < to)
    .slice(0, MAX_MARKS)
    .map(([start, end]): Mark => [start + shift, Math.min(end, to) + shift]);
  return { text: `${before}${text.slice(from, to)}${to < text.length ? '…' : ''}`, marks: inside };
};

/** The nearest place before one that cuts no character in two. */
const boundaryAt = (text: string, at: number): number => {
  if (at <= 0 || at >= text.length) return Math.max(0, Math.min(at, text.length));
  let place = at;
  while (place > 0 && /[\udc00-\udfff]|\p{M}|\u200d/u.test(text.charAt(place))) place--;
  return place;
};
