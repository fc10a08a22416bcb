import { mongoError, refused } from '../errors/mongo-error.ts';
import type { CompileOperand, Expression } from './expression.ts';

/** The operands of an operator: of a list each, else the one. */
export function argumentsOf(operand: unknown, compile: CompileOperand): Expression[] {
  const list = Array.isArray(operand) ? operand : [operand];
  return list.map((argument) => compile(argument));
}

/** The same, of an operator with a fixed number of operands. */
export function exactly(
  name: string,
  count: number,
  operand: unknown,
  compile: CompileOperand,
): Expression[] {
  const parts = argumentsOf(operand, compile);
  if (parts.length !== count) {
    throw mongoError(
      16020,
      `Expression ${name} takes exactly ${count} arguments. ${parts.length} were passed in.`,
    );
  }
  return parts;
}

/**
 * Refuses an operand that is no field path. MongoDB computes operators of constants before it reads a document, and
 * fails then even where there is none.
 */
export function checkIsPath(name: string, operand: unknown): void {
  const [path] = Array.isArray(operand) ? operand : [operand];
  if (typeof path !== 'string' || !path.startsWith('$') || path.startsWith('$$'))
    throw refused(`${name} of anything but a field path`);
}
