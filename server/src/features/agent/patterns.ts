import { LRUCache } from 'lru-cache';
import { loadLater } from '../../platform/load-later.ts';
import { workToFold } from './folded-ranges.ts';
import { mostInstructions } from './pattern-size.ts';

const re2 = loadLater<typeof import('re2js')>('re2js');

/** A pattern longer than this, or one that becomes a larger program, is refused. */
const MAX_LENGTH = 500;
const MAX_PROGRAM = 1_000;

/**
 * One that may become a program larger than this is refused unseen: an instruction takes up to 3 µs to compile. RE2 leaves
 * out some of what is written twice, so that fewer may be MAX_PROGRAM after all.
 */
const MAX_COMPILED = 8 * MAX_PROGRAM;

/** Unicode classes in a pattern: compiling one takes up to a millisecond. */
const MAX_CLASSES = 20;

/** Code points of ranges that are read without regard to case: each takes some 30 ns to compile. */
const MAX_FOLDED = 500_000;

/** What a Unicode class, and this number of folded code points, take of time and memory, in instructions of a program. */
const COST_OF_CLASS = 100;
const FOLDED_PER_INSTRUCTION = 100;

/** The cost of all patterns of a workflow: below half a second to compile, whatever they are. */
const MAX_COST_TOGETHER = 50_000;

/** After this number of patterns that are refused, the others of a workflow are not looked at. */
const MAX_REFUSED = 10;

/** The cost of the compiled patterns that are kept: some 100 to 300 bytes each. */
const MAX_COST_KEPT = 200_000;

/** What one that can't be compiled takes there: its text and the reason. */
const COST_OF_REFUSED = 100;

/**
 * Time is program times text: the part of a text that is searched is bounded so that a search takes some 40 ms
 * at most.
 */
const MAX_STEPS = 500_000;
const MAX_TEXT = 10_000;

/** Whether a text matches, in time that is linear in its length whatever the pattern is (RE2). */
export type Pattern = (text: string) => boolean;

interface Compiled {
  matches: Pattern;
  cost: number;
}

/** What the classes and the folded ranges of a pattern cost beside its program. @throws Error where they are too many */
const costOfClasses = (source: string): number => {
  const classes = source.match(/\\p/gi)?.length ?? 0;
  if (classes > MAX_CLASSES) throw new Error('too many Unicode classes');
  const folded = workToFold(source);
  if (folded > MAX_FOLDED) throw new Error('too many wide ranges without regard to case');
  return classes * COST_OF_CLASS + Math.ceil(folded / FOLDED_PER_INSTRUCTION);
};

/** Of patterns that are stored or tested: what one costs at most to compile, told unseen. @throws Error where that is too much */
const mostCost = (source: string): number => {
  if (source.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  const instructions = mostInstructions(source);
  if (instructions > MAX_COMPILED) throw new Error('too complicated');
  return instructions + costOfClasses(source);
};

/** What is wrong with a pattern, as far as it is told without compiling it; undefined when nothing is. */
export const flawUnseen = (source: string): string | undefined => {
  try {
    mostCost(source);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

/** By the bounds that hold for a turn, too: what was stored while storing had no further ones goes on. */
const compile = (source: string): Compiled => {
  if (source.length > MAX_LENGTH) throw new Error(`longer than ${MAX_LENGTH} characters`);
  const classes = costOfClasses(source);
  const pattern = re2().RE2JS.compile(source);
  const size = pattern.programSize();
  if (size > MAX_PROGRAM) throw new Error('too complicated');
  const searched = Math.min(MAX_TEXT, Math.floor(MAX_STEPS / size));
  return {
    matches: (text) => pattern.test(text.slice(0, searched)),
    cost: size + classes,
  };
};

/**
 * Compiles the pattern of `matches`: RE2's syntax, found anywhere in a text.
 * @throws Error that says what is wrong with it.
 */
export const compilePattern = (source: string): Pattern => {
  mostCost(source);
  return compile(source).matches;
};

/** Checks the patterns of one workflow, one after another. */
export class PatternCheck {
  #cost = 0;
  #refused = 0;

  /** Whether the limit of refused patterns or of their cost together is reached: no further one is looked at. */
  get isOver(): boolean {
    return this.#refused >= MAX_REFUSED || this.#cost > MAX_COST_TOGETHER;
  }

  /** What is wrong with a pattern, by itself or with those before it; undefined when nothing is. */
  error(source: string): string | undefined {
    const why = this.#errorOf(source);
    if (why !== undefined) this.#refused++;
    return this.isOver ? `${why ?? TOO_MANY}; no further pattern was looked at` : why;
  }

  #errorOf(source: string): string | undefined {
    let cost = 0;
    try {
      cost = mostCost(source);
      cost = compile(source).cost;
      return undefined;
    } catch (error) {
      return (error as Error).message;
    } finally {
      // One that is refused has been compiled nevertheless.
      this.#cost += cost;
    }
  }
}

const TOO_MANY = 'the patterns of this workflow are too complicated together';

/** Compiled patterns of all workflows. */
export class PatternCache {
  /** Also why one can't be compiled, since trying takes as long each time. */
  readonly #kept = new LRUCache<string, Pattern | Error>({ maxSize: MAX_COST_KEPT });

  /**
   * The pattern of a condition; checked when its workflow was stored, but perhaps by an older server, or imported.
   * @throws Error that says why it can't be compiled
   */
  get(source: string): Pattern {
    const kept = this.#kept.get(source) ?? this.#compile(source);
    if (kept instanceof Error) throw kept;
    return kept;
  }

  #compile(source: string): Pattern | Error {
    try {
      const { matches, cost } = compile(source);
      this.#kept.set(source, matches, { size: cost });
      return matches;
    } catch (error) {
      this.#kept.set(source, error as Error, { size: COST_OF_REFUSED });
      return error as Error;
    }
  }
}
