import type { NodeOf, Operator } from '@parlor/shared';
import { fold } from '../../../platform/folding.ts';
import type { Graph } from '../graph.ts';
import { go, type Runner } from '../turn.ts';

const number = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Texts are compared without regard to case and diacritics, but by `matches`. A value that is unknown is empty. */
const HOLDS: Record<Operator, (known: string, value: string, graph: Graph) => boolean> = {
  equals: (known, value) => fold(known) === fold(value),
  contains: (known, value) => fold(known).includes(fold(value)),
  matches: (known, value, graph) => graph.pattern(value)(known),
  exists: (known) => known.trim() !== '',
  greater: (known, value) => number(known) > number(value),
  less: (known, value) => number(known) < number(value),
};

/** Goes the way of the first branch that holds, else `else`, else `next`. */
export const runCondition: Runner<NodeOf<'condition'>> = async (node, turn) => {
  for (const { variable, operator, value, next } of node.branches) {
    await turn.budget.checkpoint();
    const known = turn.variables.get(variable) ?? '';
    if (HOLDS[operator](known, String(value ?? ''), turn.graph)) return go(next ?? node.next);
  }
  return go(node.else ?? node.next);
};
