import { Conversation, ConversationTurn, NewWorkflow, StartedConversation, Workflow } from '@parlor/shared';
import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import {
  created,
  deleted,
  listOf,
  listQuery,
  operation,
  patchOf,
  shown,
  uuidInPath,
} from '../../http/openapi/operation.ts';

const tag = 'Workflows';
const callers = ['account'] as const;
const path = { uuid: uuidInPath() };
const nodes = [
  { id: 'hello', type: 'start', greeting: 'Hello! What can we do for you?', next: 'bye' },
  { id: 'bye', type: 'end', text: 'Goodbye.' },
];

export const workflowPaths: ZodOpenApiPathsObject = {
  '/api/v1/workflows/': {
    get: operation({
      id: 'listWorkflows',
      tag,
      summary: 'List your workflows',
      description: 'Newest first, each with its whole graph and what is wrong with it.',
      callers,
      query: listQuery,
      answers: listOf(Workflow),
    }),
    post: operation({
      id: 'createWorkflow',
      tag,
      summary: 'Create a workflow',
      description:
        'A graph of nodes and a public key that starts conversations with it. `problems` says what is wrong with the graph; it can be published all the same. At most 100 an account; 50 versions of each are kept.',
      callers,
      body: NewWorkflow,
      bodyExample: { name: 'Questions about orders', is_published: true, nodes },
      isIdempotent: true,
      answers: created(Workflow),
    }),
  },
  '/api/v1/workflows/{uuid}/': {
    get: operation({
      id: 'retrieveWorkflow',
      tag,
      summary: 'Details of one workflow',
      description: 'With its graph, its public key and what is wrong with it.',
      callers,
      path,
      condition: 'read',
      answers: shown(Workflow),
    }),
    put: operation({
      id: 'updateWorkflow',
      tag,
      summary: 'Replace all fields',
      description: 'Conversations that have begun go on by the graph that they began with.',
      callers,
      path,
      body: NewWorkflow,
      bodyExample: { name: 'Questions about orders', nodes },
      condition: 'write',
      answers: shown(Workflow),
    }),
    patch: operation({
      id: 'changeWorkflow',
      tag,
      summary: 'Change one or some fields',
      description: 'Conversations that have begun go on by the graph that they began with.',
      callers,
      path,
      body: patchOf(NewWorkflow, 'WorkflowPatch'),
      bodyExample: { is_published: false },
      isBodyOptional: true,
      condition: 'write',
      answers: shown(Workflow),
    }),
    delete: operation({
      id: 'deleteWorkflow',
      tag,
      summary: 'Delete a workflow',
      description: 'Its public key is dead at once.',
      callers,
      path,
      condition: 'write',
      answers: deleted,
    }),
  },
  '/api/v1/workflows/{uuid}/rotate-key/': {
    post: operation({
      id: 'rotateWorkflowKey',
      tag,
      summary: 'Make a new public key; the old one is dead at once',
      description: 'For a key that fell into the wrong hands; put the new one on your pages.',
      callers,
      path,
      isIdempotent: true,
      answers: shown(Workflow),
    }),
  },
};

const conversation = {
  conversation: z.string().meta({ example: `conv_${'x'.repeat(24)}` }),
};

/** The public agent API (specification 4, docs/contract.md#agent-api). */
export const conversationPaths: ZodOpenApiPathsObject = {
  '/api/v1/public/conversations/start': {
    post: operation({
      id: 'startConversation',
      tag: 'Agent',
      summary: 'Start a conversation with a published workflow',
      description:
        'Takes the flow to its first wait. The answer’s `message` is the greeting and what follows it, joined by a blank line; say `metadata` to fill texts.',
      callers: ['agent'],
      body: z
        .object({
          metadata: z
            .record(z.string().max(40), z.string().max(500))
            .optional()
            .meta({ description: 'At most 50 keys; texts of the workflow are filled from them.' }),
        })
        .meta({ id: 'ConversationStart' }),
      bodyExample: { metadata: { name: 'Ada' } },
      isBodyOptional: true,
      isIdempotent: true,
      errors: [429],
      answers: {
        status: 200,
        description: 'Started; `message` is the greeting and what follows it.',
        schema: StartedConversation,
        headers: ['Parlor-Client'],
      },
    }),
  },
  '/api/v1/public/conversations/{conversation}': {
    get: operation({
      id: 'retrieveConversation',
      tag: 'Agent',
      summary: 'A conversation with what was said in it: the latest 500 messages, and 2 MiB of them',
      description: 'For a page that is opened again; oldest first.',
      callers: ['agent'],
      path: conversation,
      condition: 'read',
      answers: shown(Conversation),
    }),
  },
  '/api/v1/public/conversations/{conversation}/messages': {
    post: operation({
      id: 'continueConversation',
      tag: 'Agent',
      summary: 'Say something, and get the answers',
      description:
        'With `Accept: text/event-stream` the same, streamed as it is made: `delta`, `message`, and `done` last.',
      callers: ['agent'],
      path: conversation,
      body: z
        .object({ message: z.string().min(1).max(10_000).meta({ example: 'Do you deliver?' }) })
        .meta({ id: 'ConversationMessage' }),
      isIdempotent: true,
      sends: ['Parlor-Client'],
      answers: { status: 200, description: 'The answers.', schema: ConversationTurn },
    }),
  },
};
