import { z } from 'zod';
import { CONVERSATION_STATUSES } from './agent-conversation.ts';
import { choice, integer, nested, text, uuidReference } from './fields.ts';
import { MAX_MESSAGE, MAX_NODE_ID, MAX_VARIABLE } from './limits.ts';
import { workflowNodes } from './workflow-node.ts';

/** What a test conversation knows: answers of 500 questions, and what it began with. */
const MAX_VARIABLES = 550;

/** Of what was said before, this much goes along for nodes that ask a language model. */
export const MAX_TEST_LINES = 100;

/** In the document alike for what is sent and what is shown, though unknown fields are only ever sent. */
const OPEN = { additionalProperties: true };

const list = <T extends z.ZodType>(item: T, max: number) =>
  z
    .array(item, { error: 'Expected a list of items.' })
    .max(max, `Ensure this list has no more than ${max} items.`);

const variables = (max: number, value: number) =>
  list(nested({ name: text({ min: 1, max: MAX_VARIABLE }), value: text({ max: value }) }).meta(OPEN), max);

/** Where a test conversation stands. It is kept by the caller alone, who sends it back with the next message. */
export const WorkflowTestState = nested({
  uuid: uuidReference().meta({ description: 'The conversation, which a language model’s budget goes by.' }),
  node: text({ min: 1, max: MAX_NODE_ID }).meta({ description: 'The node that waits for the visitor.' }),
  asked: integer({ min: 0, max: 21 }).meta({ description: 'How often the question there was asked.' }),
  variables: variables(MAX_VARIABLES, 2_000).meta({ description: 'What the conversation knows.' }),
  history: list(
    nested({ sender: choice(['visitor', 'bot'] as const), message: text({ max: MAX_MESSAGE }) }).meta(OPEN),
    MAX_TEST_LINES,
  ).meta({ description: 'What was said, for language models: the latest 100 messages and 64 KiB.' }),
}).meta({
  id: 'WorkflowTestState',
  ...OPEN,
  example: {
    uuid: '0198c1d2-7a54-7b3e-9c1f-2f6f0a9d4e11',
    node: 'ask',
    asked: 1,
    variables: [{ name: 'name', value: 'Ada' }],
    history: [{ sender: 'bot', message: 'What can we do for you?' }],
  },
});
export type WorkflowTestState = z.infer<typeof WorkflowTestState>;

/** A turn of a test conversation: its beginning without `state`, else a visitor's message. */
export const WorkflowTest = z
  .object({
    nodes: workflowNodes()
      .optional()
      .meta({ description: 'A graph to try unsaved; without it the saved one.' }),
    variables: variables(50, 500).optional().meta({
      description: 'What the conversation knows when it begins, as by `metadata` of the agent API.',
    }),
    state: WorkflowTestState.optional().meta({
      description: 'From the answer before; without it a conversation begins.',
    }),
    message: text({ min: 1, max: MAX_MESSAGE })
      .optional()
      .meta({ description: 'What the visitor says; needed with `state`.' }),
  })
  .meta({ id: 'WorkflowTest' });
export type WorkflowTest = z.infer<typeof WorkflowTest>;

/** What a turn of a test conversation came to. */
export const WorkflowTestTurn = z
  .object({
    messages: z
      .array(z.string())
      .meta({ description: 'What the bot says.', example: ['Hello! What can we do for you?'] }),
    status: z.enum(CONVERSATION_STATUSES),
    state: WorkflowTestState.nullable().meta({ description: 'For the next message; null: there is none.' }),
    passed: z
      .array(z.string())
      .meta({ description: 'The nodes that it went through, by id.', example: ['hello', 'ask'] }),
    leads: z
      .array(z.object({ nickname: z.string(), email: z.string(), phone_number: z.string() }))
      .meta({ description: 'The leads that it would have saved.', example: [] }),
    faults: z.array(z.string()).meta({
      description: 'What went wrong: a model that did not answer, too many steps, an edge to nowhere.',
      example: [],
    }),
  })
  .meta({ id: 'WorkflowTestTurn' });
export type WorkflowTestTurn = z.infer<typeof WorkflowTestTurn>;
