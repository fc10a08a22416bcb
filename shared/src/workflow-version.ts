import { z } from 'zod';
import { datetime, integer, uuid } from './fields.ts';
import { MAX_NODES } from './limits.ts';
import { Workflow } from './workflow.ts';

/** A graph that a workflow has, or had; the same graph saved once more is the same version. */
export const WorkflowVersion = z
  .object({
    uuid: uuid(),
    saved_at: datetime()
      .nullable()
      .meta({ description: 'When it was saved last; null: before times were kept.' }),
    saved_by: uuid().nullable().meta({
      description: 'The member who saved it last; null: a program, or before that was kept.',
    }),
    node_count: integer({ min: 0, max: MAX_NODES }).nullable().meta({
      description: 'How many nodes it has; null: before that was kept.',
      readOnly: true,
      example: 4,
    }),
    is_current: z
      .boolean()
      .meta({ description: 'Whether it is the one that the workflow has now.', readOnly: true }),
  })
  .meta({ id: 'WorkflowVersion' });
export type WorkflowVersion = z.infer<typeof WorkflowVersion>;

/** A version with its graph and what is wrong with that. */
export const WorkflowVersionDetail = WorkflowVersion.extend({
  nodes: Workflow.shape.nodes,
  problems: Workflow.shape.problems,
}).meta({ id: 'WorkflowVersionDetail' });
export type WorkflowVersionDetail = z.infer<typeof WorkflowVersionDetail>;
