import type { Doc } from '../bson/document.ts';
import type { ExpressionContext } from '../expression/expression.ts';
import type { Memory } from '../limits/memory.ts';

/**
 * Documents on their way through a pipeline. Undefined: a time slice is used up. Every stage hands it on, and whoever
 * reads the last one yields to other commands.
 */
export type Documents = Iterable<Doc | undefined>;

/** Turns a stream of documents into another one. */
export type Stage = (input: Documents) => Documents;

/** What a pipeline runs in. */
export interface PipelineEnvironment extends ExpressionContext {
  /** What counts the documents that stages hold. */
  memory: Memory;
}

/** What the stages of one pipeline share while they are compiled. */
export interface PipelineContext extends PipelineEnvironment {
  /** The paths that stages so far may have removed. */
  removed: Set<string>;
  /** The fields that stages so far sort inside of, by a place in an array (`a` of `a.0.b`). */
  sortedByPlace: Set<string>;
}
