import type { WorkflowNode } from '@parlor/shared';
import { addIssue } from '../../http/validate.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { type FieldErrors, throwIfAny } from '../../platform/errors.ts';
import { PatternCheck } from './patterns.ts';

/**
 * Checks the patterns of a graph's conditions, which only the server can: there may be thousands.
 * @throws ParlorError `invalid` that says where and why
 */
export const checkPatterns = async (nodes: readonly WorkflowNode[]): Promise<void> => {
  const budget = new CpuBudget();
  const patterns = new PatternCheck();
  const errors: FieldErrors = {};
  for (const [index, node] of nodes.entries()) {
    if (node.type !== 'condition') continue;
    for (const [place, { operator, value }] of node.branches.entries()) {
      if (operator !== 'matches' || patterns.isOver) continue;
      await budget.checkpoint();
      const why = patterns.error(String(value ?? ''));
      if (why === undefined) continue;
      const path = ['nodes', index, 'branches', place, 'value'];
      addIssue(errors, path, `Enter a valid regular expression (RE2): ${why}.`);
    }
  }
  throwIfAny(errors);
};
