import { NewWorkflow } from '@parlor/shared';
import { patternError } from './patterns.ts';

/**
 * The body of a workflow's POST, PUT and PATCH: the shared schema, and the patterns of its conditions, which
 * only the server can check.
 */
export const WorkflowInput = NewWorkflow.extend({
  nodes: NewWorkflow.shape.nodes.check(({ value, issues }) => {
    for (const [index, node] of value.entries()) {
      if (node.type !== 'condition') continue;
      for (const [place, { operator, value: pattern }] of node.branches.entries()) {
        const why = operator === 'matches' ? patternError(String(pattern ?? '')) : undefined;
        if (why === undefined) continue;
        issues.push({
          code: 'custom',
          message: `Enter a valid regular expression (RE2): ${why}.`,
          path: [index, 'branches', place, 'value'],
          input: pattern,
        });
      }
    }
  }),
}).meta({ id: 'WorkflowInput' });
