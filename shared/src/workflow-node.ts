import { z } from 'zod';
import { choice, integer, jsonType, text } from './fields.ts';
import {
  MAX_ANSWER_TOKENS,
  MAX_BRANCH_VALUE,
  MAX_BRANCHES,
  MAX_FAQ_ENTRIES,
  MAX_ISSUES,
  MAX_LEAD_TEMPLATE,
  MAX_MESSAGE,
  MAX_MODEL_NAME,
  MAX_NODE_ID,
  MAX_NODE_TEXT,
  MAX_NODES,
  MAX_PROMPT,
  MAX_VARIABLE,
} from './limits.ts';

const required = 'This field is required.';

const nodeId = () => text({ min: 1, max: MAX_NODE_ID });

/** Where the flow goes on; absent or null ends it, or for faq and llm comes back to the node itself. */
const edge = () => nodeId().nullish();

const optional = (max: number) => text({ max }).nullish();

/** In the document alike for what is sent and what is shown, though unknown fields are only ever sent. */
const OPEN = { additionalProperties: true };
const named = (id: string, description: string) => ({ id, description, ...OPEN });

const decimal = ({ min, max }: { min: number; max: number }) =>
  z
    .number({ error: 'A valid number is required.' })
    .min(min, { error: `Ensure this value is greater than or equal to ${min}.` })
    .max(max, { error: `Ensure this value is less than or equal to ${max}.` });

/** Looks at the items of a list in their order, and ends where more mistakes were found than are told: each takes time. */
const endAfterIssues = (list: z.core.$ZodArray): void => {
  const { parse, def } = list._zod;
  list._zod.parse = (payload, ctx) => {
    const items = payload.value as unknown;
    if (!Array.isArray(items) || ctx.async) return parse(payload, ctx);
    const read: unknown[] = [];
    payload.value = read;
    for (const [index, value] of items.entries()) {
      const item = def.element._zod.run({ value, issues: [] }, ctx) as z.core.ParsePayload;
      payload.issues.push(...z.core.util.prefixIssues(index, item.issues));
      read.push(item.value);
      if (payload.issues.length >= MAX_ISSUES) break;
    }
    return payload;
  };
};

/** A list whose length is looked at before its items are. */
const listOf = <T extends z.ZodType>(item: T, { min, max }: { min: number; max: number }) => {
  const message = `Ensure this field has no more than ${max} elements.`;
  const list = z
    .array(item, {
      error: ({ input }) =>
        input === undefined ? required : `Expected a list of items but got type "${jsonType(input)}".`,
    })
    .min(min, { error: 'This list may not be empty.' })
    .max(max, { error: message });
  endAfterIssues(list);
  return z.preprocess((value, ctx) => {
    if (Array.isArray(value) && value.length > max) ctx.addIssue({ code: 'custom', message, input: value });
    return value;
  }, list);
};

/** Exactly one in a workflow; its greeting is the start call's `message`. */
export const StartNode = z
  .object({
    id: nodeId(),
    type: z.literal('start'),
    greeting: optional(MAX_NODE_TEXT),
    next: edge(),
  })
  .meta(named('StartNode', 'Exactly one in a workflow; its greeting is the start call’s `message`.'));

/** Says its text. */
export const MessageNode = z
  .object({
    id: nodeId(),
    type: z.literal('message'),
    text: text({ min: 1, max: MAX_NODE_TEXT }),
    next: edge(),
  })
  .meta(named('MessageNode', 'Says its text.'));

export const ANSWER_KINDS = ['text', 'email', 'phone', 'number', 'url', 'choice'] as const;
export type AnswerKind = (typeof ANSWER_KINDS)[number];

/** Asks, waits, and keeps the answer under `save_as`. */
export const QuestionNode = z
  .object({
    id: nodeId(),
    type: z.literal('question'),
    text: text({ min: 1, max: MAX_NODE_TEXT }),
    save_as: text({ min: 1, max: MAX_VARIABLE }).nullish(),
    validate: choice(ANSWER_KINDS).nullish(),
    choices: listOf(text({ min: 1, max: 200 }), { min: 0, max: 100 }).nullish(),
    retry_text: optional(MAX_NODE_TEXT),
    max_retries: integer({ min: 0, max: 20 }).nullish(),
    on_failure: edge(),
    next: edge(),
  })
  .refine(({ validate, choices }) => validate !== 'choice' || (choices?.length ?? 0) > 0, {
    error: 'A question that is validated as a choice needs choices.',
    path: ['choices'],
  })
  .meta(named('QuestionNode', 'Asks, waits, and keeps the answer under `save_as`.'));

export const OPERATORS = ['equals', 'contains', 'matches', 'exists', 'greater', 'less'] as const;
export type Operator = (typeof OPERATORS)[number];

