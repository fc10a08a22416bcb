import type { Doc } from '../bson/document.ts';

/** Computes a value from a document; `MISSING` is "no such field". */
export type Expression = (root: Doc) => unknown;

/** What an expression may know beside the document. */
export interface ExpressionContext {
  /** `$$NOW`: one time for a whole command. */
  now: Date;
}

/** Compiles the operands of an operator; handed in, because operators and expressions contain each other. */
export type CompileOperand = (operand: unknown) => Expression;
