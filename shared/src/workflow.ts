import { z } from 'zod';
import { boolean, text, uuid } from './fields.ts';
import { MAX_WORKFLOW_NAME } from './limits.ts';
import { workflowNodes } from './workflow-node.ts';

/** What an agent says and does, as a graph, and the public key that starts conversations with it. */
export const Workflow = z
  .object({
    uuid: uuid(),
    name: text({ min: 1, max: MAX_WORKFLOW_NAME }).meta({
      minLength: 1,
      maxLength: MAX_WORKFLOW_NAME,
      example: 'Questions about orders',
    }),
    is_published: boolean().default(false),
    is_room_bot: boolean().default(false),
    nodes: workflowNodes().default([]),
    public_key: z.string().meta({ readOnly: true, example: `pk_live_${'x'.repeat(32)}` }),
    problems: z.array(z.string()).meta({ readOnly: true }),
  })
  .meta({ id: 'Workflow' });
export type Workflow = z.infer<typeof Workflow>;

/**
 * The fields of a workflow that its owner writes. An `is_room_bot` that is not sent lets the account's first
 * published workflow answer its rooms by itself.
 */
export const NewWorkflow = Workflow.pick({ name: true, is_published: true, nodes: true })
  .extend({ is_room_bot: boolean().optional() })
  .meta({ id: 'NewWorkflow' });
export type NewWorkflow = z.infer<typeof NewWorkflow>;