/** One way out of a condition; the first that holds is taken. */
export const Branch = z
  .object({
    variable: text({ min: 1, max: MAX_VARIABLE }),
    operator: choice(OPERATORS),
    value: z
      .union([text({ max: MAX_BRANCH_VALUE }), z.number()], {
        error: `Not a valid string of at most ${MAX_BRANCH_VALUE} characters, nor a number.`,
      })
      .nullish(),
    next: edge(),
  })
  .meta(named('Branch', 'One way out of a condition; the first that holds is taken.'));

/** Goes on without saying anything. */
export const ConditionNode = z
  .object({
    id: nodeId(),
    type: z.literal('condition'),
    branches: listOf(Branch, { min: 0, max: MAX_BRANCHES }),
    else: edge(),
    next: edge(),
  })
  .meta(named('ConditionNode', 'Goes on without saying anything.'));

/** Questions that mean the same, and their answer. */
export const FaqEntry = z
  .object({
    questions: listOf(text({ min: 1, max: 500 }), { min: 1, max: 50 }),
    answer: text({ min: 1, max: MAX_MESSAGE }),
  })
  .meta(named('FaqEntry', 'Questions that mean the same, and their answer.'));
export type FaqEntry = z.infer<typeof FaqEntry>;

/** Answers what was asked from its entries, or goes to `on_miss`. */
export const FaqNode = z
  .object({
    id: nodeId(),
    type: z.literal('faq'),
    entries: listOf(FaqEntry, { min: 0, max: MAX_FAQ_ENTRIES }),
    threshold: decimal({ min: 0, max: 1 }).nullish(),
    on_miss: edge(),
    next: edge(),
  })
  .meta(named('FaqNode', 'Answers what was asked from its entries, or goes to `on_miss`.'));

/** Answers through an OpenAI-compatible endpoint; a failure goes to `on_error`. */
export const LlmNode = z
  .object({
    id: nodeId(),
    type: z.literal('llm'),
    prompt: optional(MAX_PROMPT),
    model: optional(MAX_MODEL_NAME),
    max_tokens: integer({ min: 1, max: MAX_ANSWER_TOKENS }).nullish(),
    temperature: decimal({ min: 0, max: 2 }).nullish(),
    on_error: edge(),
    next: edge(),
  })
  .meta(named('LlmNode', 'Answers through a language model; a failure goes to `on_error`.'));

/** Saves a lead. */
export const LeadNode = z
  .object({
    id: nodeId(),
    type: z.literal('lead'),
    fields: z
      .object(
        {
          nickname: optional(MAX_LEAD_TEMPLATE),
          email: optional(MAX_LEAD_TEMPLATE),
          phone_number: optional(MAX_LEAD_TEMPLATE),
        },
        {
          error: ({ input }) =>
            input === undefined
              ? required
              : `Invalid data. Expected a dictionary, but got ${jsonType(input)}.`,
        },
      )
      .meta(OPEN),
    next: edge(),
  })
  .meta(named('LeadNode', 'Saves a lead.'));

/** Says its text; a member takes over. */
export const HandoffNode = z
  .object({
    id: nodeId(),
    type: z.literal('handoff'),
    text: optional(MAX_NODE_TEXT),
    next: edge(),
  })
  .meta(named('HandoffNode', 'Says its text; a member takes over.'));

/** Says its text; the conversation has ended. */
export const EndNode = z
  .object({
    id: nodeId(),
    type: z.literal('end'),
    text: optional(MAX_NODE_TEXT),
    next: edge(),
  })
  .meta(named('EndNode', 'Says its text; the conversation has ended.'));

/** A step of a workflow (docs/contract.md#agent-api, the table of node types). */
export const WorkflowNode = z
  .discriminatedUnion(
    'type',
    [StartNode, MessageNode, QuestionNode, ConditionNode, FaqNode, LlmNode, LeadNode, HandoffNode, EndNode],
    {
      error: ({ input }) => {
        if (typeof input !== 'object' || input === null || Array.isArray(input)) {
          return `Invalid data. Expected a dictionary, but got ${jsonType(input)}.`;
        }
        const { type } = input as { type?: unknown };
        if (type === undefined) return required;
        return `${JSON.stringify(type)?.slice(0, 100)} is not a valid choice.`;
      },
    },
  )
  .meta({ id: 'WorkflowNode', description: 'A step of a workflow.' });
export type WorkflowNode = z.infer<typeof WorkflowNode>;
export type NodeOf<T extends WorkflowNode['type']> = Extract<WorkflowNode, { type: T }>;

/** The nodes of a graph: at most `MAX_NODES`, each with an id of its own. */
export const workflowNodes = () =>
  listOf(WorkflowNode, { min: 0, max: MAX_NODES }).check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, { id }] of value.entries()) {
      if (seen.has(id)) {
        issues.push({
          code: 'custom',
          message: 'The id of a node must be unique.',
          path: [index, 'id'],
          input: id,
        });
      }
      seen.add(id);
    }
  });
