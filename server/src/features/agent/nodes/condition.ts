import type { NodeOf, Operator } from '@parlor/shared';
import { fold } from '../../../platform/folding.ts';
import type { Pattern } from '../patterns.ts';
import { go, type Runner, type Turn } from '../turn.ts';

const number = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Whether a pattern is found in a text: one that can't be compiled in none, which the operator is told. */
const matches = (known: string, value: string, turn: Turn, node: string): boolean => {
  let pattern: Pattern;
  try {
    pattern = turn.graph.pattern(value);
  } catch (error) {
    turn.fault ??= `node "${node}": a pattern can't be compiled: ${(error as Error).message}`;
    return false;
  }
  return pattern(known);
};

/** Texts are compared without regard to case and diacritics, but by `matches`. A value that is unknown is empty. */
const HOLDS: Record<Operator, (known: string, value: string, turn: Turn, node: string) => boolean> = {
  equals: (known, value) => fold(known) === fold(value),
  contains: (known, value) => fold(known).includes(fold(value)),
  matches,
  exists: (known) => known.trim() !== '',
  greater: (known, value) => number(known) > number(value),
  less: (known, value) => number(known) < number(value),
};

/** Goes the way of the first branch that holds, else `else`, else `next`. */
export const runCondition: Runner<NodeOf<'condition'>> = async (node, turn) => {
  for (const { variable, operator, value, next } of node.branches) {
    await turn.budget.checkpoint();
    const known = turn.variables.get(variable) ?? '';
    if (HOLDS[operator](known, String(value ?? ''), turn, node.id)) return go(next ?? node.next);
  }
  return go(node.else ?? node.next);
};
