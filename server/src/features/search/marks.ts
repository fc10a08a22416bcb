import type { CpuBudget } from '../../platform/cpu-budget.ts';
import { fold } from '../../platform/folding.ts';
import type { Term } from './search-query.ts';
import { type Word, wordsIn } from './words.ts';

/** From a UTF-16 code unit of a text up to before another one. */
export type Mark = [start: number, end: number];

const PIECE = /\S+/gu;
/** A character with the marks that belong to it. */
const CLUSTER = /\P{M}?\p{M}*/gsu;

/** Says which terms a word is one of. */
type Matcher = (word: Word) => readonly Term[];

const matcherOf = (terms: readonly Term[]): Matcher => {
  const whole = new Map(terms.flatMap((term) => (term.isPrefix ? [] : [[term.text, [term]] as const])));
  const prefixes = terms.filter(({ isPrefix }) => isPrefix);
  return ({ text }) => {
    const same = whole.get(text) ?? [];
    const begun = prefixes.filter((term) => text.startsWith(term.text));
    return begun.length > 0 ? [...same, ...begun] : same;
  };
};

/** Which of the terms a text holds. */
export const termsIn = (text: string, terms: readonly Term[]): ReadonlySet<Term> => {
  const termsOf = matcherOf(terms);
  const found = new Set<Term>();
  for (const word of wordsIn(fold(text))) {
    for (const term of termsOf(word)) found.add(term);
    if (found.size === terms.length) break;
  }
  return found;
};

/** Where terms stand in a text as it was written, in order; pairs of neighbours overlap. */
async function* marksIn(
  text: string,
  terms: readonly Term[],
  budget: CpuBudget,
): AsyncGenerator<Mark, void, void> {
  const termsOf = matcherOf(terms);
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    await budget.checkpoint();
    const folded = fold(piece);
    let places: Places | undefined;
    for (const word of wordsIn(folded)) {
      for (const { text, isPrefix } of termsOf(word)) {
        if (!places) {
          await budget.checkpoint();
          places = placesIn(piece, folded);
        }
        const [start, end] = places(word.start, isPrefix ? word.start + text.length : word.end);
        yield [index + start, index + end];
      }
    }
  }
}

type Places = (start: number, end: number) => Mark;

/** A part of a piece, and where it stands there and in the folded piece. */
interface Part {
  text: string;
  folded: string;
  at: number;
  foldedAt: number;
}

/**
 * Cuts a piece between clusters into parts of at least this many UTF-16 code units, as far as is asked for.
 * @returns false where characters of several parts are folded together, such as halves of Hangul: no part follows then
 */
function* partsOf(piece: string, folded: string, least: number): Generator<Part, boolean, void> {
  let at = 0;
  let foldedAt = 0;
  for (const { 0: cluster, index } of piece.matchAll(CLUSTER)) {
    const end = index + cluster.length;
    if (end === at || (end - at < least && end < piece.length)) continue;
    const text = piece.slice(at, end);
    // White space at an end stays where it is not at the end of the piece.
    const plain = fold(`x${text}x`).slice(1, -1);
    if (!folded.startsWith(plain, foldedAt)) return false;
    yield { text, folded: plain, at, foldedAt };
    at = end;
    foldedAt += plain.length;
  }
  return foldedAt === folded.length;
}

/** All parts; none where some can't be told apart. */
const allPartsOf = (piece: string, folded: string, least: number): readonly Part[] => {
  const parts: Part[] = [];
  const rest = partsOf(piece, folded, least);
  for (;;) {
    const { value, done } = rest.next();
    if (done) return value ? parts : [];
    parts.push(value);
  }
};

/** This much is folded at once before it is looked at cluster by cluster, which costs a multiple. */
const BLOCK = 64;

/** From places in a folded piece to those in the piece itself: it is cut no further than the last of them. */
const placesIn = (piece: string, folded: string): Places => {
  const rest = partsOf(piece, folded, BLOCK);
  const blocks: Part[] = [];
  let isWhole = true;
  const known = new Map<Part, readonly Part[]>();
  const blockAt = (place: number): Part | undefined => {
    for (;;) {
      const last = blocks.at(-1);
      if (last && place < last.foldedAt + last.folded.length) break;
      const { value, done } = rest.next();
      if (done) {
        isWhole &&= value !== false;
        break;
      }
      blocks.push(value);
    }
    const block = blocks.findLast(({ foldedAt }) => foldedAt <= place);
    return block && (isWhole || place < block.foldedAt + block.folded.length) ? block : undefined;
  };
  const clusterAt = (place: number): Pick<Part, 'text' | 'at'> => {
    const block = blockAt(place);
    if (!block) return { text: piece, at: 0 };
    const clusters = known.get(block) ?? allPartsOf(block.text, block.folded, 1);
    known.set(block, clusters);
    const cluster = clusters.findLast(({ foldedAt }) => block.foldedAt + foldedAt <= place);
    return cluster ? { text: cluster.text, at: block.at + cluster.at } : block;
  };
  return (start, end) => {
    const first = clusterAt(start);
    const last = clusterAt(end - 1);
    return [Math.min(first.at, last.at), last.at + last.text.length];
  };
};

/** About how much of a long text is shown, and of that before the first mark, in UTF-16 code units. */
const SHOWN = 300;
const BEFORE = 60;
const MAX_MARKS = 100;

/** What of a text is shown around its first mark. */
const windowAround = (text: string, first: number): Mark => {
  if (text.length <= SHOWN) return [0, text.length];
  const from = boundaryAt(text, first + SHOWN - BEFORE > text.length ? text.length - SHOWN : first - BEFORE);
  return [from, boundaryAt(text, from + SHOWN)];
};

const addMark = (marks: Mark[], [start, end]: Mark): void => {
  const last = marks.at(-1);
  if (last && start <= last[1]) {
    last[0] = Math.min(last[0], start);
    last[1] = Math.max(last[1], end);
  } else marks.push([start, end]);
};

/**
 * A text as a result shows it, with where the terms stand: all of it, or what is around the first mark, with an ellipsis
 * where it was cut. Looks no further than that.
 */
export const excerpt = async (
  text: string,
  terms: readonly Term[],
  budget: CpuBudget,
): Promise<{ text: string; marks: Mark[] }> => {
  const marks: Mark[] = [];
  let shown: Mark | undefined;
  for await (const mark of marksIn(text, terms, budget)) {
    shown ??= windowAround(text, mark[0]);
    if (mark[0] >= shown[1]) break;
    addMark(marks, mark);
    if (marks.length > MAX_MARKS) break;
  }
  const [from, to] = shown ?? windowAround(text, 0);
  const before = from > 0 ? '…' : '';
  const shift = before.length - from;
  const inside = marks
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
