import type { WorkflowNode } from '@parlor/shared';
import type { Context } from '../../http/context.ts';
import { whenHungUp } from '../../http/hung-up.ts';
import type { Caller } from '../../http/turns.ts';
import { addIssue } from '../../http/validate.ts';
import { CpuBudget } from '../../platform/cpu-budget.ts';
import { type FieldErrors, throwIfAny } from '../../platform/errors.ts';
import { FairTurns } from '../../platform/fair-turns.ts';
import { accountOf } from '../members/principal.ts';
import { PatternCheck } from './patterns.ts';

/** The patterns of one workflow may take nearly half a second. */
const turns = new FairTurns({ running: Number.POSITIVE_INFINITY, runningOfOne: 1, waitingOfOne: 100 });

/**
 * Checks the patterns of a graph's conditions, which only the server can: there may be thousands.
 * @param ctx the request that has them: those of one workflow of its account are checked at a time
 * @throws ParlorError `invalid` that says where and why, `throttled` when too many of the account wait, and what `whenHungUp` gives
 */
export const checkPatterns = async (
  ctx: Caller & Pick<Context, 'res'>,
  nodes: readonly WorkflowNode[],
): Promise<void> => {
  const has = (node: WorkflowNode): boolean =>
    node.type === 'condition' && node.branches.some(({ operator }) => operator === 'matches');
  if (!nodes.some(has)) return;
  const account = accountOf(ctx);
  await turns.run(account, () => check(nodes, account), whenHungUp(ctx));
};

const check = async (nodes: readonly WorkflowNode[], account: string): Promise<void> => {
  const budget = new CpuBudget(account);
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
